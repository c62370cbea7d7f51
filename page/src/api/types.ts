// What the server says. Names follow the library's; every number comes with what it is over.

export interface Model {
  name: string;
  rows: number;
  width: number;
  stored: string;
  kept: number;
  spaces: string[];
  /** Whether rows have words; else they are named by id. */
  named: boolean;
  /** In an exported folder: whether rounded rows are shipped, so that free questions can be answered. */
  free?: boolean;
  repairs: { name: string; formula: string; source: string; weighted: boolean; space: string | null }[];
}

export interface TokenView {
  id: number;
  text: string;
  name: string;
  bytes: string;
  kind: 'normal' | 'byte' | 'control' | 'user-defined' | 'unused' | 'no-token';
}

export interface Neighbour extends TokenView {
  value: number;
}

export interface Card {
  token: TokenView;
  norm: number | null;
  metric: string;
  space: string;
  searched: number;
  shown: number | null;
  neighbours: Neighbour[] | null;
}

export interface Job {
  id: number;
  kind: string;
  state: 'running' | 'done' | 'cancelled' | 'failed';
  done: number;
  total: number;
  message: string;
}

/** A measure before and after a repair; `verdict` is empty where neither way is better. */
export interface Change {
  name: string;
  title: string;
  before: number | null;
  after: number | null;
  kind: 'exact' | 'bound' | 'estimate';
  verdict: '' | 'better' | 'worse' | 'the same';
}

export interface Repaired {
  repair: { method: string; parameters: Record<string, number | string> };
  changes: Change[];
  scores: { name: string; what: string; n: number; before: number; after: number; low: number; high: number; verdict: string }[];
  worse: string[];
  notes: string[];
}

export interface Health {
  verdict: string;
  looked_at: number;
  tying: string;
  kinds: Record<string, { count: number; why: string; rows: TokenView[] }>;
  candidates: { id: number; text: string; value: number; share_at_or_below: number; votes: number; below_soft_threshold: boolean }[];
  indicators: { name: string; title: string; soft_threshold: number | null; void: string | null }[];
}

export interface TokenRow {
  id: number;
  text: string;
  bytes: string;
  kind: TokenView['kind'];
  script: string | null;
  norm: number | null;
  cos_to_mean: number | null;
  nn_id: number | null;
  nn_text: string | null;
  nn_cos: number | null;
  occurrence: number | null;
  duplicate_group: number | null;
}

export interface TokenList {
  rows: TokenRow[];
  matching: number;
  scanned: boolean;
}

export interface Lens {
  tokens: { id: number; text: string }[];
  answer: { id: number; text: string; chosen: boolean };
  depth: number;
  layers: {
    layer: number;
    top: { id: number; text: string; probability: number }[][];
    rank: number[];
    probability: number[];
    entropy_bits: number[];
    kl_to_output_bits: number[];
  }[];
  path: {
    token: { id: number; text: string };
    position: number;
    layers: { layer: number; norm: number; nearest: { id: number; text: string; cosine: number }[]; coordinates: number[] }[];
  };
}

export interface Drift {
  word: string;
  sentences: string[];
  baseline: string;
  self_similarity: number[];
  anisotropy: number[];
  anisotropy_with_first: number[];
  intra_sentence: number[];
}

// The report, as its published schema has it.

export interface Series {
  name: string;
  role: 'measured' | 'random' | 'matched' | 'bound' | 'category';
  form: 'line' | 'steps' | 'bars' | 'points' | 'mark';
  x: (number | null)[];
  y: (number | null)[];
  /** The ends of an interval about each y of a line. */
  low?: (number | null)[];
  high?: (number | null)[];
}

export interface FigureData {
  id: string;
  title: string;
  alt: string;
  x_label: string;
  y_label: string;
  series: Series[];
  caption: string;
  x_log: boolean;
  y_log: boolean;
  x_names?: string[];
}

export interface NullValue {
  value: number | null;
  error: number | null;
  how: string;
}

export interface MeasureValue {
  name: string;
  title: string;
  value: number | null;
  unit: string;
  kind: 'exact' | 'bound' | 'estimate';
  error: number | null;
  n: number;
  nulls: { bound: NullValue | null; random: NullValue | null; matched: NullValue | null };
  definition: string;
  space: string;
  source: string;
}

export interface TableData {
  id: string;
  title: string;
  columns: { name: string; label: string; form: 'text' | 'id' | 'count' | 'number' | 'cosine' | 'percent' }[];
  rows: (string | number | boolean | null)[][];
  note: string;
  shades?: (number | null)[][];
}

export interface Section {
  id: string;
  title: string;
  sentences: string[];
  figure: FigureData | null;
  measures: string[];
  tables: TableData[];
  how: string;
}

export interface Report {
  name: string;
  findings: { text: string; section: string; tone: 'good' | 'bad' | 'plain' }[];
  sections: Section[];
  measures: MeasureValue[];
  scanned: boolean;
}

export interface Plan {
  size: number;
  dimension: number;
  welch: number;
  welch_angle: number;
  coherence_bound: number;
  cosine_bound: number;
  largest_angle: number;
  random_sd: number;
  random_coherence: { q05: number; median: number; q95: number; mean: number };
  random_angle: number;
  capacities: { coherence: number; log10_size: number; log10_lower: number }[];
}
