// A filter as a DuckDB expression, whatever is typed quoted as text.

export const SORTS = ['norm', 'cos_to_mean', 'nn_cos', 'occurrence', 'id'] as const;
export type Sort = (typeof SORTS)[number];
export const KINDS = ['normal', 'byte', 'control', 'user-defined', 'unused', 'no-token'] as const;

export interface Filter {
  kind: string;
  text: string;
  sort: Sort;
  /** An expression of one's own, live only. */
  extra: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The rows to show: of a kind, containing a text, with a value in the column sorted by. */
export function expression({ kind, text, sort, extra }: Filter): string {
  const parts = [`${sort} IS NOT NULL`];
  if (kind) parts.push(`kind = ${quoted(kind)}`);
  if (text) parts.push(`contains(text, ${quoted(text)})`);
  if (extra) parts.push(`(${extra})`);
  return parts.join(' AND ');
}
