// Seeded random numbers, so that the same seed draws the same picture.

/** Uniform numbers in [0, 1): mulberry32, 32 bits of state, enough for pictures. */
export function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Standard normal numbers from uniform ones (Box & Muller 1958). */
export function normal(draw: () => number): () => number {
  let kept: number | null = null;
  return () => {
    if (kept !== null) {
      const value = kept;
      kept = null;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - draw()));
    const angle = 2 * Math.PI * draw();
    kept = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** `size` directions in `dimension`, uniform on the sphere. */
export function randomCode(size: number, dimension: number, draw: () => number): Float64Array[] {
  const gauss = normal(draw);
  return Array.from({ length: size }, () => {
    const row = Float64Array.from({ length: dimension }, gauss);
    const length = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
    return row.map((x) => x / length);
  });
}
