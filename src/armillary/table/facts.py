"""What is known about a table besides its rows: where it came from, how it was read, which rows are odd."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

OUTSIDE = "outside float32's range"  # why a row is left out, where its stored numbers are sound
SCALE = "scale the table: numbers are read as float32, from about 1e-45 to 3.4e38"


@dataclass(frozen=True)
class Provenance:
    """Where a table came from.

    `source`: path or name as the user gave it. `tensor`: its name in the file. `stored`: dtype or quantisation as
    stored (`F16`, `Q8_0`). `tied`: whether input and output are one table (None: cannot be told). `scale`: factor
    the model multiplies rows by on lookup (√d for Gemma; 1.0 otherwise), *not* applied to the rows here.
    `parameters`: of the whole model, None where the file does not hold it all; `architecture`: as the file says.
    """

    source: str
    tensor: str = ""
    stored: str = "F32"
    tied: bool | None = None
    scale: float = 1.0
    parameters: int | None = None
    architecture: str = ""
    licence: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Candidate:
    """A tensor that might be the table: its name, shape, stored type, and why it ranks where it does."""

    tensor: str
    shape: tuple[int, ...]
    stored: str
    reason: str = ""


@dataclass(frozen=True)
class LoadReport:
    """Header facts: everything known about a file without reading its rows.

    `tied_because` says how tying was decided. `contradictions` are claims (header counts, config flags, file
    names) that the bytes contradict, each a whole sentence. `notes` are facts worth a line that contradict nothing.
    """

    format: str
    files_read: tuple[str, ...] = ()
    files_ignored: tuple[str, ...] = ()
    tensor: str = ""
    stored: str = "F32"
    rows: int = 0
    width: int = 0
    tokens: int = 0
    padded_rows: int = 0
    holes: int = 0
    tokens_without_row: int = 0
    duplicate_names: int = 0
    tied_because: str = ""
    contradictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class RowFacts:
    """Facts that one pass over the rows finds. All id arrays are ascending int64.

    `equal_groups`: groups of ids whose decoded values are equal (−0.0 = 0.0), each of two or more, zero and
    non-finite rows left out. `sha256`: of the decoded float32 rows, little-endian, in order. `relative_loss`: the
    largest relative error that decoding to float32 made, 0 unless more precise numbers are stored. `outside`: rows among
    the zero and non-finite ones that float32 made so, from stored numbers too large or all too small for it.
    """

    zero: NDArray[np.int64]
    non_finite: NDArray[np.int64]
    equal_groups: tuple[tuple[int, ...], ...]
    sha256: str
    norms: NDArray[np.float64] = field(repr=False, default_factory=lambda: np.zeros(0))
    relative_loss: float = 0.0
    outside: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def equal_rows(self) -> int:
        """How many rows have an equal elsewhere and are not the first of their group."""
        return sum(len(group) - 1 for group in self.equal_groups)

    @property
    def outside_note(self) -> str | None:
        """What is no fault of the zero and non-finite rows but of the numbers they are read as; None where it is theirs."""
        n = len(self.outside)
        return f"Of these, {n:,} {'lies' if n == 1 else 'lie'} {OUTSIDE}: {SCALE}." if n else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "zero": self.zero.tolist(),
            "non_finite": self.non_finite.tolist(),
            "equal_groups": [list(g) for g in self.equal_groups],
            "equal_rows": self.equal_rows,
            "sha256": self.sha256,
            "relative_loss": self.relative_loss,
            "outside_float32": self.outside.tolist(),
        }


Header = Mapping[str, Any]  # header facts of the file (config, GGUF keys), for rooms that need more than the table
