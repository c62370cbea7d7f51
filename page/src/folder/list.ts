// Every row of an exported folder, filtered and sorted in the page: the same questions that the live server takes.

import type { TokenList, TokenRow } from '../api/types';
import { pack } from './files';
import { vocabulary } from './vocabulary';

/** Reads the few expressions that the page itself composes (rooms/health/filter.ts). */
export function wishes(where: string): { kind: string; text: string } {
  const unquoted = (found: RegExpMatchArray | null): string => found?.[1]?.replaceAll("''", "'") ?? '';
  return {
    kind: unquoted(where.match(/kind = '((?:[^']|'')*)'/)),
    text: unquoted(where.match(/contains\(text, '((?:[^']|'')*)'\)/)),
  };
}

export async function list(query: URLSearchParams): Promise<TokenList> {
  const [words, map, near] = await Promise.all([vocabulary(), pack('map'), pack('neighbours')]);
  const { kind, text } = wishes(query.get('where') ?? '');
  const [column = 'id', order = 'asc'] = (query.get('sort') ?? 'id asc').split(' ');
  const k = near.shapes.values![1]!;
  const place = new Map([...(map.arrays.ids as Int32Array)].map((id, at) => [id, at]));
  const scripts = (map.facts.categories as Record<string, string[]>).script;
  const norms = near.arrays.norms as Float64Array;
  const rows: TokenRow[] = [];
  for (let id = 0; id < words.size; id++) {
    const token = words.token(id);
    if ((kind && token.kind !== kind) || (text && !token.text.includes(text))) continue;
    const at = place.get(id);
    const nearest = at === undefined ? null : (near.arrays.neighbours as Int32Array)[at * k]!;
    rows.push({
      id, text: token.text, bytes: token.bytes, kind: token.kind,
      script: at === undefined || !scripts ? null : scripts[(map.arrays.script as Uint8Array)[at]!]!,
      norm: Number.isFinite(norms[id]) ? norms[id]! : null,
      cos_to_mean: at === undefined ? null : map.arrays.meanCosine![at]!,
      nn_id: nearest, nn_text: nearest === null ? null : words.token(nearest).text,
      nn_cos: at === undefined ? null : (near.arrays.values as Float64Array)[at * k]!,
      occurrence: at === undefined ? null : (map.arrays.occurrence?.[at] ?? null),
      duplicate_group: null,
    });
  }
  const key = column as 'norm';
  const kept = rows.filter((row) => row[key] !== null);
  const sign = order === 'desc' ? -1 : 1;
  kept.sort((a, b) => sign * (a[key]! - b[key]!) || a.id - b.id);
  return { rows: kept.slice(0, Number(query.get('limit') ?? 100)), matching: kept.length, scanned: true };
}
