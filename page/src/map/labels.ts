// Which points are named at a zoom: in a fixed order, each where no earlier name stands.

/** Positions of at most `most` points inside the frame whose names (`w` × `h` pixels) do not cover one another. */
export function placed(
  order: ArrayLike<number>,
  at: (position: number) => readonly [number, number],
  frame: { width: number; height: number },
  most: number,
  [w, h]: readonly [number, number] = [72, 16],
): number[] {
  const taken = new Set<string>();
  const kept: number[] = [];
  for (let i = 0; i < order.length && kept.length < most; i++) {
    const [x, y] = at(order[i]!);
    if (x < 4 || y < h || x > frame.width - w || y > frame.height - 4) continue;
    const [column, row] = [Math.floor(x / w), Math.floor(y / h)];
    const near = [-1, 0, 1].some((c) => [-1, 0, 1].some((r) => taken.has(`${column + c},${row + r}`)));
    if (near) continue;
    taken.add(`${column},${row}`);
    kept.push(order[i]!);
  }
  return kept;
}
