// A fixed shuffled order of n points: the same for everyone, so that two people see the same sample while they drag.

/** A permutation of 0 … n−1 by Fisher–Yates with a fixed 32-bit generator (mulberry32, seed 0). */
export function shuffledOrder(n: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  let state = 0;
  for (let i = n - 1; i > 0; i--) {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    const j = Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * (i + 1));
    const swap = order[i] as number;
    order[i] = order[j] as number;
    order[j] = swap;
  }
  return order;
}
