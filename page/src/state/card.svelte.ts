// The card of the token in the address, asked for once: the panel shows it, the map lights its neighbours.

import type { Card } from '../api/types';
import { Answer } from './answer.svelte';

export const card = new Answer<Card>();
