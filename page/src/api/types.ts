// What the server says. Names follow the library's; every number comes with what it is over.

export interface Model {
  name: string;
  rows: number;
  width: number;
  stored: string;
  kept: number;
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

// The report, as its published schema has it.

export interface Series {
  name: string;
  role: 'measured' | 'random' | 'matched' | 'bound' | 'category';
  form: 'line' | 'steps' | 'bars' | 'points' | 'mark';
  x: (number | null)[];
  y: (number | null)[];
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
  x_names: string[];
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
