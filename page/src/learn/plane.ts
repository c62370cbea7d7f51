// A plane drawn in SVG: where a point of the plane lies on the picture, and back. One unit of the picture is one pixel of
// a 400 × 400 drawing; the y axis points up.

export const SIDE = 400;

export interface Point {
  x: number;
  y: number;
}

/** The picture's place of a point, where ±extent are the edges. */
export function toPicture(point: Point, extent: number): Point {
  const scale = SIDE / (2 * extent);
  return { x: SIDE / 2 + point.x * scale, y: SIDE / 2 - point.y * scale };
}

/** The point under a pointer, rounded to `grid` and kept inside the picture. */
export function underPointer(event: PointerEvent, picture: SVGSVGElement, extent: number, grid: number): Point {
  const box = picture.getBoundingClientRect();
  const along = (share: number): number => (share - 0.5) * 2 * extent;
  const point = { x: along((event.clientX - box.left) / box.width), y: -along((event.clientY - box.top) / box.height) };
  return snapped(point, extent, grid);
}

/** Where an arrow key moves a point; null for another key. */
export function byKey(event: KeyboardEvent, point: Point, extent: number, grid: number): Point | null {
  const far = event.shiftKey ? 5 : 1;
  const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (!move) return null;
  return snapped({ x: point.x + move[0]! * grid * far, y: point.y + move[1]! * grid * far }, extent, grid);
}

function snapped(point: Point, extent: number, grid: number): Point {
  const limit = Math.floor(extent / grid) * grid;
  const one = (value: number): number => {
    const near = Math.round(value / grid) * grid;
    return Number(Math.max(-limit, Math.min(limit, near)).toFixed(6));
  };
  return { x: one(point.x), y: one(point.y) };
}
