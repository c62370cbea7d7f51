"""Claims about real tables."""

from __future__ import annotations

from functools import cache

import numpy as np

import armillary
from armillary.geometry import first_pass, isotropy_measures
from armillary.table import Table
from armillary.words.analogy import analogy
from claims.claim import Claim, Judgement, judged

TABLES = ("demo", "demo:gemma3", "demo:glove")


@cache
def _table(name: str) -> Table:
    return armillary.open(name).table


@cache
def _mean_cosine(name: str) -> float:
    measures = isotropy_measures(first_pass(armillary.open(name).code))
    return next(m.value for m in measures if m.name == "mean_cosine")


def _unrelated() -> Judgement:
    means = {name: _mean_cosine(name) for name in (*TABLES, "demo:minilm")}
    told = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
    near = [abs(mean) < 0.05 for mean in means.values()]
    return judged(all(near), f"Mean cosine of all pairs: {told}; a random code has 0.", in_part=any(near))


def _queen() -> Judgement:
    ranks = {name: analogy(_table(name), "king - man + woman", answer="queen").ranks for name in TABLES}
    told = ", ".join(
        f"{name} {r.kept:,} with the inputs kept, {r.removed:,} without, {r.baseline:,} near king alone"
        for name, r in ranks.items()
    )
    first = [r.kept == 1 for r in ranks.values()]
    return judged(all(first), f"Rank of queen: {told}.", in_part=any(r.removed == 1 for r in ranks.values()))


def _norm_frequency() -> Judgement:
    from scipy.stats import spearmanr
    from wordfreq import zipf_frequency

    found: dict[str, float] = {}
    for name in TABLES:
        table = _table(name)
        words = [t.bytes.decode("utf-8", "replace").strip() for t in (table.token(i) for i in range(len(table)))]
        frequency = np.array([zipf_frequency(w, "en") if w.isascii() and w.isalpha() else 0.0 for w in words])
        norms = table.row_facts.norms
        known = (frequency > 0) & (norms > 0)
        found[name] = float(spearmanr(norms[known], frequency[known]).statistic)
    told = ", ".join(f"{name} {rho:+.2f}" for name, rho in found.items())
    return judged(
        all(rho > 0.3 for rho in found.values()),
        f"Spearman of the norm with log frequency over English words (wordfreq): {told}.",
        in_part=any(abs(rho) > 0.3 for rho in found.values()),
    )


CLAIMS = (
    Claim(
        "Cosines of unrelated words are near 0",
        ("armillary.geometry.isotropy_measures(first_pass(armillary.open(name).code))",),
        ", ".join((*TABLES, "demo:minilm")),
        _unrelated,
    ),
    Claim(
        "Queen follows from king − man + woman",
        ("armillary.words.analogy(table, 'king - man + woman', answer='queen')",),
        ", ".join(TABLES),
        _queen,
    ),
    Claim(
        "The norm of a row tells how frequent its word is",
        ("armillary.open(name).table.row_facts.norms",),
        ", ".join(TABLES),
        _norm_frequency,
    ),
)
