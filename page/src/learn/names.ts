// The lesson's steps in their order. Each has its own address: #/learn?step=NAME.

export const STEP_IDS = [
  'onehot', 'lookup', 'noise', 'arrows', 'length', 'ladder', 'analogy', 'tied', 'directions', 'crowd', 'packing',
  'superposition', 'pmi', 'width', 'map', 'cone', 'bank', 'lens', 'limits', 'references',
] as const; // prettier-ignore

export type StepId = (typeof STEP_IDS)[number];
