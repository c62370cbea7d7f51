"""Closed forms of the sphere: what any code, and a random code, of V unit vectors in d dimensions can be.

Everything here is a formula or the solution of one equation; no table is read. Codes are real. `size` is the number
of vectors V, `dimension` is d; a *coherence* is the largest |cosine| of a code, a *maximal cosine* the largest
signed one.
"""

from armillary.bounds.asymptotic import kabatiansky_levenshtein_rate, shannon_wyner_rate
from armillary.bounds.capacity import (
    johnson_lindenstrauss,
    johnson_lindenstrauss_dimension,
    log_capacity,
    log_capacity_lower,
)
from armillary.bounds.coherence import best_sidelnikov, orthoplex, rankin, sidelnikov, welch
from armillary.bounds.extremes import (
    coherence_mean,
    coherence_quantile,
    maximal_cosine_mean,
    maximal_cosine_quantile,
    minimum_angle_quantile,
)
from armillary.bounds.levenshtein import levenshtein, levenshtein_lines, levenshtein_size
from armillary.bounds.pair import (
    bin_shares,
    cosine_sd,
    design_moment,
    interference,
    inverse_log_cap,
    log_cap,
    log_tail,
    mean_absolute_cosine,
    mean_cosine,
    mean_square_cosine,
    tail,
    uniformity,
)
from armillary.bounds.plan import Capacity, Extreme, Plan, plan
from armillary.bounds.spectrum import marchenko_pastur_density, marchenko_pastur_edges, marchenko_pastur_quantiles
from armillary.bounds.text import comparison, describe

__all__ = [
    "Capacity",
    "Extreme",
    "Plan",
    "best_sidelnikov",
    "bin_shares",
    "coherence_mean",
    "coherence_quantile",
    "comparison",
    "cosine_sd",
    "describe",
    "design_moment",
    "interference",
    "inverse_log_cap",
    "johnson_lindenstrauss",
    "johnson_lindenstrauss_dimension",
    "kabatiansky_levenshtein_rate",
    "levenshtein",
    "levenshtein_lines",
    "levenshtein_size",
    "log_cap",
    "log_capacity",
    "log_capacity_lower",
    "log_tail",
    "marchenko_pastur_density",
    "marchenko_pastur_edges",
    "marchenko_pastur_quantiles",
    "maximal_cosine_mean",
    "maximal_cosine_quantile",
    "mean_absolute_cosine",
    "mean_cosine",
    "mean_square_cosine",
    "minimum_angle_quantile",
    "orthoplex",
    "plan",
    "rankin",
    "shannon_wyner_rate",
    "sidelnikov",
    "tail",
    "uniformity",
    "welch",
]
