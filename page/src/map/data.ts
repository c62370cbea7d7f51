// The map's data, read once for each space and kept while one walks from room to room.

import { packOf } from '../state/space.svelte';
import { shuffledOrder } from './order';

export interface MapData {
  /** Row ids of the points, ascending. */
  ids: Int32Array;
  /** 2 coordinates per point, in the order of `ids`, scaled so that 98 % of the points lie in [−1, 1]². */
  xy: Float32Array;
  /** Share of each point's squared length (after centring) that lies in the plane. */
  shown: Float32Array;
  /** Shares of the variance on the two components. */
  explained: [number, number];
  order: Uint32Array;
  columns: Record<string, Float32Array | Uint8Array>;
  categories: Record<string, string[]>;
}

const kept = new Map<string, Promise<MapData>>();

/** The map of a space by name. */
export function mapOf(space: string): Promise<MapData> {
  const known = kept.get(space);
  if (known) return known;
  const asked = read(space);
  kept.set(space, asked);
  asked.catch(() => kept.delete(space)); // a failure may be asked again
  return asked;
}

async function read(space: string): Promise<MapData> {
  const { facts, arrays } = await packOf('map', space);
  const ids = arrays.ids as Int32Array;
  const { ids: _ids, xy, ...columns } = arrays;
  return {
    ids,
    xy: xy as Float32Array,
    shown: arrays.shown as Float32Array,
    explained: facts.explained as [number, number],
    order: shuffledOrder(ids.length),
    columns: columns as MapData['columns'],
    categories: (facts.categories ?? {}) as Record<string, string[]>,
  };
}

/** Reads a map again when asked next: a finished scan has brought columns. */
export function forgetMap(space: string): void {
  kept.delete(space);
}
