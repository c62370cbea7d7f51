import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { angleDensity, logCapacity, logTail, welch } from '../src/arithmetic/capacity';
import { BEST_ANGLES, Descent, smallestAngle, softMaximum } from '../src/arithmetic/packing';
import { randomCode, uniform } from '../src/arithmetic/random';
import { contextShares, cooccurrence, line, pmi, SkipGram } from '../src/arithmetic/skipgram';
import { dimensionality, draw, toyLoss } from '../src/arithmetic/superposition';
import { dot } from '../src/arithmetic/vectors';
import { kindWords, PATTERNS, textOf } from '../src/learn/corpus';
import { STEP_IDS } from '../src/learn/names';
import { byKey, toPicture } from '../src/learn/plane';
import { LESSONS } from '../src/text/lesson';

const FIXTURES = process.env.ARMILLARY_FIXTURES;

interface Fixtures {
  tail: [number, number, number][];
  capacity: [number, number, number][];
  welch: [number, number, number][];
  energy: { rows: number[][]; sharpness: number; value: number; gradient: number[][] };
  best_angles: Record<string, number>;
  toy: { features: number; dimensions: number; weights: number[]; biases: number[]; batch: number[]; loss: number; weight_gradient: number[]; bias_gradient: number[]; dimensionality: number[] };
  pmi: { counts: number[][]; shares: number[]; values: (number | null)[][] };
}

// The library writes these while `make page-test` runs; without it there is nothing to compare with.
describe.skipIf(!FIXTURES)('against fixtures that the library wrote', () => {
  const known = JSON.parse(FIXTURES ? readFileSync(FIXTURES, 'utf-8') : '{}') as Fixtures;
  const all = (found: readonly number[], expected: readonly number[], digits: number): void => {
    expect(found.length).toBe(expected.length);
    found.forEach((value, i) => expect(value).toBeCloseTo(expected[i]!, digits));
  };

  test('tails, capacities and Welch’s bound', () => {
    for (const [m, d, value] of known.tail) expect(logTail(m, d) / value).toBeCloseTo(1, 10);
    for (const [d, epsilon, value] of known.capacity) expect(logCapacity(d, epsilon) / value).toBeCloseTo(1, 10);
    for (const [v, d, value] of known.welch) expect(welch(v, d)).toBeCloseTo(value, 14);
  });

  test('the energy of a packing, its gradient, and the best angles known', () => {
    const { rows, sharpness, value, gradient } = known.energy;
    const found = softMaximum(rows.map((row) => Float64Array.from(row)), sharpness);
    expect(found.value).toBeCloseTo(value, 12);
    found.gradient.forEach((row, i) => all([...row], gradient[i]!, 12));
    for (const [n, angle] of Object.entries(BEST_ANGLES)) expect(angle).toBe(known.best_angles[n]);
  });

  test('the loss of the toy model, its gradients, and the share of a dimension', () => {
    const { features, dimensions, weights, biases, batch } = known.toy;
    const toy = { features, dimensions, weights: Float64Array.from(weights), biases: Float64Array.from(biases) };
    const found = toyLoss(toy, Float64Array.from(batch));
    expect(found.loss).toBeCloseTo(known.toy.loss, 12);
    all([...found.weights], known.toy.weight_gradient, 12);
    all([...found.biases], known.toy.bias_gradient, 12);
    all(dimensionality(toy), known.toy.dimensionality, 12);
  });

  test('pointwise mutual information of a table of counts', () => {
    all(contextShares(known.pmi.counts, 0.75), known.pmi.shares, 14);
    pmi(known.pmi.counts).forEach((row, w) =>
      row.forEach((value, c) => {
        const expected = known.pmi.values[w]![c];
        if (expected == null) expect(value).toBe(-Infinity);
        else expect(value).toBeCloseTo(expected, 12);
      }),
    );
  });
});

test('two random directions in three dimensions have a uniform cosine, so the tail is 1 − m', () => {
  for (const m of [0.1, 0.5, 0.9]) expect(Math.exp(logTail(m, 3))).toBeCloseTo(1 - m, 12);
});

test('the density of the angle integrates to 1 in every dimension', () => {
  for (const d of [2, 3, 16, 256]) {
    let sum = 0;
    for (let degrees = 0.05; degrees < 180; degrees += 0.1) sum += 0.1 * angleDensity(degrees, d);
    expect(sum).toBeCloseTo(1, 6);
  }
});

test('descent from random points reaches the octahedron and the tetrahedron', () => {
  for (const [n, angle] of [[6, 90], [4, 109.4712206]] as const) {
    const descent = new Descent(randomCode(n, 3, uniform(5)), 30);
    for (let k = 0; k < 20_000 && !descent.done; k++) descent.step();
    expect(smallestAngle(descent.rows).degrees).toBeCloseTo(angle, 2);
  }
});

test('features keep the company that was asked for, each as often', () => {
  const [size, p] = [40_000, 0.1];
  for (const [company, both] of [['independent', p * p], ['together', p], ['apart', 0]] as const) {
    const batch = draw(size, 3, p, company, uniform(2));
    let [first, met] = [0, 0];
    for (let s = 0; s < size; s++) {
      if (batch[3 * s]!) first += 1;
      if (batch[3 * s]! && batch[3 * s + 1]!) met += 1;
    }
    expect(Math.abs(first / size - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / size));
    expect(Math.abs(met / size - both)).toBeLessThanOrEqual(5 * Math.sqrt((both * (1 - both)) / size));
  }
});

test('co-occurrence counts every pair within the window, both ways', () => {
  const text = { words: ['a', 'b', 'c', 'd'], sentences: [[0, 1, 2, 3], [0, 1]] };
  expect(cooccurrence(text, 2)).toEqual([
    [0, 2, 1, 0],
    [2, 0, 1, 1],
    [1, 1, 0, 1],
    [0, 1, 1, 0],
  ]);
});

test.each(['en', 'zh'] as const)(
  'skip-gram on the lesson’s text parts the kinds and follows PMI, %s',
  (language) => {
    const text = textOf(PATTERNS[language]);
    const model = new SkipGram(text, 12, 3, 4, 24_000, 7);
    model.read(24_000);
    const [x, y]: [number[], number[]] = [[], []];
    pmi(cooccurrence(text, 3)).forEach((row, w) =>
      row.forEach((value, c) => {
        if (!Number.isFinite(value)) return;
        x.push(value - Math.log(4));
        y.push(dot(model.vectors[w]!, model.contexts[c]!));
      }),
    );
    const { slope, correlation } = line(x, y);
    expect(correlation).toBeGreaterThan(0.95); // Levy & Goldberg: w·c = PMI − log k, so both are 1 at the optimum
    expect(Math.abs(slope - 1)).toBeLessThan(0.1);
    const words = kindWords(PATTERNS[language], text);
    const nearest = words.filter(({ id, kind }) => {
      const others = words.filter((w) => w.id !== id);
      const unit = (v: Float64Array): number => Math.sqrt(dot(v, v));
      const value = (w: (typeof words)[0]): number => dot(model.vectors[id]!, model.vectors[w.id]!) / unit(model.vectors[w.id]!);
      return others.reduce((a, b) => (value(b) > value(a) ? b : a)).kind === kind;
    });
    expect(nearest.length).toBe(words.length); // every word's nearest is of its kind
  },
  60_000,
);

test('a line through points on a line', () => {
  expect(line([0, 1, 2], [1, 3, 5])).toEqual({ slope: 2, intercept: 1, correlation: 1 });
});

test('arrow keys move a point by the grid, and never out of the picture', () => {
  const key = (name: string, shiftKey = false): KeyboardEvent => new KeyboardEvent('keydown', { key: name, shiftKey });
  expect(byKey(key('ArrowUp'), { x: 3, y: 4 }, 8, 0.25)).toEqual({ x: 3, y: 4.25 });
  expect(byKey(key('ArrowLeft', true), { x: 3, y: 4 }, 8, 0.25)).toEqual({ x: 1.75, y: 4 });
  expect(byKey(key('ArrowRight'), { x: 8, y: 0 }, 8, 0.25)).toEqual({ x: 8, y: 0 });
  expect(byKey(key('a'), { x: 0, y: 0 }, 8, 0.25)).toBeNull();
  expect(toPicture({ x: 0, y: 0 }, 8)).toEqual({ x: 200, y: 200 });
});

/** The shape of a dictionary: its keys and what stands there; lists of one length, functions of as many arguments. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'function') return 'sentence';
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
}

describe('the lesson’s two languages', () => {
  test('have the same sentences for every step, options and explanations included', () => {
    const paragraphs = (d: typeof LESSONS.en): unknown =>
      Object.fromEntries(Object.entries(d.steps).map(([id, s]) => [id, { options: s.options.length, curious: s.curious.length, live: shape(s.live) }]));
    expect(paragraphs(LESSONS.zh)).toEqual(paragraphs(LESSONS.en));
    expect(Object.keys(LESSONS.en.steps)).toEqual([...STEP_IDS]);
    expect(shape(LESSONS.zh.frame)).toEqual(shape(LESSONS.en.frame));
  });

  test('say a step in under 120 words, and in Chinese in under 220 characters', () => {
    for (const [id, { words }] of Object.entries(LESSONS.en.steps)) {
      expect(words.join(' ').split(/\s+/).length, id).toBeLessThan(120);
    }
    for (const [id, { words }] of Object.entries(LESSONS.zh.steps)) expect(words.join('').length, id).toBeLessThan(220);
  });

  test('leave nothing unsaid', () => {
    for (const { steps } of [LESSONS.en, LESSONS.zh]) {
      for (const [id, said] of Object.entries(steps)) {
        expect(said.title.trim(), id).not.toBe('');
        if (id !== 'references') expect([said.ask.trim(), said.means.trim()], id).not.toContain('');
      }
    }
  });
});
