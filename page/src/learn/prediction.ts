// What a reader predicts, and what was measured. Both are null until known.

export type Prediction =
  | { kind: 'choice'; answer: number | null; told: string }
  | {
      kind: 'slider';
      min: number;
      max: number;
      step: number;
      start: number;
      measured: number | null;
      show: (value: number) => string;
      told: string;
    };
