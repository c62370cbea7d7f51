"""Claims about real tables."""

from __future__ import annotations

from typing import Any

import numpy as np

import armillary
from armillary.words.frequencies import word_frequencies
from armillary.words.meaning import rank_trend
from claims.claim import Claim, Judgement, judged

TABLES = ("demo", "demo:gemma3", "demo:glove")


def _mean_cosine(name: str) -> float:
    measures = armillary.open(name).measures("isotropy", drawn=False)
    return next(m.value for m in measures if m.name == "mean_cosine")


def _unrelated() -> Judgement:
    means = {name: _mean_cosine(name) for name in (*TABLES, "demo:minilm")}
    told = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
    near = [abs(mean) < 0.05 for mean in means.values()]
    return judged(all(near), f"Mean cosine of all pairs: {told}; a random code has 0.", in_part=any(near))


def _queen(*results: dict[str, Any]) -> Judgement:
    ranks = {name: result["ranks"] for name, result in zip(TABLES, results, strict=True)}
    told = ", ".join(
        f"{name} {r['kept']:,} with the inputs kept, {r['removed']:,} without, {r['baseline']:,} near king alone"
        for name, r in ranks.items()
    )
    first = [r["kept"] == 1 for r in ranks.values()]
    return judged(all(first), f"Rank of queen: {told}.", in_part=any(r["removed"] == 1 for r in ranks.values()))


def _trend(name: str) -> float:
    """Spearman of the norm with log frequency, over the English words that are one token."""
    study = armillary.open(name)
    log = word_frequencies(study.table.vocabulary, {"Latin": "en"}).log
    known = study.code.ids[np.isfinite(log[study.code.ids])]
    return rank_trend(log[known], study.facts.norms[known])[0]


def _norm_frequency() -> Judgement:
    found = {name: _trend(name) for name in TABLES}
    told = ", ".join(f"{name} {rho:+.2f}" for name, rho in found.items())
    return judged(
        all(rho > 0.3 for rho in found.values()),
        f"Spearman of the norm with log frequency over English words (wordfreq): {told}.",
        in_part=any(abs(rho) > 0.3 for rho in found.values()),
    )


CLAIMS = (
    Claim(
        "Cosines of unrelated words are near 0",
        ("import armillary; print(armillary.open('demo').measures('isotropy', drawn=False))",),
        ", ".join((*TABLES, "demo:minilm")),
        _unrelated,
    ),
    Claim(
        "Queen follows from king − man + woman",
        tuple(f"armillary analogy {name} king - man + woman --answer queen --no-null" for name in TABLES),
        ", ".join(TABLES),
        _queen,
    ),
    Claim(
        "The norm of a row tells how frequent its word is",
        ("import armillary; print(armillary.open('demo').meaning())",),
        ", ".join(TABLES),
        _norm_frequency,
    ),
)
