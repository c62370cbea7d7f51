// Principal components of a few hundred rows, by the eigenvectors of their Gram matrix (cyclic Jacobi): n × n with n a
// few hundred is small, d may be thousands.

import { dot, type Vector } from './vectors';

export interface Components {
  /** n × m scores: coordinates of each row on the components. */
  scores: number[][];
  /** m shares of the whole variance, descending. */
  explained: number[];
}

/** Scores on the first m principal components of the centred rows, largest variance first; each component's sign is
 * set so that its largest score by size is positive. */
export function principalComponents(rows: readonly Vector[], m: number): Components {
  const n = rows.length;
  const gram = centredGram(rows);
  const { values, vectors } = symmetricEigen(gram);
  const order = values.map((_, i) => i).sort((a, b) => (values[b] as number) - (values[a] as number));
  const total = values.reduce((a, b) => a + Math.max(b, 0), 0) || 1;
  const kept = order.slice(0, m);
  const scores = Array.from({ length: n }, (_, i) =>
    kept.map((c) => Math.sqrt(Math.max(values[c] as number, 0)) * (vectors[i] as number[])[c]!),
  );
  kept.forEach((_, c) => {
    const column = scores.map((row) => row[c] as number);
    const largest = column.reduce((a, b) => (Math.abs(b) > Math.abs(a) + 1e-12 ? b : a), 0);
    if (largest < 0) scores.forEach((row) => (row[c] = -(row[c] as number)));
  });
  return { scores, explained: kept.map((c) => Math.max(values[c] as number, 0) / total) };
}

function centredGram(rows: readonly Vector[]): number[][] {
  const n = rows.length;
  const gram = rows.map((x) => rows.map((y) => dot(x, y)));
  const means = gram.map((row) => row.reduce((a, b) => a + b, 0) / n);
  const mean = means.reduce((a, b) => a + b, 0) / n;
  return gram.map((row, i) => row.map((g, j) => g - (means[i] as number) - (means[j] as number) + mean));
}

/** Eigenvalues and eigenvectors (columns of `vectors`) of a symmetric matrix by cyclic Jacobi rotations. */
export function symmetricEigen(matrix: readonly number[][]): { values: number[]; vectors: number[][] } {
  const n = matrix.length;
  const a = matrix.map((row) => Float64Array.from(row));
  const v = Array.from({ length: n }, (_, i) => Float64Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)));
  const scale = Math.max(1e-300, ...a.map((row, i) => Math.abs(row[i] as number)));
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) off = Math.max(off, Math.abs(a[p]![q]!));
    if (off <= 1e-14 * scale) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, v, p, q);
  }
  return { values: a.map((row, i) => row[i] as number), vectors: v.map((row) => [...row]) };
}

function rotate(a: Float64Array[], v: Float64Array[], p: number, q: number): void {
  const apq = a[p]![q]!;
  if (apq === 0) return;
  const theta = (a[q]![q]! - a[p]![p]!) / (2 * apq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < a.length; k++) {
    const kp = a[k]![p]!;
    const kq = a[k]![q]!;
    a[k]![p] = c * kp - s * kq;
    a[k]![q] = s * kp + c * kq;
  }
  for (let k = 0; k < a.length; k++) {
    const pk = a[p]![k]!;
    const qk = a[q]![k]!;
    a[p]![k] = c * pk - s * qk;
    a[q]![k] = s * pk + c * qk;
  }
  for (const row of v) {
    const rp = row[p]!;
    const rq = row[q]!;
    row[p] = c * rp - s * rq;
    row[q] = s * rp + c * rq;
  }
}
