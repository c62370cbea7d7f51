// What a reader predicts, and what was measured. Both are null until known.

/** What the address should hold once a guess is made, so that the picture shows the case that was asked about. */
interface Asked {
  shows?: Record<string, string>;
}

export type Prediction = Asked & (
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
    }
);
