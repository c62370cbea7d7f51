"""Claims about the sphere: what fits, what chance gives, what descent finds."""

from __future__ import annotations

import math
from typing import Any

from claims.claim import Claim, Judgement, judged


def _fits(plan: dict[str, Any]) -> Judgement:
    mu = plan["random_coherence"]["median"]
    return judged(
        mu < 0.2,
        f"Even a random code of 100,000 vectors has no |cosine| above {mu:.3f} (median); the bound is "
        f"{plan['coherence_bound']:.4f}.",
    )


def _orthogonal(plan: dict[str, Any]) -> Judgement:
    return judged(
        plan["random_sd"] < 0.02,
        f"The cosine of two random vectors is 0 ± {plan['random_sd']:.4f}. Among all pairs of 100,000 the largest is near "
        f"{plan['random_coherence']['median']:.3f} all the same.",
    )


def _one_a_dimension(plan: dict[str, Any]) -> Judgement:
    found = next(c for c in plan["capacities"] if c["coherence"] == 0.2)
    return judged(
        False,
        f"At |cosine| ≤ 0.2 a random code of 640 dimensions holds 10^{found['log10_size']:.1f} vectors; exactly "
        f"orthogonal are 640.",
    )


def _descent_finds(*results: dict[str, Any]) -> Judgement:
    shares = [(r["size"], r["reached"], r["starts"]) for r in results]
    text = ", ".join(f"{reached} of {starts} starts for N = {size}" for size, reached, starts in shares)
    return judged(all(r == s for _, r, s in shares), f"The best packing found is reached by {text}.", in_part=True)


def _plain(result: dict[str, Any]) -> Judgement:
    gap = math.degrees(math.acos(result["cosine"])) - math.degrees(math.acos(result["plain_cosine"]))
    return judged(gap < 1e-3, f"One plain descent for N = 14 ends {gap:.2f}° below the best packing.")


def _welch_met(frame: dict[str, Any], large: dict[str, Any]) -> Judgement:
    return judged(
        False,
        f"28 lines in 7 dimensions meet it to {abs(frame['cosine'] - frame['bound_cosine']):.0e}; of 1,000 vectors in 64 "
        f"dimensions descent ends at {large['cosine']:.3f} where the bound is {large['bound_cosine']:.3f} and chance "
        f"{large['random_cosine']:.3f}.",
        in_part=True,
    )


def _table_packs(result: dict[str, Any]) -> Judgement:
    own = result["beside"]["cosine"]
    return judged(
        own < result["random_cosine"],
        f"The closest pair of distinct rows has cosine {own:.3f}; a random code of that size {result['random_cosine']:.3f}, "
        f"descent by blocks {result['cosine']:.3f}, the bound {result['bound_cosine']:.3f}.",
    )


def _meaning_costs() -> Judgement:
    from armillary.origins.packing import frontier

    points = frontier([i // 8 for i in range(48)], 12, (0.0, 0.1, 0.5), starts=2).points
    told = "; ".join(f"λ = {p.weight:g}: smallest angle {p.angle:.1f}°, cosine within {p.within:.2f}" for p in points)
    return judged(points[-1].angle < points[0].angle - 1, f"48 vectors, 6 categories, 12 dimensions. {told}.")


def _interference() -> Judgement:
    from armillary.origins.superposition import random_interference

    found = random_interference(64, 16)
    return judged(
        abs(found.measured - found.expected) < 4 * found.error,
        f"16 active directions in 64 dimensions: mean square {found.measured:.4f} ± {found.error:.4f}, k/d = 0.25.",
    )


CLAIMS = (
    Claim("4096 dimensions hold 100,000 tokens", ("armillary bounds 100000 4096",), "closed forms", _fits),
    Claim(
        "In high dimension two random vectors are almost orthogonal",
        ("armillary bounds 100000 4096",),
        "closed forms",
        _orthogonal,
    ),
    Claim(
        "d dimensions have room for d directions", ("armillary bounds 262144 640",), "closed forms", _one_a_dimension
    ),
    Claim(
        "Gradient descent finds the best packing",
        ("armillary pack 12 3", "armillary pack 14 3", "armillary pack 18 3"),
        "points on the 2-sphere",
        _descent_finds,
    ),
    Claim("One descent is enough", ("armillary pack 14 3",), "points on the 2-sphere", _plain),
    Claim(
        "Welch's bound is what a good code reaches",
        ("armillary pack 28 7 --lines --starts 6", "armillary pack 1000 64 --starts 1"),
        "frames and codes made here",
        _welch_met,
    ),
    Claim(
        "A trained table spreads its tokens better than chance",
        ("armillary pack 32000 256 --epochs 3 --beside demo",),
        "demo",
        _table_packs,
    ),
    Claim(
        "Keeping related tokens close costs angle",
        (
            "from armillary.origins.packing import frontier; "
            "print(frontier([i // 8 for i in range(48)], 12, (0, 0.1, 0.5), starts=2))",
        ),
        "codes made here",
        _meaning_costs,
    ),
    Claim(
        "Interference of k active features in a random code is k/d",
        ("from armillary.origins.superposition import random_interference; print(random_interference(64, 16))",),
        "random codes",
        _interference,
    ),
)
