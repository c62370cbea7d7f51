import { expect, test } from 'vitest';
import { formatAddress, parseAddress } from '../src/state/address.svelte';
import { en } from '../src/text/en';
import { count, percent, short, tick } from '../src/text/numbers';
import { zh } from '../src/text/zh';

function leaves(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`));
}

test('both dictionaries have the same keys and no empty sentence', () => {
  const own = (d: typeof en): object => ({ ...d, report: {} }); // a report is English already: only Chinese brings words for it
  expect(leaves(own(zh))).toEqual(leaves(own(en)));
  const words = (d: object): string[] => Object.values(d).flatMap((v) => (typeof v === 'object' ? words(v) : [String(v)]));
  for (const sentence of [...words({ ...en, report: {}, words: { ...en.words, analogy: { ...en.words.analogy, roles: {} } }, isotropy: { ...en.isotropy, verdicts: {} } }), ...words({ ...zh, report: {}, words: { ...zh.words, analogy: { ...zh.words.analogy, roles: {} } }, isotropy: { ...zh.isotropy, verdicts: {} } })]) expect(sentence.trim()).not.toBe('');
});

test('numbers have three significant digits', () => {
  expect(short(0.20461)).toBe('0.205');
  expect(short(-12.345)).toBe('−12.3');
  expect(short(1234567)).toBe('1.23×10⁶');
  expect(short(0.0000939)).toBe('9.39×10⁻⁵');
  expect([1e8, 1.5e9].map(tick)).toEqual(['10⁸', '1.5×10⁹']);
  expect(count(262144)).toBe('262,144');
  expect(percent(0.999999)).toBe('99.9999 %');
  expect([0, 0.2, 0.05, 1, 40, 1500, 0.0004].map(tick)).toEqual(['0', '0.2', '0.05', '1', '40', '1,500', '0.0004']);
});

test('an address survives the way there and back', () => {
  const address = parseAddress('#/sphere?token=9615&colour=norm');
  expect(address).toEqual({ room: 'sphere', query: { token: '9615', colour: 'norm' } });
  expect(formatAddress(address)).toBe('#/sphere?colour=norm&token=9615');
  expect(parseAddress('#/nowhere').room).toBe('atlas');
});
