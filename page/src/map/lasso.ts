// Which points lie inside a hand-drawn loop.

/** Positions of the points (2 coordinates each) inside a polygon, by the even–odd rule. */
export function inside(polygon: readonly (readonly [number, number])[], xy: Float32Array): number[] {
  const found: number[] = [];
  for (let i = 0; i < xy.length / 2; i++) if (contains(polygon, xy[2 * i]!, xy[2 * i + 1]!)) found.push(i);
  return found;
}

function contains(polygon: readonly (readonly [number, number])[], x: number, y: number): boolean {
  let odd = false;
  for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a++) {
    const [ax, ay] = polygon[a]!;
    const [bx, by] = polygon[b]!;
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
  }
  return odd;
}
