"""Claims about the width of published models and their tables."""

from __future__ import annotations

from armillary.origins.dimension import dimension_choice, models
from claims.claim import Claim, Judgement, judged

SOURCE = "the published configurations of 55 models"
CALL = ("from armillary.origins.dimension import dimension_choice; print(dimension_choice())",)


def _growth() -> Judgement:
    grown, low, high = dimension_choice().growth()
    return judged(
        3 <= grown <= 4, f"d grows {grown:.1f}-fold per 100-fold parameters (95 % interval {low:.1f} to {high:.1f})."
    )


def _per_layer() -> Judgement:
    found = dimension_choice()
    return judged(
        0.9 < 2**found.ratio_mean < 1.1 and 2**found.ratio_sd < 1.2,
        f"The geometric mean of d/L is {128 * 2**found.ratio_mean:.0f}, and one standard deviation is a factor of "
        f"{2**found.ratio_sd:.2f}.",
        in_part=0.5 < 2**found.ratio_mean < 2,
    )


def _layer_cost() -> Judgement:
    law = dimension_choice().layer
    return judged(
        law.low <= 2 <= law.high,
        f"Parameters of a layer grow as d to the power {law.exponent:.2f} (95 % interval {law.low:.2f} to {law.high:.2f}).",
    )


def _llama_ties() -> Judgement:
    llamas = [m for m in models() if m.model.startswith("Llama")]
    tied = [m.model for m in llamas if m.tied]
    return judged(
        len(tied) == len(llamas),
        f"{len(tied)} of {len(llamas)} tie them ({', '.join(tied)}); the others do not.",
        in_part=bool(tied),
    )


def _small_models() -> Judgement:
    small = sorted((m for m in models() if m.total_params < 6e8), key=lambda m: m.total_params)
    most = [m for m in small if m.table_share > 0.5]
    law = dimension_choice().share
    return judged(
        len(most) == len(small),
        f"{len(most)} of {len(small)} models below 600 million parameters hold more than half of them in tables "
        f"({', '.join(m.model for m in most)}); the share falls as parameters to the power {law.exponent:.2f}.",
        in_part=bool(most),
    )


CLAIMS = (
    Claim("d grows 3–4× per 100× parameters", CALL, SOURCE, _growth),
    Claim("d is about 128 times the number of layers", CALL, SOURCE, _per_layer),
    Claim("The cost of a layer grows as d²", CALL, SOURCE, _layer_cost),
    Claim(
        "LLaMA ties its tables",
        ("from armillary.origins.dimension import models; print([(m.model, m.tied) for m in models()])",),
        SOURCE,
        _llama_ties,
    ),
    Claim("In a small model most parameters are the table", CALL, SOURCE, _small_models),
)
