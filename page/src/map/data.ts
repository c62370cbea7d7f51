// The map's data, read once and kept while one walks from room to room.

import { getPack } from '../api/client';
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

let kept: Promise<MapData> | undefined;

export function mapOf(): Promise<MapData> {
  kept ??= read();
  kept.catch(() => (kept = undefined)); // a failure may be asked again
  return kept;
}

async function read(): Promise<MapData> {
  const { facts, arrays } = await getPack('map');
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

/** Reads the map again when asked next: a finished scan has brought columns. */
export function forgetMap(): void {
  kept = undefined;
}
