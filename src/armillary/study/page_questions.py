"""What a study answers to someone who looks at it token by token: the map, a card, a search, another space, a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from armillary.bounds import Plan
    from armillary.report import Report
    from armillary.study.atlas import Atlas
    from armillary.study.card import Card
    from armillary.study.study import Study

Progress = Callable[[int, int], None]  # (done, total)


def published_models() -> list[dict[str, Any]]:
    """Published models by name with their vocabulary V and width d."""
    from armillary.origins.dimension import models

    return [{"name": m.model, "rows": m.vocab, "width": m.dim} for m in models()]


class PageQuestions:
    """The questions of the page; `Study` derives from this, and nothing else does."""

    def plan(self, size: int | None = None, dimension: int | None = None) -> Plan:
        """Closed forms for V vectors in d dimensions, by default for as many rows and dimensions as the code has."""
        from armillary.bounds import plan

        rows, width = cast("Study", self).code.shape
        return plan(size or rows, dimension or width)

    def in_space(self, name: str, *, progress: Progress | None = None) -> Study:
        """The same table in another space: raw, centred, all-but-the-top or whitened; a study like this one.

        The repair is fitted on the rows kept, with its defaults; UsageError for an unknown space.
        """
        from armillary.study.spaces import space_of

        return space_of(cast("Study", self), name, progress)

    def first_report(self) -> Report:
        """The sections of the report that cost a few passes over the rows, whether a scan is cached or not."""
        from armillary.study.report import composed

        return composed(cast("Study", self), scanned=False)

    def random_pairs(self, steps: int = 1_000) -> dict[str, Any]:
        """Mean, standard deviation and quantiles (0, 1/steps … 1) of the cosines of random pairs, from the finished scan.

        UsageError for a single row, which has no pair.
        """
        from armillary.errors import UsageError

        study = cast("Study", self)
        around = study.background
        if around is None:
            raise UsageError("expected at least two rows with a direction, found fewer")
        at = np.linspace(-1.0, 1.0, 2_049)
        below = np.array([1.0 - around.share_above(float(cosine)).value for cosine in at])
        quantiles = np.interp(np.linspace(0.0, 1.0, steps + 1), below, at)
        facts = {"mean": around.mean, "sd": around.sd, "pairs": around.pairs, "kind": around.kind}
        return {**facts, "quantiles": quantiles.tolist()}

    def card(self, id: int, k: int = 10) -> Card:
        """A token's card: what it is, its neighbours, and how much of its row the map can show."""
        from armillary.study.card import card_of

        return card_of(cast("Study", self), id, k)

    def atlas(self) -> Atlas:
        """What the map shows: every row on the plane, and the measures that can colour it."""
        from armillary.study.atlas import atlas_of

        return atlas_of(cast("Study", self))

    def search(self, text: str, limit: int = 12) -> list[dict[str, Any]]:
        """Tokens that a text, an id or bytes (`\\xE4\\xBA`) may mean, as plain JSON."""
        from armillary.study.search import search_tokens

        return self.token_views(search_tokens(cast("Study", self), text, limit))

    def token_views(self, ids: Sequence[int]) -> list[dict[str, Any]]:
        """The tokens of these ids as plain JSON, in this order; ids that are none are left out."""
        from armillary.study.card import token_view

        table = cast("Study", self).table
        return [token_view(table.token(id)) for id in ids if 0 <= id < len(table)]
