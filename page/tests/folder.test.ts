import { expect, test } from 'vitest';
import { IDENTITY, keptByView, multiply, rotated, turn } from '../src/arithmetic/cloud';
import { fileName } from '../src/folder/files';
import { wishes } from '../src/folder/list';
import { percentileOf, rankOf, terms } from '../src/folder/questions';
import { RoundedRows } from '../src/folder/rows';
import { hexOf, Vocabulary } from '../src/folder/vocabulary';
import { placed } from '../src/map/labels';
import { expression } from '../src/rooms/health/filter';

test('a turned view keeps what its rotation says', () => {
  expect(keptByView([0.5, 0.3, 0.2], IDENTITY)).toBeCloseTo(0.8, 12);
  expect(keptByView([0.5, 0.3, 0.2], turn(Math.PI / 2, 0))).toBeCloseTo(0.5, 12); // the third component for the first
  expect(keptByView([0.5, 0.3, 0.2], turn(0, Math.PI / 2))).toBeCloseTo(0.7, 12);
  const back = multiply(turn(-0.4, 0), turn(0.4, 0));
  back.forEach((value, i) => expect(value).toBeCloseTo(IDENTITY[i]!, 12));
  expect(rotated([[1, 0, 0]], turn(Math.PI / 2, 0))[0]![2]).toBeCloseTo(-1, 12);
});

test('questions find their files', () => {
  expect(fileName('ladder?language=en')).toBe('data/ladder-language-en');
  expect(fileName('lesson/en/arrows')).toBe('data/lesson/en/arrows');
});

test('sums and proportions of words', () => {
  expect(terms('king - man + woman')).toEqual({ terms: [['king', 1], ['man', -1], ['woman', 1]], base: 'king' });
  expect(terms('国王−男人＋女人'.replace('＋', '+'))).toEqual({ terms: [['国王', 1], ['男人', -1], ['女人', 1]], base: '国王' });
  expect(terms('man : king :: woman : ?')).toEqual({ terms: [['king', 1], ['man', -1], ['woman', 1]], base: 'woman' });
  expect(() => terms('- man')).toThrow('expected a sum of words');
});

test('ranks and percentiles', () => {
  expect(rankOf([0.5, 0.9, 0.5, 0.1], 2, new Set())).toBe(3); // a tie goes to the lower id
  expect(rankOf([0.5, 0.9, 0.5, 0.1], 2, new Set([1]))).toBe(2);
  expect(percentileOf([-1, 0, 0.5, 1], 0.4)).toBe(50);
});

test('a filter is text, never code', () => {
  const filter = { kind: 'normal', text: "it's", sort: 'norm', extra: '' } as const;
  expect(expression(filter)).toBe("norm IS NOT NULL AND kind = 'normal' AND contains(text, 'it''s')");
  expect(wishes(expression(filter))).toEqual({ kind: 'normal', text: "it's" });
});

test('rounded rows give cosines, and none to a row without a direction', () => {
  const rows = new RoundedRows(Int8Array.from([3, 4, 4, 3, 0, 0]), Float32Array.from([1, 2, 0]), 2);
  const found = rows.cosines([3, 4]);
  expect(found[0]).toBeCloseTo(1, 12);
  expect(found[1]).toBeCloseTo(0.96, 12);
  expect(found[2]).toBe(-2);
  expect([...rows.row(1)]).toEqual([8, 6]);
});

test('a vocabulary is searched by text, id and bytes, the leading space first', () => {
  const texts = ['king', '▁king', '▁kings', '<script>', '\\xE4\\xBA'];
  const bytes = ['6b696e67', '206b696e67', '206b696e6773', hexOf('<script>'), 'e4ba'];
  const words = new Vocabulary({ text: texts, name: texts, bytes, kind: texts.map(() => 'normal') });
  expect(words.find('king')).toEqual([1, 0]);
  expect(words.search('king')).toEqual([1, 0, 2]);
  expect(words.search('3')).toEqual([3]);
  expect(words.search('\\xE4\\xBA')).toEqual([4]);
  expect(words.word('#2')).toBe(2);
  expect(words.word('queen')).toBeNull();
});

test('names are placed where no other stands', () => {
  const at = [[100, 100], [110, 104], [300, 100]] as const;
  expect(placed([0, 1, 2], (i) => at[i]!, { width: 600, height: 400 }, 10)).toEqual([0, 2]);
  expect(placed([1, 0, 2], (i) => at[i]!, { width: 600, height: 400 }, 1)).toEqual([1]);
});
