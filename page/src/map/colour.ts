// Colours of points. Quantities run along one scale from grey to brass; categories take the Okabe–Ito palette, which
// people with any common colour vision can tell apart.

export const OKABE_ITO = ['#E69F00', '#56B4E9', '#009E73', '#F0E442', '#0072B2', '#D55E00', '#CC79A7', '#999999'] as const;

type Rgb = readonly [number, number, number];

export function rgb(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** RGBA of each point in `order`: categories by index into the palette. */
export function categoryColours(codes: ArrayLike<number>, order: Uint32Array, alpha: number): Uint8Array {
  const palette = OKABE_ITO.map(rgb);
  return fill(order, alpha, (i) => palette[(codes[i] as number) % palette.length] as Rgb);
}

/** RGBA of each point: a quantity between its 1st and 99th percentile, from `low` to `high`; NaN in `low`. */
export function quantityColours(values: ArrayLike<number>, order: Uint32Array, low: string, high: string, alpha: number): Uint8Array {
  const finite = Float64Array.from(values).filter(Number.isFinite).sort();
  const from = finite[Math.floor(finite.length * 0.01)] ?? 0;
  const to = finite[Math.floor(finite.length * 0.99)] ?? 1;
  const [a, b] = [rgb(low), rgb(high)];
  return fill(order, alpha, (i) => {
    const raw = ((values[i] as number) - from) / (to - from || 1);
    const share = Number.isFinite(raw) ? Math.max(0, Math.min(1, raw)) : 0;
    return [0, 1, 2].map((c) => Math.round(a[c]! + (b[c]! - a[c]!) * share)) as unknown as Rgb;
  });
}

/** RGBA of one colour for all. */
export function plainColours(n: number, colour: string, alpha: number): Uint8Array {
  const [r, g, b] = rgb(colour);
  const out = new Uint8Array(4 * n);
  for (let i = 0; i < n; i++) out.set([r, g, b, alpha], 4 * i);
  return out;
}

function fill(order: Uint32Array, alpha: number, colour: (i: number) => Rgb): Uint8Array {
  const out = new Uint8Array(4 * order.length);
  order.forEach((i, place) => {
    const [r, g, b] = colour(i);
    out.set([r, g, b, alpha], 4 * place);
  });
  return out;
}
