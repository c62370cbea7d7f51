// The page's own small arithmetic, in float64, tested against fixtures that the library wrote. Everything larger is
// computed by the library and shown as it comes.

export type Vector = ArrayLike<number>;

/** x · y. */
export function dot(x: Vector, y: Vector): number {
  let sum = 0;
  for (let q = 0; q < x.length; q++) sum += (x[q] as number) * (y[q] as number);
  return sum;
}

/** ‖x‖. */
export function norm(x: Vector): number {
  return Math.sqrt(dot(x, x));
}

/** x · y / √(x·x · y·y), in [−1, 1]; NaN where a vector is zero. */
export function cosine(x: Vector, y: Vector): number {
  return Math.max(-1, Math.min(1, dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y))));
}

/** The k largest of `values` by (value descending, index ascending), indices in `skip` left out. */
export function topK(values: Vector, k: number, skip: ReadonlySet<number> = new Set()): number[] {
  const order: number[] = [];
  for (let i = 0; i < values.length; i++) if (!skip.has(i)) order.push(i);
  order.sort((a, b) => (values[b] as number) - (values[a] as number) || a - b);
  return order.slice(0, k);
}
