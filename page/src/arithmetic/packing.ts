// Points on a ball that push each other away: the smooth stand-in for the largest cosine, and its descent. What is
// descended is log-sum-exp at sharpness β, which lies above the largest cosine by at most log(pairs)/β.

import { dot } from './vectors';

/** Minimum angles in degrees of the best packings known of N points on the sphere (Sloane; Cohn). */
export const BEST_ANGLES: Readonly<Record<number, number>> = {
  4: 109.4712206, 5: 90, 6: 90, 7: 77.8695421, 8: 74.8584922, 9: 70.5287794, 10: 66.146822, 11: 63.4349488,
  12: 63.4349488, 13: 57.1367031, 14: 55.67057, 16: 52.2443957, 18: 49.5566548, 20: 47.4310362, 23: 43.7099642,
  24: 43.6907671,
}; // prettier-ignore

/** (1/β) log Σ_{i≠j} exp(β cos_ij) of unit rows, and its gradient along the sphere. */
export function softMaximum(rows: readonly Float64Array[], sharpness: number): { value: number; gradient: Float64Array[] } {
  const n = rows.length;
  const cosines = rows.map((x, i) => rows.map((y, j) => (i === j ? -1 : dot(x, y))));
  const largest = Math.max(...cosines.map((row) => Math.max(...row)));
  const weights = cosines.map((row, i) => row.map((c, j) => (i === j ? 0 : Math.exp(sharpness * (c - largest)))));
  const total = weights.reduce((sum, row) => sum + row.reduce((a, b) => a + b, 0), 0);
  const gradient = rows.map((x, i) => {
    const pull = new Float64Array(x.length);
    for (let j = 0; j < n; j++) {
      const weight = (2 * weights[i]![j]!) / total;
      if (weight) for (let q = 0; q < x.length; q++) pull[q]! += weight * rows[j]![q]!;
    }
    const along = dot(pull, x);
    return pull.map((p, q) => p - along * x[q]!);
  });
  return { value: largest + Math.log(total) / sharpness, gradient };
}

/** The smallest angle between two of the rows, in degrees, with the pair. */
export function smallestAngle(rows: readonly Float64Array[]): { degrees: number; pair: readonly [number, number] } {
  let [best, pair]: [number, readonly [number, number]] = [-2, [0, 1]];
  for (let i = 0; i < rows.length; i++) {
    for (let j = i + 1; j < rows.length; j++) {
      const cosine = dot(rows[i]!, rows[j]!);
      if (cosine > best) [best, pair] = [cosine, [i, j]];
    }
  }
  return { degrees: (Math.acos(Math.max(-1, Math.min(1, best))) * 180) / Math.PI, pair };
}

const LAST_SHARPNESS = 1e5;
const GROWTH = 1.6;

/** A descent that can be watched: each `step` moves all points a little, halving its stride where that did not help. */
export class Descent {
  rows: Float64Array[];
  sharpness: number;
  private stride = 0.1;
  private still = 0;

  constructor(rows: readonly Float64Array[], sharpness: number) {
    this.rows = rows.map((row) => row.slice());
    this.sharpness = sharpness;
  }

  get done(): boolean {
    return this.sharpness > LAST_SHARPNESS;
  }

  step(): void {
    if (this.done) return;
    const { value, gradient } = softMaximum(this.rows, this.sharpness);
    const moved = this.moved(gradient);
    const gained = value - softMaximum(moved, this.sharpness).value;
    if (gained > 0) {
      this.rows = moved;
      this.stride = Math.min(0.5, this.stride * 1.3);
      this.still = gained < 1e-7 ? this.still + 1 : 0;
    } else {
      this.stride *= 0.4;
      this.still += 1;
    }
    if (this.still >= 8) {
      this.sharpness *= GROWTH;
      this.still = 0;
      this.stride = Math.max(this.stride, 2 / this.sharpness);
    }
  }

  private moved(gradient: readonly Float64Array[]): Float64Array[] {
    return this.rows.map((row, i) => {
      const next = row.map((x, q) => x - this.stride * gradient[i]![q]!);
      const length = Math.sqrt(dot(next, next));
      return next.map((x) => x / length);
    });
  }
}
