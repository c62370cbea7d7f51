"""The figure of a trajectory: how near each checkpoint is to the last, over the checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armillary.answer.columns import cut
from armillary.errors import UsageError
from armillary.storage import atomic_path

if TYPE_CHECKING:
    from armillary.study.comparing import Trajectory

_SHOWN = {"cos_to_last": "cosine to the last", "cka_to_last": "CKA with the last", "overlap_to_last": "neighbour overlap with the last", "mean_cosine": "mean cosine of two tokens"}  # fmt: skip
_NAMED, _WIDEST = 8, 12  # checkpoints whose names fit under the axis, and cells of a name
_COLORS = ("#B08D3C", "#0072B2", "#009E73", "#888888")


def save_figure(trajectory: Trajectory, path: str | Path) -> Path:
    """Draw the trajectory as .svg or .png; UsageError for another ending."""
    target = Path(path)
    if target.suffix.lower() not in (".svg", ".png"):
        raise UsageError(
            f"expected a figure that ends in .svg or .png, found {target.name}", "end its name in .svg or .png"
        )
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "trajectory", "text.parse_math": False}):
        figure = Figure(figsize=(7.2, 3.4), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        places = list(range(1, len(trajectory.names) + 1))
        for (name, label), color in zip(_SHOWN.items(), _COLORS, strict=True):
            values = [float("nan") if v is None else v for v in trajectory.values[name]]
            axes.plot(places, values, "o-", label=label, color=color, markersize=3, linewidth=1.5)
        axes.axhline(0, color="#888888", linewidth=0.8, linestyle=(0, (5, 3)), label="a random table")
        named = len(places) <= _NAMED
        axes.set_xticks(places, [cut(name, _WIDEST) for name in trajectory.names] if named else None)
        axes.set_xlabel("checkpoint, in the order given")
        axes.set_ylabel("value")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8, ncols=3, loc="lower left", bbox_to_anchor=(0, 1.0))  # hides no data
        with atomic_path(target) as temporary:
            kind = target.suffix.lower()[1:]
            figure.savefig(temporary, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return target
