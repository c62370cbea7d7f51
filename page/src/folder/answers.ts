// The questions of the page, answered by an exported folder: what was computed before is read, what can be computed
// from shipped rows is, and what needs the library says so.

import { Failure } from '../api/client';
import type { Task } from '../api/jobs';
import type { Pack } from '../api/pack';
import type { Card, Plan, TokenView } from '../api/types';
import type { Metrics } from '../api/words';
import { json, pack } from './files';
import { list } from './list';
import { analogy, similarity, wordView } from './questions';
import { someRows } from './rows';
import { vocabulary } from './vocabulary';

const LIVE = 'this needs the live page: armillary serve';

export async function getJson<T>(path: string): Promise<T> {
  const [name = '', search = ''] = path.split('?');
  const query = new URLSearchParams(search);
  if (name === 'search') return (await searched(query.get('q') ?? '')) as T;
  if (name.startsWith('token/')) return (await card(Number(name.slice(6)), Number(query.get('k') ?? 10))) as T;
  if (name === 'plan') return (await planned(Number(query.get('size')), Number(query.get('dimension')))) as T;
  if (name === 'list') return (await list(query)) as T;
  if (name === 'lens') return { ready: false, why: `an exported page holds no model; ${LIVE}` } as T;
  return json<T>(path);
}

export async function postJson<T>(path: string, body: unknown): Promise<T> {
  const asked = body as { ids?: number[]; words?: string[]; question?: string };
  const words = await vocabulary();
  if (path === 'tokens') return { tokens: (asked.ids ?? []).filter((id) => id >= 0 && id < words.size).map((id) => words.token(id)) } as T;
  if (path === 'words') return { words: (asked.words ?? []).map((text) => wordView(words, text)) } as T;
  if (path === 'similarity') return (await similarity(asked.words ?? [])) as T;
  if (path === 'analogy') return (await analogy(asked.question ?? '')) as T;
  throw new Failure(LIVE);
}

export async function postForPack(path: string, body: unknown): Promise<Pack> {
  if (path !== 'rows') throw new Failure(LIVE);
  return someRows((body as { ids: number[] }).ids);
}

/** The result of long work that was done before the export. */
export async function result<T>(kind: string, task: Task): Promise<T> {
  if (kind === 'space' || kind === 'scan') return null as T; // the raw space and its scan are what was exported
  if (kind === 'report') return json<T>('report');
  if (kind === 'repair') return json<T>(`repair?method=${task.method ?? ''}`);
  if (kind === 'metrics') return (await metrics(task.words?.[0] ?? '')) as T;
  throw new Failure(LIVE);
}

async function metrics(word: string): Promise<Metrics> {
  const found = await json<Metrics>('metrics');
  const near = Object.hasOwn(found.neighbors, word) ? found.neighbors[word] : undefined;
  if (!near) throw new Failure(`computed beforehand for ${Object.keys(found.neighbors).join(', ')}; another word needs the live page: armillary serve`);
  return { ...found, neighbors: { [word]: near }, word_overlap: { [word]: found.word_overlap[word] ?? {} } };
}

async function searched(text: string): Promise<{ tokens: TokenView[] }> {
  const words = await vocabulary();
  return { tokens: text ? words.search(text).map((id) => words.token(id)) : [] };
}

async function card(id: number, k: number): Promise<Card> {
  const [words, near, map] = await Promise.all([vocabulary(), pack('neighbours'), pack('map')]);
  if (!(id >= 0 && id < words.size)) throw new Failure(`expected an id from 0 to ${words.size - 1}, found ${id}`);
  const ids = near.arrays.ids as Int32Array;
  const width = near.shapes.values![1]!;
  const at = ids.indexOf(id);
  const norm = (near.arrays.norms as Float64Array)[id]!;
  const about = { token: words.token(id), norm: Number.isFinite(norm) ? norm : null, metric: 'cosine', space: 'raw', searched: ids.length };
  if (at < 0) return { ...about, shown: null, neighbours: null };
  const neighbours = Array.from({ length: Math.min(k, width) }, (_, rank) => ({
    ...words.token((near.arrays.neighbours as Int32Array)[at * width + rank]!),
    value: (near.arrays.values as Float64Array)[at * width + rank]!,
  }));
  return { ...about, shown: (map.arrays.shown as Float32Array)[at]!, neighbours };
}

/** The nearest point of the grid that was computed for the export, by ratio. */
async function planned(size: number, dimension: number): Promise<Plan> {
  const { plans } = await json<{ plans: Plan[] }>('plans');
  const off = (p: Plan): number => Math.abs(Math.log(p.size / size)) + Math.abs(Math.log(p.dimension / dimension));
  const best = plans.reduce((a, b) => (off(b) < off(a) ? b : a));
  return best;
}

