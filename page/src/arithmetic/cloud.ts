// A cloud of points in three dimensions: turned by a hand, flattened to its widest plane, seen from the front.

export type Matrix3 = readonly [number, number, number, number, number, number, number, number, number]; // by rows

export const IDENTITY: Matrix3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export function multiply(a: Matrix3, b: Matrix3): Matrix3 {
  const out = new Array<number>(9);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) out[3 * i + j] = a[3 * i]! * b[j]! + a[3 * i + 1]! * b[3 + j]! + a[3 * i + 2]! * b[6 + j]!;
  return out as unknown as Matrix3;
}

/** A turn by `yaw` about the vertical axis, then by `pitch` about the horizontal one; radians. */
export function turn(yaw: number, pitch: number): Matrix3 {
  const [c, s, p, q] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return multiply([1, 0, 0, 0, p, -q, 0, q, p], [c, 0, s, 0, 1, 0, -s, 0, c]);
}

/** R·x for each point. */
export function rotated(points: readonly (readonly number[])[], r: Matrix3): [number, number, number][] {
  return points.map(([x = 0, y = 0, z = 0]) => [
    r[0] * x + r[1] * y + r[2] * z,
    r[3] * x + r[4] * y + r[5] * z,
    r[6] * x + r[7] * y + r[8] * z,
  ]);
}

/** The share of the whole variance that the view R keeps on the screen (its first two coordinates), where the points
 * are centred principal scores and `explained` their shares: Σ_c explained_c·(R_1c² + R_2c²), over three components. */
export function keptByView(explained: readonly number[], r: Matrix3): number {
  return explained.slice(0, 3).reduce((sum, share, c) => sum + share * (r[c]! ** 2 + r[3 + c]! ** 2), 0);
}
