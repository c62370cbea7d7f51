// Bulk data travels as one packed body: "ARM1", the header's length (u32, little-endian), a JSON header, then each
// array at an offset that is a multiple of 8. The header lists name, dtype, shape and offset; other keys are facts.

export type PackedArray = Float32Array | Float64Array | Int32Array | Uint8Array | Int8Array | Uint32Array;

const TYPES = {
  f4: Float32Array,
  f8: Float64Array,
  i4: Int32Array,
  u4: Uint32Array,
  u1: Uint8Array,
  i1: Int8Array,
} as const;

interface Entry {
  name: string;
  dtype: keyof typeof TYPES;
  shape: number[];
  offset: number;
}

export interface Pack {
  facts: Record<string, unknown>;
  arrays: Record<string, PackedArray>;
  shapes: Record<string, number[]>;
}

/** Unpacks a body; throws when its magic or lengths are wrong. The arrays are views: nothing is copied. */
export function unpack(body: ArrayBuffer): Pack {
  const view = new DataView(body);
  if (body.byteLength < 8 || view.getUint32(0, false) !== 0x41524d31) throw new Error('not a packed body');
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 8, length))) as {
    arrays: Entry[];
    facts: Record<string, unknown>;
  };
  const start = Math.ceil((8 + length) / 8) * 8;
  const pack: Pack = { facts: header.facts, arrays: {}, shapes: {} };
  for (const { name, dtype, shape, offset } of header.arrays) {
    const count = shape.reduce((a, b) => a * b, 1);
    pack.arrays[name] = new TYPES[dtype](body, start + offset, count);
    pack.shapes[name] = shape;
  }
  return pack;
}
