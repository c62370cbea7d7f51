// The lesson's sentences: a file a step, both languages in it.

import { analogy } from './analogy';
import { arrows } from './arrows';
import { bank } from './bank';
import { cone } from './cone';
import { crowd } from './crowd';
import { directions } from './directions';
import { frame } from './frame';
import { ladder } from './ladder';
import { length } from './length';
import { lens } from './lens';
import { limits } from './limits';
import { lookup } from './lookup';
import { map } from './map';
import { noise } from './noise';
import { onehot } from './onehot';
import { packing } from './packing';
import { pmi } from './pmi';
import { references } from './references';
import { superposition } from './superposition';
import { tied } from './tied';
import { width } from './width';

const STEPS = {
  onehot,
  lookup,
  noise,
  arrows,
  length,
  ladder,
  analogy,
  tied,
  directions,
  crowd,
  packing,
  superposition,
  pmi,
  width,
  map,
  cone,
  bank,
  lens,
  limits,
  references,
};

type Steps = { [Id in keyof typeof STEPS]: (typeof STEPS)[Id]['en'] };

export interface Lesson {
  frame: typeof frame.en;
  steps: Steps;
}

function lessonIn(language: 'en' | 'zh'): Lesson {
  const steps = Object.fromEntries(Object.entries(STEPS).map(([id, step]) => [id, step[language]])) as unknown as Steps;
  return { frame: frame[language], steps };
}

export const LESSONS = { en: lessonIn('en'), zh: lessonIn('zh') };
