// The rail's icons: 24 × 24 strokes, drawn for this page.

import type { Room } from '../state/address.svelte';

export const ICONS: Record<Room, string> = {
  atlas: 'M4 6h.01M9 4h.01M15 7h.01M20 5h.01M6 12h.01M12 11h.01M18 13h.01M5 18h.01M10 17h.01M14 20h.01M20 19h.01',
  sphere: 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M3 12c3 3 15 3 18 0M12 3c-4 4-4 14 0 18',
  words: 'M5 19L12 5l7 14M8 14h8M5 5h.01M19 5h.01',
  lens: 'M10 4a6 6 0 1 0 0 12a6 6 0 1 0 0-12M15 15l5 5M7 10h6M10 7v6',
  isotropy: 'M12 21L5 5c4-3 10-3 14 0zM12 21V6',
  health: 'M3 12h4l3-7l4 14l3-7h4',
  learn: 'M4 6c3-2 6-1 8 1c2-2 5-3 8-1v13c-3-2-6-1-8 1c-2-2-5-3-8-1zM12 7v13',
};
