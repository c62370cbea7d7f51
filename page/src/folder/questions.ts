// Free questions about words in an exported folder, from rows rounded to eight bits; each answer says that it is.

import { Failure } from '../api/client';
import { cosine, dot, topK } from '../arithmetic/vectors';
import type { AnalogyAnswer, Entry, Similarity, WordView } from '../api/words';
import { pack, json } from './files';
import { roundedRows } from './rows';
import { vocabulary, type Vocabulary } from './vocabulary';

interface Background {
  mean: number;
  sd: number;
  pairs: number;
  kind: 'exact' | 'estimate';
  /** Cosines that i/1000 of the random pairs lie at or below. */
  quantiles: number[];
}

export function wordView(words: Vocabulary, text: string): (WordView & { id: number }) | null {
  const id = words.word(text);
  return id === null ? null : { text, id, ids: [id], tokens: [words.token(id).text], norm: NaN, note: '' };
}

function known(words: Vocabulary, text: string): WordView & { id: number } {
  const found = wordView(words, text);
  if (!found) throw new Failure(`“${text}” is no single token of this table; the live page (armillary serve) can put it together from several`);
  return found;
}

/** Per cent of random pairs below a cosine. */
export function percentileOf(quantiles: readonly number[], value: number): number {
  let [low, high] = [0, quantiles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (quantiles[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return (100 * low) / quantiles.length;
}

export async function similarity(texts: readonly string[]): Promise<Similarity> {
  if (texts.length < 2) throw new Failure(`expected at least two words, found ${texts.length}`);
  const [words, rows, background, near] = await Promise.all([vocabulary(), roundedRows(), json<Background>('background'), pack('neighbours')]);
  const found = texts.map((text) => known(words, text));
  const vectors = found.map((w) => rows.row(w.id));
  const k = near.shapes.values![1]!;
  const place = new Map([...(near.arrays.ids as Int32Array)].map((id, at) => [id, at]));
  const crowd = found.map((w) => {
    const at = place.get(w.id);
    if (at === undefined) return NaN;
    const values = (near.arrays.values as Float64Array).subarray(at * k, (at + 1) * k);
    return values.reduce((a, b) => a + b, 0) / values.length;
  });
  const pairs = found.flatMap((a, i) =>
    found.slice(i + 1).map((b, step) => {
      const j = i + 1 + step;
      const [x, y] = [vectors[i]!, vectors[j]!];
      const value = cosine(x, y);
      const apart = Math.sqrt(Math.max(0, dot(x, x) + dot(y, y) - 2 * dot(x, y)));
      const csls = 2 * value - crowd[i]! - crowd[j]!;
      return {
        a: a.text,
        b: b.text,
        cosine: value,
        percentile: percentileOf(background.quantiles, value),
        percentile_error: null,
        z: (value - background.mean) / background.sd,
        csls: Number.isFinite(csls) ? csls : null,
        dot: dot(x, y),
        euclidean: apart,
      };
    }),
  );
  return { words: found, pairs, background, rows: rows.size, rounded: true };
}

/** The terms of a sum of words, or of a : b :: c : ?, with the word whose neighbours are the baseline. */
export function terms(question: string): { terms: [string, number][]; base: string } {
  const proportion = question.match(/^\s*(\S+)\s*:\s*(\S+)\s*::\s*(\S+)\s*(?::\s*\?)?\s*$/);
  if (proportion) {
    const [, a, b, c] = proportion as unknown as [string, string, string, string];
    return { terms: [[b, 1], [a, -1], [c, 1]], base: c };
  }
  const found: [string, number][] = [];
  let sign = 1;
  for (const piece of question.replace(/([+−–-])/g, ' $1 ').split(/\s+/).filter(Boolean)) {
    if (piece === '+') sign = 1;
    else if (/^[−–-]$/.test(piece)) sign = -1;
    else {
      found.push([piece, sign]);
      sign = 1;
    }
  }
  const base = found.find(([, s]) => s > 0)?.[0];
  if (!base) throw new Failure('expected a sum of words such as king - man + woman');
  return { terms: found, base };
}

export async function analogy(question: string): Promise<AnalogyAnswer> {
  const [words, rows] = await Promise.all([vocabulary(), roundedRows()]);
  const { terms: asked, base } = terms(question);
  const found = asked.map(([text]) => known(words, text));
  const target = new Float64Array(rows.width);
  asked.forEach(([, sign], i) => {
    const row = rows.row(found[i]!.id);
    const length = Math.sqrt(dot(row, row));
    for (let c = 0; c < rows.width; c++) target[c]! += (sign * row[c]!) / length;
  });
  const values = rows.cosines(target);
  const inputs = new Set(found.map((w) => w.id));
  const variants = variantsOf(words, inputs);
  const out = new Set([...inputs, ...variants]);
  const entries = (ids: number[]): Entry[] =>
    ids.map((id, i) => ({ rank: i + 1, id, text: words.token(id).text, score: values[id]!, role: inputs.has(id) ? 'input' : variants.has(id) ? 'variant' : '' }));
  const removed = entries(topK(values, 10, out));
  const answer = removed[0];
  if (!answer) throw new Failure('expected rows besides the inputs to answer with, found none');
  const baseId = found[asked.findIndex(([text]) => text === base)]!.id;
  const near = rows.cosines(rows.row(baseId));
  const ranks = {
    kept: rankOf(values, answer.id, new Set()),
    removed: rankOf(values, answer.id, inputs),
    variants_removed: rankOf(values, answer.id, out),
    baseline: rankOf(near, answer.id, new Set([baseId])),
  };
  return {
    expression: question, base, words: found, method: '3CosAdd', rows: rows.size, kept: entries(topK(values, 10)), removed,
    answer: { ...answer, rank: ranks.removed }, ranks, parallelism: null, null: null, rounded: true,
  };
}

/** 1 + how many rows come before one: larger, or equal with a lower id. */
export function rankOf(values: ArrayLike<number>, goal: number, skip: ReadonlySet<number>): number {
  let rank = 1;
  for (let id = 0; id < values.length; id++) {
    if (id === goal || skip.has(id)) continue;
    if (values[id]! > values[goal]! || (values[id] === values[goal] && id < goal)) rank++;
  }
  return rank;
}

/** Other tokens that spell an input but for case and leading space. */
function variantsOf(words: Vocabulary, inputs: ReadonlySet<number>): Set<number> {
  const plain = (id: number): string => words.token(id).text.replaceAll('▁', ' ').trim().toLowerCase();
  const wanted = new Set([...inputs].map(plain));
  const found = new Set<number>();
  for (let id = 0; id < words.size; id++) if (!inputs.has(id) && wanted.has(plain(id))) found.add(id);
  return found;
}
