// What the library's fixed documents hold, lesson/LANGUAGE/PART.

export interface Row {
  id: number;
  text: string;
  value: number;
}

export interface Placed extends Row {
  xy: [number, number];
}

export interface WordView {
  text: string;
  id: number | null;
  ids: number[];
  tokens: number;
  norm: number;
  note: string;
}

export interface OneHotDocument {
  rows: number;
  width: number;
  sentence: string;
  tokens: { id: number; text: string }[];
  values: number[][];
  equal: boolean;
  rows_in_product: number;
  three: WordView[];
  cosines: number[][];
}

export interface LengthDocument {
  words: { text: string; norm: number; note: string; cosine: Row[]; dot: Row[]; shared: number }[];
  searched: number;
}

export interface LadderDocument {
  rungs: { name: string; mean: number; low: number; high: number; pairs: number; missing: number; single: number; examples: { a: string; b: string; value: number }[] }[];
  steps: { upper: string; lower: string; difference: number; verdict: string }[];
  random: { mean: number; sd: number; pairs: number; kind: string } | null;
}

export interface AnalogyDocument {
  questions: {
    base: string;
    minus: string;
    plus: string;
    answer: WordView;
    inputs: number[];
    parallel: number;
    steps: { t: number; cosine: number; kept: number; removed: number; first: Row[] }[];
  }[];
  rows: number;
}

export interface TiedDocument {
  tied: boolean | null;
  separate: boolean;
  share: number;
  error: number;
  sampled: number;
  parameters: number;
  words: (WordView & { first: Row[] })[];
}

export interface CrowdDocument {
  rows: number;
  width: number;
  pairs: number;
  sampled: number;
  mean: number;
  sd: number;
  random_sd: number;
  edges: number[];
  density: number[];
  welch: number;
  random_coherence: number;
  nearest: (Row & { word: string })[];
}

export interface WidthDocument {
  cuts: { m: number; recall: number; variance: number }[];
  rows: number;
  queries: number;
  k: number;
  width: number;
  models: { model: string; width: number; parameters: number; vocabulary: number }[];
}

export interface MapDocument {
  words: (WordView & { xy: [number, number]; shown: number; full: Placed[]; plane: Placed[]; shared: number })[];
  behind: [number, number][];
  explained: [number, number];
  rows: number;
  k: number;
}

export interface ConeDocument {
  pairs: [string, string][];
  spaces: { method: 'raw' | 'centre' | 'all-but-the-top'; removed: number; mean: number; sd: number; cosines: number[] }[];
  rows: number;
}

export interface BankDocument {
  word: WordView;
  contexts: [string, string];
  near: Row[];
  searched: number;
  why_no_model: string;
}

export interface LensDocument {
  words: (WordView & { first: Row[] })[];
  prompt: string;
  why_no_model: string;
}

/** What the job `drift` finds: cosines of the word between sentences, by layer. */
export interface DriftResult {
  cosines: number[][][];
  anisotropy: number[];
}

/** What the job `lens` finds. */
export interface LensResult {
  tokens: { id: number; text: string }[];
  answer: { id: number; text: string };
  depth: number;
  layers: { top: { id: number; text: string; probability: number }[][]; rank: number[]; probability: number[] }[];
}

export interface OrderDocument {
  words: WordView[];
  rows: number[][];
}

export interface FilmDocument {
  words: string[];
  kinds: string[];
  epochs: number[];
  xy: [number, number][][];
  within: number[];
  between: number[];
  corpus: { source: string; words_kept: number };
  settings: { dimension: number };
  check: { correlation: number; slope: number; pairs: number };
  pairs: [number, number][];
}
