"""How far a screened cosine can lie from the cosine: every inequality of the scan, proved.

Notation (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1): u is the unit roundoff, a
rounded operation is fl(a ∘ b) = (a ∘ b)(1 + δ) with |δ| ≤ u, a product of m factors (1 + δ)^±1 is 1 + θ_m with
|θ_m| ≤ γ_m = m·u/(1 − m·u), and γ_j + γ_k + γ_j·γ_k ≤ γ_{j+k}. A sum of d products, in any order, with or without
fused multiply-add, errs by at most γ_d · Σ|x_q·y_q| ≤ γ_d · ‖x‖·‖y‖, since each term passes at most d roundings.

U below is 2⁻⁵³. Products of two float32 numbers are exact in float64, are multiples of 2⁻²⁹⁸ and lie below 2²⁵⁶, so
the float64 sums neither overflow nor underflow.
"""

from __future__ import annotations

FLOAT32_ROUNDOFF = 2.0**-24
FLOAT64_ROUNDOFF = 2.0**-53
TINY = 2.0**-126
"""The least normal float32: what a unit that flushes denormal numbers to zero can lose in one operation."""

_EVALUATION = 1.0 + 2.0**-40
"""Bounds are sums of fewer than a hundred positive float64 terms; this factor covers their own rounding."""


def gamma(terms: int, roundoff: float) -> float:
    """γ_m = m·u / (1 − m·u), the error of m rounded operations; for m·u < 1."""
    return terms * roundoff / (1.0 - terms * roundoff)


def cosine_bound(d: int) -> float:
    """The largest |c − cos| of the defining float64 loop: γ_{5d+5}.

    Proof. s_ij = x·y + e with |e| ≤ γ_d·‖x‖·‖y‖. s_ii = ‖x‖²(1 + θ_d), since its terms are positive; s_ii·s_jj is
    rounded once: ‖x‖²‖y‖²(1 + θ_{2d+1}); the root halves an error at most and is rounded: ‖x‖·‖y‖·(1 + θ_{2d+2}).
    Division by it, rounded: c = (cos + e′)(1 + θ_{4d+5}), |e′| ≤ γ_d (Higham, lemma 3.3). As |cos| ≤ 1,
    |c − cos| ≤ γ_{4d+5} + γ_d + γ_d·γ_{4d+5} ≤ γ_{5d+5}. Clipping to [−1, 1] moves c towards cos.
    """
    return gamma(5 * d + 5, FLOAT64_ROUNDOFF) * _EVALUATION


def unit_bound(d: int, roundoff: float = FLOAT32_ROUNDOFF) -> float:
    """The largest ‖û − x/‖x‖‖ of a row normalised in float64 and rounded to a format of this roundoff.

    Proof. √s_ii = ‖x‖(1 + θ_{d+1}), and the quotient x_q/√s_ii, rounded, is u_q(1 + θ_{2d+3}) (lemma 3.3). Rounding
    it to the format multiplies it by 1 + δ, |δ| ≤ u, or, below 2⁻¹²⁶, moves it by at most 2⁻¹²⁶. The relative parts
    sum to at most ((1 + γ)(1 + u) − 1)·‖u‖ = γ + u + γ·u, and d moves of 2⁻¹²⁶ have norm √d·2⁻¹²⁶.
    """
    own = gamma(2 * d + 3, FLOAT64_ROUNDOFF)
    return (own + roundoff + own * roundoff + d**0.5 * TINY) * _EVALUATION


def product_bound(d: int, left: float, right: float, roundoff: float = FLOAT32_ROUNDOFF) -> float:
    """The largest |fl(û·v̂) − û·v̂| over ‖û‖ ≤ left, ‖v̂‖ ≤ right, summed in any order: γ_d·left·right + 2d·2⁻¹²⁶.

    The second part covers each of at most 2d operations losing up to 2⁻¹²⁶ to underflow.
    """
    return (gamma(d, roundoff) * left * right + 2 * d * TINY) * _EVALUATION


def screen_bound(d: int, roundoff: float = FLOAT32_ROUNDOFF) -> float:
    """The largest |v − c| of a product v of two normalised rows from the cosine c as defined.

    With ‖û − u‖, ‖v̂ − v‖ ≤ δ: |û·v̂ − u·v| ≤ 2δ + δ² (Cauchy–Schwarz), the product adds its own rounding, and c lies
    within `cosine_bound` of u·v.
    """
    delta = unit_bound(d, roundoff)
    rounding = product_bound(d, 1.0 + delta, 1.0 + delta, roundoff)
    return (2 * delta + delta * delta + rounding + cosine_bound(d)) * _EVALUATION


def raw_bound(d: int, least: float, largest: float) -> tuple[bool, float]:
    """(whether raw rows of these extreme squared norms may be multiplied in float32, the largest |v − c| of x·y/(‖x‖·‖y‖)).

    Where squared norms lie in 2⁻⁸⁰ … 2⁸⁰ a float32 sum cannot overflow, and errs by γ_d·‖x‖·‖y‖, and by at most
    2d·2⁻¹²⁶ ≤ 2d·2⁻⁴⁶·‖x‖·‖y‖ where it underflows; else the sum is taken in float64. The float64 part of v, like c, lies
    within `cosine_bound` of cos; as much again covers the rounding of v ± bound.
    """
    rest = 4 * cosine_bound(d)
    if least < 2.0**-80 or largest > 2.0**80:
        return False, rest
    return True, (gamma(d, FLOAT32_ROUNDOFF) + 2 * d * 2.0**-46) * _EVALUATION + rest
