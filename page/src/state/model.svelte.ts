// The model under study, asked for once; every room reads it from here.

import { getJson } from '../api/client';
import type { Model } from '../api/types';

class ModelState {
  current = $state<Model | null>(null);
  failure = $state<string | null>(null);

  async load(): Promise<void> {
    this.failure = null;
    try {
      this.current = await getJson<Model>('model');
    } catch (error) {
      this.failure = (error as Error).message;
    }
  }
}

export const model = new ModelState();
