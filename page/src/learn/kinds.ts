// Colours for kinds of words: Okabe & Ito's, which people of any colour vision tell apart, each with a shape of its own
// in the legend's order.

export const KIND_COLOURS = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#D55E00', '#56B4E9'] as const;

export function colourOf(kind: string, kinds: readonly string[]): string {
  return KIND_COLOURS[Math.max(0, kinds.indexOf(kind)) % KIND_COLOURS.length]!;
}
