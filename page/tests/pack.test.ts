import { expect, test } from 'vitest';
import { unpack } from '../src/api/pack';

function packed(header: object, body: Uint8Array): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = Math.ceil((8 + text.length) / 8) * 8;
  const out = new Uint8Array(start + body.length);
  out.set(new TextEncoder().encode('ARM1'));
  new DataView(out.buffer).setUint32(4, text.length, true);
  out.set(text, 8);
  out.set(body, start);
  return out.buffer;
}

test('a packed body comes back as views with their facts', () => {
  const values = new Float32Array([1.5, -2, 3]);
  const pack = unpack(
    packed(
      { facts: { rows: 3 }, arrays: [{ name: 'x', dtype: 'f4', shape: [3], offset: 0 }] },
      new Uint8Array(values.buffer),
    ),
  );
  expect(pack.facts.rows).toBe(3);
  expect([...pack.arrays.x!]).toEqual([1.5, -2, 3]);
});

test('another body is refused', () => {
  expect(() => unpack(new TextEncoder().encode('<html>....').buffer as ArrayBuffer)).toThrow('not a packed body');
});
