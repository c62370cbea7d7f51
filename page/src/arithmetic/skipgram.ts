// Skip-gram with negative sampling (Mikolov et al. 2013) on a text small enough for the page, and the pointwise mutual
// information it factorises (Levy & Goldberg 2014).

import { dot } from './vectors';
import { normal, uniform } from './random';

export interface Text {
  words: readonly string[];
  /** Sentences as word ids. */
  sentences: readonly (readonly number[])[];
}

/** #(w, c): how often c stands within `window` words of w in a sentence; V × V, symmetric. */
export function cooccurrence(text: Text, window: number): number[][] {
  const counts = text.words.map(() => text.words.map(() => 0));
  for (const sentence of text.sentences) {
    sentence.forEach((word, at) => {
      for (let other = Math.max(0, at - window); other <= Math.min(sentence.length - 1, at + window); other++) {
        if (other !== at) counts[word]![sentence[other]!]! += 1;
      }
    });
  }
  return counts;
}

/** P(c) ∝ #(c)^smoothing. */
export function contextShares(counts: readonly (readonly number[])[], smoothing: number): number[] {
  const weights = counts.map((_, c) => counts.reduce((sum, row) => sum + row[c]!, 0) ** smoothing);
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((w) => w / total);
}

/** PMI(w, c) = log #(w,c)/(#(w)·P(c)); −∞ where the two never stand together. */
export function pmi(counts: readonly (readonly number[])[], smoothing = 0.75): number[][] {
  const shares = contextShares(counts, smoothing);
  return counts.map((row) => {
    const own = row.reduce((a, b) => a + b, 0);
    return row.map((count, c) => Math.log(count) - Math.log(own) - Math.log(shares[c]!));
  });
}

const FIRST_RATE = 0.08;
const LEAST_SHARE = 0.002; // of the first rate, at the end
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Word and context vectors in training; small random words and zero contexts at the start, as word2vec begins. The rate
 * falls in a straight line while `total` sentences are read, the text from its start again and again. */
export class SkipGram {
  readonly vectors: Float64Array[];
  readonly contexts: Float64Array[];
  /** Sentences read so far. */
  done = 0;
  private readonly random: () => number;
  private readonly table: number[];
  private rate = FIRST_RATE;

  constructor(
    readonly text: Text,
    readonly dimension: number,
    readonly window: number,
    readonly negative: number,
    readonly total: number,
    seed: number,
  ) {
    this.random = uniform(seed);
    const gauss = normal(this.random);
    this.vectors = text.words.map(() => Float64Array.from({ length: dimension }, () => gauss() / dimension));
    this.contexts = text.words.map(() => new Float64Array(dimension));
    const shares = contextShares(cooccurrence(text, window), 0.75);
    let sum = 0;
    this.table = shares.map((share) => (sum += share));
  }

  /** Reads on up to so many sentences in all: for every pair within the window one step towards it, and away from k drawn
   * contexts. */
  read(until: number): void {
    while (this.done < Math.min(until, this.total)) {
      const sentence = this.text.sentences[this.done % this.text.sentences.length]!;
      this.rate = FIRST_RATE * Math.max(LEAST_SHARE, 1 - this.done / this.total);
      sentence.forEach((word, at) => {
        for (let other = Math.max(0, at - this.window); other <= Math.min(sentence.length - 1, at + this.window); other++) {
          if (other !== at) this.pair(word, sentence[other]!);
        }
      });
      this.done += 1;
    }
  }

  private pair(word: number, context: number): void {
    const vector = this.vectors[word]!;
    const moved = new Float64Array(this.dimension);
    for (let k = 0; k <= this.negative; k++) {
      const target = k === 0 ? context : this.drawn();
      const other = this.contexts[target]!;
      const pull = this.rate * ((k === 0 ? 1 : 0) - sigmoid(dot(vector, other)));
      for (let q = 0; q < this.dimension; q++) {
        moved[q]! += pull * other[q]!;
        other[q]! += pull * vector[q]!;
      }
    }
    for (let q = 0; q < this.dimension; q++) vector[q]! += moved[q]!;
  }

  private drawn(): number {
    const at = this.random();
    const found = this.table.findIndex((sum) => at < sum);
    return found < 0 ? this.table.length - 1 : found;
  }
}

/** Slope, intercept and correlation of y on x by least squares. */
export function line(x: readonly number[], y: readonly number[]): { slope: number; intercept: number; correlation: number } {
  const mean = (v: readonly number[]): number => v.reduce((a, b) => a + b, 0) / v.length;
  const [mx, my] = [mean(x), mean(y)];
  let [xx, xy, yy] = [0, 0, 0];
  x.forEach((value, i) => {
    const [dx, dy] = [value - mx, y[i]! - my];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  });
  return { slope: xy / xx, intercept: my - (xy / xx) * mx, correlation: xy / Math.sqrt(xx * yy) };
}
