"""The path of one position through the layers, as a journey among the rows of the table.

Each state is compared with every row in the full space, by cosine, since states grow long while rows do not. On a map
it is drawn with the mean length of the rows, so that it lands among them: what is seen there is its direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.errors import UsageError
from armillary.lens.logit_lens import top_ids
from armillary.lens.states import States
from armillary.shapes import Float64
from armillary.table import Table, Token

_K = 5


@dataclass(frozen=True, eq=False, repr=False)
class Path(Listing):
    """One position after each of 0 … L layers: the nearest rows of a table, and its coordinates on a map.

    `norms` (L+1); `nearest` and `cosines`: k a layer; `coordinates` (L+1 m), m = 0 where no axes were given.
    """

    token: Token
    position: int
    norms: tuple[float, ...]
    nearest: tuple[tuple[Token, ...], ...]
    cosines: tuple[tuple[float, ...], ...]
    coordinates: Float64[np.ndarray, "L m"]

    @property
    def title(self) -> str:
        return (
            f"The way of {self.token.text} (position {self.position}) through the layers, among the rows of the table"
        )

    @property
    def notes(self) -> Sequence[str]:
        return ("Cosine with the raw rows in the full space. Layer 0 is the row itself where nothing is added to it.",)

    def columns(self) -> dict[str, Sequence[Any]]:
        return {
            "layer": list(range(len(self.norms))),
            "norm": self.norms,
            "nearest": [" ".join(token.text for token in row) for row in self.nearest],
            "cosine": [round(row[0], 9) for row in self.cosines],  # float32 states hold no more
        }

    def to_dict(self) -> dict[str, Any]:
        layers = [
            {
                "layer": layer,
                "norm": self.norms[layer],
                "nearest": [
                    {"id": token.id, "text": token.text, "cosine": cosine}
                    for token, cosine in zip(self.nearest[layer], self.cosines[layer], strict=True)
                ],
                "coordinates": self.coordinates[layer].tolist(),
            }
            for layer in range(len(self.norms))
        ]
        return {"token": {"id": self.token.id, "text": self.token.text}, "position": self.position, "layers": layers}


def path(
    states: States,
    position: int,
    table: Table,
    *,
    k: int = _K,
    mean: np.ndarray | None = None,
    axes: np.ndarray | None = None,
) -> Path:
    """One position's states with their k nearest rows of a table; ties by id.

    `mean` (d) and `axes` (m d) are those of the map the table is drawn on: coordinates are
    axes·(r·h/‖h‖ − mean), r the mean length of the rows. UsageError for a position that is not there.
    """
    if not 0 <= position < len(states):
        raise UsageError(f"expected a position from 0 to {len(states) - 1}, found {position}")
    line = states.layers[:, position].astype(np.float64)
    norms = np.linalg.norm(line, axis=1)
    directions = line / norms[:, None]
    cosines, length = _cosines(table, directions)
    ids = [top_ids(row, min(k, len(row))) for row in cosines]
    spots = np.zeros((len(line), 0))
    if axes is not None:
        spots = (length * directions - (0 if mean is None else mean)) @ np.asarray(axes, np.float64).T
    return Path(
        token=states.tokens[position],
        position=position,
        norms=tuple(norms.tolist()),
        nearest=tuple(tuple(table.token(int(i)) for i in row) for row in ids),
        cosines=tuple(tuple(cosines[layer, row].tolist()) for layer, row in enumerate(ids)),
        coordinates=spots,
    )


def _cosines(table: Table, directions: np.ndarray) -> tuple[Float64[np.ndarray, "L V"], float]:
    """Cosine of each direction with every row (−1 for rows without a direction), and the mean length of the rows."""
    found, total = np.empty((len(directions), len(table))), 0.0
    for start, block in table.blocks():
        rows = block.astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.where(lengths > 0, (rows @ directions.T).T / lengths, -1.0)
        found[:, start : start + len(block)] = part
        total += float(lengths.sum())
    return found, total / len(table)
