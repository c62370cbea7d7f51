// The toy model of superposition (Elhage et al. 2022): x′ = ReLU(WᵀWx + b), n sparse features through m dimensions,
// trained here in the page by Adam on fresh batches.

import { normal, uniform } from './random';

export type Company = 'independent' | 'together' | 'apart';

export interface Toy {
  features: number;
  dimensions: number;
  /** m × n, row by row: column i is the direction of feature i. */
  weights: Float64Array;
  biases: Float64Array;
}

/** Mean over the batch of Σ_i (x_i − x′_i)² / n, and its gradients in W and b. `batch` is (size × n), row by row. */
export function toyLoss(toy: Toy, batch: Float64Array): { loss: number; weights: Float64Array; biases: Float64Array } {
  const { features: n, dimensions: m, weights: w, biases: b } = toy;
  const size = batch.length / n;
  const [gw, gb] = [new Float64Array(m * n), new Float64Array(n)];
  const [hidden, back, error] = [new Float64Array(m), new Float64Array(m), new Float64Array(n)];
  let loss = 0;
  for (let s = 0; s < size; s++) {
    const x = batch.subarray(s * n, (s + 1) * n);
    for (let q = 0; q < m; q++) {
      hidden[q] = 0;
      for (let i = 0; i < n; i++) hidden[q]! += w[q * n + i]! * x[i]!;
    }
    for (let i = 0; i < n; i++) {
      let out = b[i]!;
      for (let q = 0; q < m; q++) out += hidden[q]! * w[q * n + i]!;
      const difference = Math.max(0, out) - x[i]!;
      loss += difference * difference;
      error[i] = out > 0 ? (2 * difference) / (n * size) : 0;
      gb[i]! += error[i]!;
    }
    for (let q = 0; q < m; q++) {
      back[q] = 0;
      for (let i = 0; i < n; i++) back[q]! += error[i]! * w[q * n + i]!;
      for (let i = 0; i < n; i++) gw[q * n + i]! += hidden[q]! * error[i]! + back[q]! * x[i]!;
    }
  }
  return { loss: loss / (n * size), weights: gw, biases: gb };
}

/** D_i = ‖W_i‖²/Σ_j(Ŵ_i·W_j)²: the share of a dimension that feature i has for itself; 0 for an absent one. */
export function dimensionality(toy: Toy): number[] {
  const columns = columnsOf(toy);
  return columns.map((column) => {
    const squared = product(column, column);
    if (squared < 1e-24) return 0;
    const shared = columns.reduce((sum, other) => sum + product(column, other) ** 2 / squared, 0);
    return squared / shared;
  });
}

/** The features' directions: n vectors of m numbers. */
export function columnsOf(toy: Toy): number[][] {
  const { features: n, dimensions: m, weights } = toy;
  return Array.from({ length: n }, (_, i) => Array.from({ length: m }, (_, q) => weights[q * n + i]!));
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, q) => sum + x * b[q]!, 0);
}

/** A batch of features uniform on [0, 1], each active with probability p. The first two keep company: independent, always
 * together, or never together; every single feature is active as often in all three. */
export function draw(size: number, n: number, p: number, company: Company, random: () => number): Float64Array {
  const batch = new Float64Array(size * n);
  for (let s = 0; s < size; s++) {
    const shared = random();
    for (let i = 0; i < n; i++) {
      const together = company === 'together' ? shared < p : i === 0 ? shared < p : shared >= p && shared < 2 * p;
      const active = i < 2 && company !== 'independent' ? together : random() < p;
      const value = random();
      if (active) batch[s * n + i] = value;
    }
  }
  return batch;
}

const RATE = 0.01;
const [BETA1, BETA2] = [0.9, 0.999];

/** A toy model in training (Adam, Kingma & Ba 2015). */
export class ToyTraining {
  readonly toy: Toy;
  steps = 0;
  loss = NaN;
  private readonly first: Float64Array[];
  private readonly second: Float64Array[];
  private readonly random: () => number;

  constructor(
    features: number,
    dimensions: number,
    public probability: number,
    public company: Company,
    seed: number,
  ) {
    this.random = uniform(seed);
    const gauss = normal(this.random);
    const weights = Float64Array.from({ length: features * dimensions }, () => gauss() / Math.sqrt(dimensions));
    this.toy = { features, dimensions, weights, biases: new Float64Array(features) };
    this.first = [new Float64Array(weights.length), new Float64Array(features)];
    this.second = [new Float64Array(weights.length), new Float64Array(features)];
  }

  /** `count` steps on fresh batches of 256. */
  run(count: number): void {
    for (let k = 0; k < count; k++) {
      const batch = draw(256, this.toy.features, this.probability, this.company, this.random);
      const found = toyLoss(this.toy, batch);
      this.loss = Number.isNaN(this.loss) ? found.loss : 0.98 * this.loss + 0.02 * found.loss;
      this.steps += 1;
      this.move(0, this.toy.weights, found.weights);
      this.move(1, this.toy.biases, found.biases);
    }
  }

  private move(which: number, values: Float64Array, gradient: Float64Array): void {
    const [m, v] = [this.first[which]!, this.second[which]!];
    const [c1, c2] = [1 - BETA1 ** this.steps, 1 - BETA2 ** this.steps];
    for (let i = 0; i < values.length; i++) {
      m[i] = BETA1 * m[i]! + (1 - BETA1) * gradient[i]!;
      v[i] = BETA2 * v[i]! + (1 - BETA2) * gradient[i]! ** 2;
      values[i]! -= (RATE * (m[i]! / c1)) / (Math.sqrt(v[i]! / c2) + 1e-8);
    }
  }
}
