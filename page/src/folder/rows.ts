// The rows of an exported folder: a few hundred exactly, all of them rounded to eight bits where the table is small enough.

import { Failure } from '../api/client';
import type { Pack } from '../api/pack';
import { pack } from './files';

/** All rows as whole numbers −127 … 127 with a step for each, so that x ≈ q·step. */
export class RoundedRows {
  constructor(
    private readonly q: Int8Array,
    private readonly step: Float32Array,
    readonly width: number,
  ) {}

  get size(): number {
    return this.step.length;
  }

  row(id: number): Float32Array {
    const start = id * this.width;
    return Float32Array.from(this.q.subarray(start, start + this.width), (value) => value * this.step[id]!);
  }

  /** Cosine of every row to a vector; −2 for rows without a direction. */
  cosines(vector: ArrayLike<number>): Float64Array {
    const found = new Float64Array(this.size);
    let own = 0;
    for (let c = 0; c < this.width; c++) own += vector[c]! ** 2;
    for (let id = 0, at = 0; id < this.size; id++) {
      let [dot, square] = [0, 0];
      for (let c = 0; c < this.width; c++, at++) {
        const value = this.q[at]!;
        dot += value * vector[c]!;
        square += value * value;
      }
      found[id] = square ? dot / Math.sqrt(square * own) : -2;
    }
    return found;
  }
}

let kept: Promise<RoundedRows> | undefined;

export function roundedRows(): Promise<RoundedRows> {
  kept ??= pack('rounded').then(
    ({ arrays, shapes }) => new RoundedRows(arrays.rows as Int8Array, arrays.step as Float32Array, shapes.rows![1]!),
    () => {
      throw new Failure('this table is too large to ship its rows with an exported page; the live page (armillary serve) answers free questions');
    },
  );
  kept.catch(() => (kept = undefined));
  return kept;
}

/** Some rows, in order: exactly where they were shipped so, else rounded; `facts.exact` says whether all are exact. */
export async function someRows(ids: readonly number[]): Promise<Pack> {
  const { arrays, shapes } = await pack('rows');
  const width = shapes.rows![1]!;
  const place = new Map([...(arrays.ids as Int32Array)].map((id, at) => [id, at]));
  const rows = new Float32Array(ids.length * width);
  let exact = true;
  for (const [i, id] of ids.entries()) {
    const at = place.get(id);
    exact &&= at !== undefined;
    rows.set(at === undefined ? (await roundedRows()).row(id) : (arrays.rows as Float32Array).subarray(at * width, (at + 1) * width), i * width);
  }
  return { facts: { exact, space: 'raw' }, arrays: { ids: Int32Array.from(ids), rows }, shapes: { ids: [ids.length], rows: [ids.length, width] } };
}
