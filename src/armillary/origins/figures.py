"""The laboratories' results as figures: data in the report's form, drawn as SVG by the same hand as the report's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.report.model import FigureData, Role, Series

if TYPE_CHECKING:
    from armillary.origins.packing import Frontier, Packing
    from armillary.origins.superposition import Groups, PhaseDiagram, ToyModels
    from armillary.origins.tying import Tying
    from armillary.origins.word2vec import PmiCheck, WordModel


def svg(figure: FigureData) -> str:
    """The figure as an `<svg>` element."""
    from armillary.report.drawing import draw

    return draw(figure)


def packing_figure(packing: Packing) -> FigureData:
    """Where every start ended, sorted, between the bound and the random code."""
    ends = sorted(start.cosine for start in packing.starts)
    marks: list[tuple[str, Role, float]] = [
        ("no code can be below", "bound", packing.bound),
        ("random code, median", "random", packing.random),
    ]
    if packing.best_known is not None:
        marks.append(("best known", "bound", packing.best_known))
    flat = [Series.of("line", name, [1, max(len(ends), 2)], [value, value], role) for name, role, value in marks]
    return FigureData(
        id="packing",
        title=f"{packing.reached:,} of {len(ends):,} starts reach the best packing of {packing.size:,} "
        f"in {packing.dimension:,} dimensions",
        alt="The largest cosine that each start ended at, in ascending order, with the bound and the random code.",
        x_label="starts, best first",
        y_label="largest cosine",
        series=[Series.of("points", "starts", range(1, len(ends) + 1), ends), *flat],
        caption="Each start descends on log-sum-exp of the cosines and is polished when near the best.",
    )


def frontier_figure(frontier: Frontier) -> FigureData:
    """The smallest angle against the alignment of category pairs."""
    points = frontier.points
    return FigureData(
        id="frontier",
        title=f"Keeping {frontier.categories:,} categories close costs angle",
        alt="The smallest angle falls as pairs of one category are brought closer.",
        x_label="mean cosine within a category",
        y_label="smallest angle, degrees",
        series=[Series.of("points", "packings", (p.within for p in points), (p.angle for p in points))],
        caption=f"{frontier.size:,} unit vectors in {frontier.dimension:,} dimensions; one point a weight λ.",
    )


def features_figure(models: ToyModels, instance: int = 0) -> FigureData:
    """The features of one instance, drawn in the plane: as they are for two dimensions, else on the first two axes."""
    features = models.weights[instance]
    m, n = features.shape
    plane = np.vstack([features, np.zeros_like(features)])[:2] if m < 2 else features[:2]
    return FigureData(
        id="features",
        title=f"{n:,} features in {m:,} dimensions, the instance of loss {models.losses[instance]:.3g}",
        alt="Each feature as a line from the origin to its direction.",
        x_label="first hidden dimension",
        y_label="second hidden dimension",
        series=[
            Series.of("line", f"feature {i}", [0.0, plane[0, i]], [0.0, plane[1, i]], "category") for i in range(n)
        ],
        caption="Columns of W." if m <= 2 else "Columns of W on the first two hidden dimensions.",
    )


def phase_figure(diagram: PhaseDiagram) -> FigureData:
    """The boundary of "opposite" built by hand, and the largest probability at which the trained pair still is."""
    from armillary.origins.superposition import boundary

    ratios = diagram.ratios.tolist()
    trained = [
        max((p for p, a in zip(diagram.probabilities.tolist(), row, strict=True) if a == 2), default=float("nan"))
        for row in diagram.trained.tolist()
    ]
    return FigureData(
        id="phase",
        title="A trained pair shares its dimension beyond the boundary built by hand",
        alt="The probability up to which two features share a dimension, against their ratio of importance.",
        x_label="importance of the second feature",
        y_label="probability of a feature",
        x_log=True,
        series=[
            Series.of("line", "built by hand", ratios, map(boundary, ratios), "bound"),
            Series.of("points", "trained, last on the grid", ratios, trained),
        ],
        caption="Built by hand: losses by quadrature. Trained: the instance of lowest loss at each point of the grid.",
    )


def groups_figure(groups: Groups) -> FigureData:
    """Mean |cosine| by the company that features keep."""
    companies = groups.companies
    return FigureData(
        id="groups",
        title="Which features share a direction: " + ", ".join(f"{c.kind} {c.mean_absolute:.3f}" for c in companies),
        alt="Mean absolute cosine of features that never, always or independently occur together.",
        x_label="company",
        y_label="mean |cosine|",
        series=[Series.of("bars", "pairs", range(1, len(companies) + 1), (c.mean_absolute for c in companies))],
        x_names=[c.kind for c in companies],
    )


def losses_figure(model: WordModel) -> FigureData:
    """The loss by epoch of a trained word model."""
    return FigureData(
        id="losses",
        title=f"{model.kind} on {model.source}: loss by epoch",
        alt="The training loss after each epoch.",
        x_label="epoch",
        y_label="loss per word",
        series=[Series.of("line", "loss", range(1, len(model.losses) + 1), model.losses)],
    )


def residuals_figure(check: PmiCheck) -> FigureData:
    """w·c − (PMI − log k) by decile of word frequency: mean, and one standard deviation to each side."""
    x = range(1, len(check.residuals) + 1)
    mean, sd = (np.array(part) for part in zip(*check.residuals, strict=True))
    return FigureData(
        id="residuals",
        title=f"w·c follows PMI − log k with slope {check.slope:.2f} and correlation {check.correlation:.2f}",
        alt="The residual of w·c by decile of word frequency.",
        x_label="decile of word frequency, rarest first",
        y_label="w·c − (PMI − log k)",
        series=[
            Series.of("line", "mean", x, mean),
            Series.of("line", "one sd above", x, mean + sd, "random"),
            Series.of("line", "one sd below", x, mean - sd, "random"),
            Series.of("line", "exact optimum", [x[0], x[-1]], [0.0, 0.0], "bound"),
        ],
        caption=f"{check.pairs:,} pairs that occur together {check.least_count:g} times or more.",
    )


def tying_figure(tying: Tying) -> FigureData:
    """The gradient at each end over the steps, tied and untied."""
    runs = [run for run in (tying.tied, tying.untied) if run]
    series = [
        Series.of(
            "line",
            f"{'tied' if run.tied else 'untied'}, {end}",
            (m.step for m in run.moments),
            (m.gradient_in if end == "input" else m.gradient_out for m in run.moments),
            "category",
        )
        for run in runs
        for end in ("input", "output")
    ]
    return FigureData(
        id="tying",
        title="The gradient of the table through its two ends",
        alt="Norm of the table's gradient at the input and the output end, over training steps.",
        x_label="step",
        y_label="gradient norm",
        y_log=True,
        series=series,
        caption=tying.title + ".",
    )


def dimension_figure() -> FigureData:
    """d against parameters of the published models, with the fitted power law."""
    from armillary.origins.dimension import dimension_choice, models

    known = sorted(models(), key=lambda m: m.total_params)
    law = dimension_choice().width
    ends = [known[0].total_params, known[-1].total_params]
    return FigureData(
        id="dimension",
        title=f"Published models widen as parameters to the power {law.exponent:.2f} ({law.low:.2f} to {law.high:.2f})",
        alt="Width against parameters of published language models on logarithmic axes, with the fitted line.",
        x_label="parameters",
        y_label="width d",
        x_log=True,
        y_log=True,
        series=[
            Series.of("points", "models", (m.total_params for m in known), (m.dim for m in known)),
            Series.of("line", "fit", ends, map(law.at, ends), "bound"),
        ],
    )
