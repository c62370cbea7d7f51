// What the server says of words. `rounded`: computed in an exported folder from rows rounded to eight bits.

export interface WordView {
  text: string;
  ids: number[];
  tokens: string[];
  norm: number;
  note: string;
}

export interface Similarity {
  words: WordView[];
  pairs: {
    a: string;
    b: string;
    cosine: number;
    percentile: number | null;
    percentile_error: number | null;
    z: number | null;
    csls: number | null;
    dot: number;
    euclidean: number;
  }[];
  background: { mean: number; sd: number; pairs: number; kind: 'exact' | 'estimate' };
  rows: number;
  rounded?: boolean;
}

export interface Ladder {
  language: string;
  rungs: { name: string; mean: number; low: number; high: number; pairs: number; missing: number; single: number }[];
  steps: { upper: string; lower: string; difference: number; low: number; high: number; verdict: 'held' | 'reversed' | 'undecided' }[];
}

export interface Entry {
  rank: number;
  id: number;
  text: string;
  score: number;
  role: '' | 'input' | 'variant';
}

export interface AnalogyAnswer {
  expression: string;
  base: string;
  words: WordView[];
  method: string;
  rows: number;
  kept: Entry[];
  removed: Entry[];
  answer: Entry;
  ranks: { kept: number; removed: number; variants_removed: number; baseline: number };
  parallelism: number | null;
  null: { draws: number; at_first: number; as_good: number; rank: number; p: number | null; how: string } | null;
  rounded?: boolean;
}

export interface Chance {
  value: number;
  null_mean: number;
  null_sd: number;
  z: number | null;
  p: number;
  draws: number;
}

export interface Direction {
  name: string;
  pairs: number;
  missing: number;
  single: number;
  low_mean: number;
  high_mean: number;
  auc: number;
  held_out: boolean;
  null: Chance | null;
  parallelism: Chance | null;
  words: { word: string; projection: number; side: 'low' | 'high' }[];
  read: { word: string; projection: number }[];
}

export interface ReadySet {
  name: string;
  pairs: number;
  first: [string, string];
}

export interface Metrics {
  k: number;
  rows: number;
  neighbors: Record<string, Record<string, [number, string, number][]>>;
  word_overlap: Record<string, Record<string, number>>;
  queries: number;
  overlap: Record<string, number>;
  hubs: Record<string, { id: number; text: string; occurrence: number; decile: number | null }[]>;
  identity_error: number;
  unequal: { a: string; b: string; norm_a: number; norm_b: number; cosine: number; euclidean: number }[];
}

export interface Categories {
  words: { text: string; category: string; subgroup: string; single: boolean; ids: number[] }[];
  missing: string[];
  overall: { within: number; between: number; p: number; words: number };
  purity: number;
  purity_chance: number;
  near_misses: { word: string; category: string; nearest: string; nearest_category: string; cosine: number; own_cosine: number }[];
}
