import { expect, test } from 'vitest';
import { principalComponents, symmetricEigen } from '../src/arithmetic/components';
import { cosine, dot, norm, topK } from '../src/arithmetic/vectors';

test('the lesson’s two arrows: (3, 4) and (4, 3)', () => {
  expect(dot([3, 4], [4, 3])).toBe(24);
  expect(norm([3, 4])).toBe(5);
  expect(norm([4, 3])).toBe(5);
  expect(cosine([3, 4], [4, 3])).toBe(0.96);
});

test('ties in a top-k go to the lower index, skipped rows stay out', () => {
  expect(topK([0.5, 0.9, 0.5, 0.9], 3)).toEqual([1, 3, 0]);
  expect(topK([0.5, 0.9, 0.5, 0.9], 3, new Set([1]))).toEqual([3, 0, 2]);
});

test('eigenvalues of a matrix with a known spectrum', () => {
  const { values } = symmetricEigen([
    [2, 1, 0],
    [1, 2, 1],
    [0, 1, 2],
  ]);
  const expected = [2 - Math.SQRT2, 2, 2 + Math.SQRT2];
  [...values].sort((a, b) => a - b).forEach((v, i) => expect(v).toBeCloseTo(expected[i]!, 12));
});

test('components of points on a line and across it', () => {
  const rows = [
    [1, 1, 7],
    [3, 3, 7],
    [2, 2, 8],
    [2, 2, 6],
  ];
  const { scores, explained } = principalComponents(rows, 2); // variances 4 and 2 along (1,1,0)/√2 and (0,0,1)
  expect(explained[0]).toBeCloseTo(4 / 6, 12);
  expect(explained[1]).toBeCloseTo(2 / 6, 12);
  expect(Math.abs(scores[0]![0]!)).toBeCloseTo(Math.SQRT2, 12);
  expect(scores[2]![0]!).toBeCloseTo(0, 12);
});
