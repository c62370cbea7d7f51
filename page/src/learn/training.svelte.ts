// The lesson's own word2vec in training: the same small text for the steps that watch it, a few sentences at a time.

import { cooccurrence, pmi, SkipGram } from '../arithmetic/skipgram';
import { principalComponents } from '../arithmetic/components';
import { cosine } from '../arithmetic/vectors';
import { kindWords, PATTERNS, textOf } from './corpus';

const DIMENSION = 12;
const WINDOW = 3;
const NEGATIVE = 4;
const TOTAL = 24_000; // sentences, the text forty times over
export const PLACES = 60; // of the slider

/** How many sentences are read at a place of the slider: few at first, when most happens. */
export const readAt = (place: number): number => Math.round(TOTAL * (place / PLACES) ** 2.5);

/** Everything a picture needs of one moment. */
export interface Moment {
  /** Sentences read. */
  read: number;
  xy: { word: string; kind: string; x: number; y: number }[];
  within: number;
  between: number;
}

/** A training that can be sought: going back begins anew from the same seed and runs up to there. */
export class Training {
  readonly text;
  readonly words;
  readonly kinds;
  private model: SkipGram;
  readonly expected: number[][];

  constructor(readonly language: 'en' | 'zh') {
    this.text = textOf(PATTERNS[language]);
    this.words = kindWords(PATTERNS[language], this.text);
    this.kinds = Object.keys(PATTERNS[language].kinds);
    this.model = this.fresh();
    const counted = pmi(cooccurrence(this.text, WINDOW));
    this.expected = counted.map((row) => row.map((value) => value - Math.log(NEGATIVE)));
  }

  private fresh(): SkipGram {
    return new SkipGram(this.text, DIMENSION, WINDOW, NEGATIVE, TOTAL, 7);
  }

  seek(sentences: number): void {
    if (sentences < this.model.done) this.model = this.fresh();
    this.model.read(sentences);
  }

  moment(): Moment {
    const rows = this.words.map(({ id }) => this.model.vectors[id]!);
    const { scores } = principalComponents(rows, 2);
    const size = Math.max(...scores.flat().map(Math.abs)) || 1;
    let [within, between, same, other] = [0, 0, 0, 0];
    rows.forEach((x, i) =>
      rows.slice(0, i).forEach((y, j) => {
        const value = cosine(x, y);
        if (this.words[i]!.kind === this.words[j]!.kind) [within, same] = [within + value, same + 1];
        else [between, other] = [between + value, other + 1];
      }),
    );
    const xy = this.words.map(({ word, kind }, i) => ({ word, kind, x: scores[i]![0]! / size, y: scores[i]![1]! / size }));
    return { read: this.model.done, xy, within: within / same, between: between / other };
  }

  /** w·c beside PMI − log k for every pair that meets, and the mean product of those that never do. */
  products(): { expected: number[]; product: number[]; never: number } {
    const [expected, product]: [number[], number[]] = [[], []];
    let [never, unseen] = [0, 0];
    this.expected.forEach((row, w) =>
      row.forEach((value, c) => {
        const found = this.model.vectors[w]!.reduce((sum, x, q) => sum + x * this.model.contexts[c]![q]!, 0);
        if (Number.isFinite(value)) {
          expected.push(value);
          product.push(found);
        } else [never, unseen] = [never + found, unseen + 1];
      }),
    );
    return { expected, product, never: never / (unseen || 1) };
  }
}
