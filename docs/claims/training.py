"""Claims about what training makes: superposition, word2vec, tying."""

from __future__ import annotations

import itertools
from typing import Any

from claims.claim import Claim, Judgement, judged

WORDS = "armillary train dictionary --model all"
TOY = "armillary superpose -n 5 -m 2"


def _pentagon(result: dict[str, Any]) -> Judgement:
    shares = result["dimensionality"][0]
    return judged(
        all(abs(d - 0.4) < 0.01 for d in shares),
        f"The instance of lowest loss has five features of D from {min(shares):.3f} to {max(shares):.3f}; a pentagon has "
        f"2/5.",
    )


def _every_run(result: dict[str, Any]) -> Judgement:
    losses = result["loss"]
    good = sum(loss < 1.5 * losses[0] for loss in losses)
    return judged(good == len(losses), f"{good} of {len(losses)} instances end near the lowest loss.", in_part=True)


def _boundary(result: dict[str, Any]) -> Judgement:
    w = [row[0] for row in [result["weights"][0][0][:1], result["weights"][0][0][1:]]]
    opposite = w[0] * w[1] < 0
    return judged(
        not opposite,
        f"Built by hand, two features share a dimension below p = 4/7 = .571; trained at p = .611 they still do, with "
        f"weights {w[0]:.3f} and {w[1]:.3f}.",
    )


def _company(short: dict[str, Any], roomy: dict[str, Any]) -> Judgement:
    told, held = [], []
    for result in (short, roomy):
        kinds = dict(zip(result["together"], result["mean_absolute_cosine"], strict=True))
        shape = f"{result['models']['features']} features in {result['models']['dimensions']} dimensions"
        told.append(
            f"{shape}: never together {kinds['never']:.3f}, always {kinds['always']:.3f}, independently "
            f"{kinds['independent']:.3f}, of different sets {kinds['different sets']:.3f}"
        )
        held.append(kinds["never"] > kinds["always"])
    return judged(
        all(held),
        f"Mean |cosine|, {'; '.join(told)}. Short of room, those that always occur together merge into their sum.",
        in_part=any(held),
    )


def _optimum() -> Judgement:
    import numpy as np
    from scipy.sparse import csr_array

    from armillary.origins.word2vec import optimum, pmi

    counts = [[1.0 + abs(i - j) for j in range(10)] for i in range(10)]
    w, c = optimum(counts)
    error = float(np.abs(w @ c.T - (pmi(csr_array(counts)).toarray() - np.log(5))).max())
    return judged(error < 1e-5, f"At the optimum of a table of ten words w·c differs from PMI − log k by {error:.0e}.")


def _factorises(result: dict[str, Any]) -> Judgement:
    found = result["pmi"]["skip-gram"]
    return judged(
        abs(found["slope"] - 1) < 0.05 and found["correlation"] > 0.95,
        f"At 100 dimensions w·c on PMI − log k has slope {found['slope']:.2f}, intercept {found['intercept']:.2f} and "
        f"correlation {found['correlation']:.2f}.",
        in_part=found["correlation"] > 0.5,
    )


def _never(result: dict[str, Any]) -> Judgement:
    found = result["pmi"]["skip-gram"]
    return judged(
        found["never_negative"] > 0.95,
        f"w·c is negative in {100 * found['never_negative']:.1f} % of pairs never seen together, and in "
        f"{100 * found['observed_negative']:.1f} % of those seen.",
        in_part=found["never_negative"] > found["observed_negative"],
    )


def _orders(result: dict[str, Any]) -> Judgement:
    rank = result["pmi"]["skip-gram"]["orders"]
    return judged(
        rank > 0.9, f"Over pairs seen together, w·c and cos(w, w′) agree in rank by {rank:.2f} (Spearman).", rank > 0.5
    )


def _scores(result: dict[str, Any]) -> dict[str, float]:
    return {m["kind"]: m["spearman"] for m in result["comparison"]["models"]}


def _predict_beats_count(result: dict[str, Any]) -> Judgement:
    scores = _scores(result)
    told = ", ".join(f"{kind} {score:.3f}" for kind, score in scores.items())
    trained, counted = (min, max)
    better = trained(scores["skip-gram"], scores["cbow"]) > counted(scores["ppmi"], scores["shifted-pmi"])
    return judged(better, f"Spearman on MEN: {told}.", in_part=scores["skip-gram"] > scores["shifted-pmi"])


def _shift_helps(result: dict[str, Any]) -> Judgement:
    scores = _scores(result)
    return judged(
        scores["shifted-pmi"] > scores["ppmi"],
        f"Spearman on MEN: PPMI {scores['ppmi']:.3f}, shifted by log 5 {scores['shifted-pmi']:.3f}.",
    )


def _neighbors(result: dict[str, Any]) -> Judgement:
    near = {m["kind"]: set(m["neighbors"]["king"]) for m in result["comparison"]["models"]}
    shared = [len(near[a] & near[b]) for a, b in itertools.combinations(near, 2)]
    return judged(
        min(shared) >= 7,
        f"Of the ten nearest to king two of the four models share {min(shared)} to {max(shared)}.",
        in_part=max(shared) >= 5,
    )


def _tied(result: dict[str, Any]) -> Judgement:
    a, b = (result["likeness"][f"tied to {side}"]["procrustes"] for side in ("input", "output"))
    return judged(
        b > a, f"After the best rotation its mean cosine is {b:.3f} with the untied output and {a:.3f} with the input."
    )


def _cone(result: dict[str, Any]) -> Judgement:
    runs = {name: (moments[0], moments[-1]) for name, moments in result["runs"].items()}
    told = "; ".join(
        f"{name}: input {_cosine(first['mean_cosine_in'])} → {_cosine(last['mean_cosine_in'])}, output "
        f"{_cosine(first['mean_cosine_out'])} → {_cosine(last['mean_cosine_out'])}"
        for name, (first, last) in runs.items()
    )
    risen = [last["mean_cosine_out"] > 0.05 for _, last in runs.values()]
    return judged(all(risen), f"Mean cosine from the first step to the last, {told}.", in_part=any(risen))


def _cosine(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"  # no −0.000


def _ends(result: dict[str, Any]) -> Judgement:
    last = result["runs"]["tied"][-1]
    return judged(
        last["gradient_out"] > last["gradient_in"],
        f"At the last step the tied table's gradient has norm {last['gradient_out']:.4f} through the output end and "
        f"{last['gradient_in']:.4f} through the input end.",
    )


TIE = "armillary train wordnet --model tying"
CLAIMS = (
    Claim("Superposed features arrange themselves as regular polygons", (TOY,), "toy models trained here", _pentagon),
    Claim("Every training run finds that arrangement", (TOY,), "toy models trained here", _every_run),
    Claim(
        "Training follows the phase diagram built by hand",
        ("armillary superpose -n 2 -m 1 --probability 0.611",),
        "toy models trained here",
        _boundary,
    ),
    Claim(
        "Features that never occur together share directions, those that always do keep apart",
        (
            "armillary superpose --preset groups -n 150 -m 30",
            "armillary superpose --preset groups -n 150 -m 75",
        ),
        "toy models trained here",
        _company,
    ),
    Claim(
        "At its optimum word2vec is PMI − log k",
        (
            "from armillary.origins.word2vec import optimum; "
            "w, c = optimum([[1.0 + abs(i - j) for j in range(10)] for i in range(10)]); print(w @ c.T)",
        ),
        "a table of counts",
        _optimum,
    ),
    Claim("A trained word2vec is a factorisation of PMI", (WORDS,), "dictionary", _factorises),
    Claim("Words never seen together get a negative product", (WORDS,), "dictionary", _never),
    Claim("First- and second-order similarity are the same", (WORDS,), "dictionary", _orders),
    Claim("Predicting beats counting", (WORDS,), "dictionary, MEN", _predict_beats_count),
    Claim("The shift by log k helps the SVD", (WORDS,), "dictionary, MEN", _shift_helps),
    Claim("All word models give the same neighbours", (WORDS,), "dictionary", _neighbors),
    Claim("A tied table is an output table", (TIE,), "a miniature trained on wordnet", _tied),
    Claim("Training alone makes the cone", (TIE,), "a miniature trained on wordnet", _cone),
    Claim("The output end moves a tied table more than the input end", (TIE,), "a miniature trained on wordnet", _ends),
)
