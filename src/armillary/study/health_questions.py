"""What a study answers about the soundness of its rows, and beside another table; a part of `Study`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from armillary.repairs.plan import Plan
    from armillary.study.comparing import TwoTables
    from armillary.study.health import Health
    from armillary.study.patching import Applied
    from armillary.study.proposals import Padded, Proposal
    from armillary.study.sides import Sides
    from armillary.study.study import Study
    from armillary.study.verification import Verification

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

    def sides(self, untied: Study, k: int = 10) -> Sides:
        """Which table of an untied model with the same tokens this one resembles, its input or its output."""
        from armillary.study.sides import sides_of

        return sides_of(cast("Study", self), untied, k)

    def verify(
        self, found: Health | None = None, most: int = 20, *, device: str = "cpu", progress: Progress | None = None
    ) -> Verification:
        """Whether the running model can repeat the first `most` candidates, beside as many ordinary tokens.

        Needs the extra `lens`. `found`: a health that is there already; progress(prompts done, prompts).
        """
        from armillary.study.verification import verification_of

        return verification_of(cast("Study", self), found or self.soundness, most, device=device, progress=progress)

    def propose_fix(self, found: Health | None = None, *, padded: Padded = "keep", seed: int = 0) -> Proposal:
        """A plan for rows that are broken, double, hardly trained or missing; nothing is changed by it.

        `found`: a health that is there already. `padded`: rows past the last token are kept, dropped, or filled.
        """
        from armillary.study.proposals import propose_fix

        return propose_fix(cast("Study", self), found or self.soundness, padded, seed)

    def propose_extension(
        self, tokens: Sequence[str | bytes], way: str = "pieces", *, multiple: int = 1, seed: int = 0
    ) -> Proposal:
        """A plan that gives new tokens a row, inside the padding first; nothing is changed by it.

        `way`: pieces (the mean of the rows of what spells the token today), mean, draw, or `token:WORD`. `multiple`:
        fill up to a multiple of that many rows.
        """
        from armillary.study.proposals import propose_extension
        from armillary.table import to_bytes

        raw = [to_bytes(token) if isinstance(token, str) else token for token in tokens]
        return propose_extension(cast("Study", self), raw, way, multiple=multiple, seed=seed)

    def apply_plan(self, plan: Plan, output: str | Path) -> Applied:
        """Write what a plan makes, with a record of each change: a whole model as a new folder, or the table alone.

        `output`: a folder that is not there yet (from a Hugging Face folder with safetensors), or NAME.safetensors. The
        original stays. UsageError for a plan that was made for other rows.
        """
        from armillary.study.patching import apply_plan

        return apply_plan(cast("Study", self), plan, output)
