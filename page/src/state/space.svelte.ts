// The space that every list on the page is computed in: the rows as they are, or repaired. It is in the address; a
// space must be prepared by the server once before it can be asked.

import { getJson, getPack, postForPack, postJson } from '../api/client';
import { runJob } from '../api/jobs';
import type { Pack } from '../api/pack';
import type { Job } from '../api/types';
import { address } from './address.svelte';
import { model } from './model.svelte';

class SpaceState {
  job = $state<Job | null>(null);
  private ready: Record<string, Promise<void>> = { raw: Promise.resolve() };

  get name(): string {
    const wanted = address.get('space') ?? 'raw';
    return model.current?.spaces.includes(wanted) ? wanted : 'raw';
  }

  choose(name: string): void {
    address.go({ space: name === 'raw' ? '' : name });
  }

  /** Resolves when the space can be asked. */
  prepared(name: string): Promise<void> {
    this.ready[name] ??= this.prepare(name);
    return this.ready[name];
  }

  private async prepare(name: string): Promise<void> {
    try {
      await runJob('space', { space: name }, (job) => (this.job = job));
    } catch (error) {
      delete this.ready[name]; // may be asked again
      throw error;
    } finally {
      this.job = null;
    }
  }
}

export const space = new SpaceState();

function spaced(path: string, name: string): string {
  return name === 'raw' ? path : `${path}${path.includes('?') ? '&' : '?'}space=${name}`;
}

/** As `getJson`, in a space, by default that of the page, which is read before anything is awaited, so that effects follow it. */
export function getSpaced<T>(path: string, signal?: AbortSignal, name = space.name): Promise<T> {
  return space.prepared(name).then(() => getJson<T>(spaced(path, name), signal));
}

export function postSpaced<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const name = space.name;
  return space.prepared(name).then(() => postJson<T>(spaced(path, name), body, signal));
}

export function packOf(path: string, name: string): Promise<Pack> {
  return space.prepared(name).then(() => getPack(spaced(path, name)));
}

export function rowsOf(ids: readonly number[], signal?: AbortSignal): Promise<Pack> {
  const name = space.name;
  return space.prepared(name).then(() => postForPack(spaced('rows', name), { ids }, signal));
}
