// How many nearly orthogonal directions fit: closed forms for the random code, and Welch's bound. Natural logarithms,
// because capacities grow past what a number holds.

/** ln Γ(x) for x > 0 (Lanczos, g = 7, n = 9). */
export function logGamma(x: number): number {
  const c = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x - 1 + 7.5;
  const sum = c.reduce((total, value, i) => (i === 0 ? value : total + value / (x - 1 + i)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function fraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < tiny ? tiny : d);
  let value = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      d = 1 + term * d;
      d = 1 / (Math.abs(d) < tiny ? tiny : d);
      c = 1 + term / c;
      if (Math.abs(c) < tiny) c = tiny;
      value *= c * d;
      if (term === odd && Math.abs(c * d - 1) < 1e-15) return value;
    }
  }
  return value;
}

/** ln I_x(a, b), and ln of the rest where that is the smaller. */
function logBeta(x: number, a: number, b: number): number {
  const front = a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b);
  if (x < (a + 1) / (a + b + 2)) return front - Math.log(a) + Math.log(fraction(x, a, b));
  return Math.log1p(-Math.exp(front - Math.log(b) + Math.log(fraction(1 - x, b, a))));
}

/** ln P(|cos| > m) of two random directions in d ≥ 2 dimensions, m in (0, 1): ln I_{1−m²}((d−1)/2, ½). */
export function logTail(cosine: number, dimension: number): number {
  return logBeta((1 - cosine) * (1 + cosine), (dimension - 1) / 2, 0.5);
}

/** ln V of the random code in d ≥ 2 dimensions whose median coherence is ε in (0, 1). */
export function logCapacity(dimension: number, coherence: number): number {
  const logarithm = logTail(coherence, dimension);
  if (logarithm > -30) {
    const pairs = Math.log(0.5) / Math.log1p(-Math.exp(logarithm));
    return Math.log((1 + Math.sqrt(1 + 8 * pairs)) / 2);
  }
  const root = 0.5 * (Math.log(8) + Math.log(Math.log(2)) - logarithm);
  return root - Math.log(2) + Math.exp(-root);
}

/** Welch's lower bound on the coherence of V unit vectors in d dimensions; 0 where V ≤ d. */
export function welch(size: number, dimension: number): number {
  return Math.sqrt(Math.max(0, (size - dimension) / (dimension * (size - 1))));
}

/** The density of the angle (degrees) between two random directions, ∝ sin^{d−2}θ, per degree. */
export function angleDensity(degrees: number, dimension: number): number {
  const sine = Math.sin((degrees * Math.PI) / 180);
  if (sine <= 0) return dimension === 2 ? 1 / 180 : 0;
  const scale = logGamma(dimension / 2) - logGamma((dimension - 1) / 2) - 0.5 * Math.log(Math.PI);
  return Math.exp(scale + (dimension - 2) * Math.log(sine)) * (Math.PI / 180);
}
