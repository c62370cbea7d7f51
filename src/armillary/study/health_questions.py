"""What a study answers about the soundness of its rows, and beside another table; a part of `Study`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from armillary.study.comparing import TwoTables
    from armillary.study.health import Health
    from armillary.study.study import Study

Progress = Callable[[int, int], None]  # (done, total)


class HealthQuestions:
    """The questions of health; `Study` derives from this, and nothing else does."""

    @cached_property
    def soundness(self) -> Health:
        """The health without the round trip through the tokenizer; remembered."""
        return self.health(round_trip=False)

    def health(
        self,
        *,
        reference: str | None = None,
        old: Study | None = None,
        round_trip: bool = True,
        progress: Progress | None = None,
    ) -> Health:
        """Odd and under-trained rows with their reasons; of the rows that `old` lacks alone, where it is given.

        `reference`: ids of reference rows, such as `6..104`, instead of those found. `round_trip`: send every token
        through the tokenizer; progress(tokens done, tokens). Needs no scan.
        """
        from armillary.study.health import health_of, new_rows

        study = cast("Study", self)
        only = None if old is None else new_rows(study, old)
        return health_of(study, reference=reference, only=only, trip=round_trip, progress=progress)

    def compare(self, other: Study | None = None, k: int = 10) -> TwoTables:
        """This table beside another over the tokens they share, or beside the model's own output table."""
        from armillary.study.comparing import compare_studies, other_or_output

        study = cast("Study", self)
        return compare_studies(study, other_or_output(study, other), k)
