"""A token's card: what it is, how long its row is, its exact neighbours, and how much of it the map can show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.table import Token

if TYPE_CHECKING:
    from armillary.study.neighbors import Neighbors
    from armillary.study.study import Study


@dataclass(frozen=True)
class Card:
    """One token. `norm` is None where the row is not finite; `neighbors` is None for a row without a direction.

    `shown`: share of the centred row's squared length that lies in the map's plane, in [0, 1]; None in a repaired
    space, which has no map of its own.
    """

    token: Token
    norm: float | None
    searched: int
    neighbors: Neighbors | None = None
    shown: float | None = None

    def to_dict(self) -> dict[str, Any]:
        near = self.neighbors
        return {
            "token": token_view(self.token),
            "norm": self.norm,
            "metric": near.metric if near else "cosine",
            "space": near.space if near else "raw",
            "searched": self.searched,
            "shown": self.shown,
            "neighbours": [
                {**token_view(t), "value": v} for t, v in zip(near.tokens, near.values, strict=True)
            ] if near else None,
        }  # fmt: skip


def card_of(study: Study, id: int, k: int) -> Card:
    """The card of one row; UsageError for an id that is none."""
    from armillary.study.neighbors import neighbors_of

    row = study.table.row(id).astype(np.float64)
    norm = float(np.linalg.norm(row)) if np.isfinite(row).all() else None
    place = int(np.searchsorted(study.code.ids, id))
    token, searched = study.table.token(id), len(study.code)
    if place == searched or study.code.ids[place] != id:
        return Card(token, norm, searched)
    near = neighbors_of(study, id, k, "cosine", calibrated=False)
    shown = float(study.projection.shown[place]) if study.space == "raw" else None  # the map is of the raw rows
    return Card(token, norm, searched, near, shown)


def token_view(token: Token) -> dict[str, Any]:
    """A token as plain JSON text: bytes in hex, halves of characters escaped."""
    text, name = (s.encode("utf-8", "backslashreplace").decode() for s in (token.text, token.name))
    return {"id": token.id, "text": text, "name": name, "bytes": token.bytes.hex(), "kind": token.kind.label}
