"""Which tensor is the table: candidates ranked by name, then by agreement with the vocabulary's size, then by shape."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from armillary.errors import UnreadableError, UsageError
from armillary.formats.layouts import INPUT_NAMES, OUTPUT_NAMES, match_name
from armillary.formats.source import Role
from armillary.table import Candidate

LISTED = 12  # candidates that a load report shows
_GRADE = {"known": 0, "known-elsewhere": 1, "hint": 2, "none": 3, "other": 4}
_REASON = {
    "known": "a known name",
    "known-elsewhere": "a known name under another prefix",
    "hint": "its name says embedding",
    "none": "two-dimensional",
    "other": "its name says something else",
}


@dataclass(frozen=True)
class Tensor:
    """A tensor in a header: name, shape (rows first) and stored type."""

    name: str
    shape: tuple[int, ...]
    stored: str

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        product = 1
        for n in self.shape:
            product *= n
        return product


@dataclass(frozen=True)
class Choice:
    """The table chosen, the ranked candidates, and the input and output tables as far as the file has them."""

    table: Tensor
    candidates: tuple[Candidate, ...]
    input: Tensor | None
    output: Tensor | None
    notes: tuple[str, ...] = ()


def choose_table(
    tensors: Iterable[Tensor],
    source: str,
    wanted: str | None,
    role: Role,
    vocabulary_size: int | None = None,
    index: str = "",
) -> Choice:
    """Choose the table of a role, or the tensor that is named.

    Where only one of input and output is stored, it is both (FORMATS 9). UsageError if `wanted` is missing or not
    two-dimensional (`index` is the file that lists them), UnreadableError if nothing can be the table or several can and none stands out.
    """
    tensors = list(tensors)
    matrices = [t for t in tensors if len(t.shape) == 2 and t.shape[1] > 0]
    inputs = _rank(matrices, INPUT_NAMES, vocabulary_size)
    outputs = _rank(matrices, OUTPUT_NAMES, vocabulary_size)
    head = outputs[0][1] if outputs and outputs[0][0][0] <= 1 else None
    body = [(key, t) for key, t in inputs if t is not head and match_name(t.name, OUTPUT_NAMES)[0] != "known"]
    first = _standing_out(body, alone=head is None)
    shown = tuple(
        Candidate(t.name, t.shape, t.stored, _reason(t, INPUT_NAMES, vocabulary_size))
        for _, t in _with_head(_worth_listing(inputs), head)[:LISTED]
    )
    if wanted is not None:
        return Choice(_named(tensors, wanted, source, index), shown, first, head)
    table = (first or head) if role == "input" else (head or first)
    if table is None:
        raise UnreadableError(*_no_table(source, matrices, shown))
    notes = _only_one(role, first, head)
    return Choice(table, shown, first, head, notes)


_Key = tuple[int, int, int, int, str]


def _rank(matrices: Sequence[Tensor], names: tuple[str, ...], vocabulary_size: int | None) -> list[tuple[_Key, Tensor]]:
    def key(t: Tensor) -> _Key:
        match, order = match_name(t.name, names)
        agrees = vocabulary_size is not None and t.shape[0] == vocabulary_size
        return _GRADE[match], 0 if agrees else 1, order, -t.shape[0], t.name

    return sorted(((key(t), t) for t in matrices), key=lambda pair: pair[0])


def _worth_listing(ranked: list[tuple[_Key, Tensor]]) -> list[tuple[_Key, Tensor]]:
    """Where a name is known, only names that say something and tensors as long as the vocabulary; else all."""
    if not ranked or ranked[0][0][0] > _GRADE["known-elsewhere"]:
        return ranked
    return [(key, t) for key, t in ranked if key[0] <= _GRADE["hint"] or key[1] == 0]


def _with_head(inputs: list[tuple[_Key, Tensor]], head: Tensor | None) -> list[tuple[_Key, Tensor]]:
    """Candidates in order, the output table right after those with a known name."""
    if head is None:
        return inputs
    rest = [pair for pair in inputs if pair[1] is not head]
    at = sum(1 for key, _ in rest if key[0] <= 1)
    return [*rest[:at], ((1, 0, 0, 0, head.name), head), *rest[at:]]


def _standing_out(ranked: list[tuple[_Key, Tensor]], alone: bool) -> Tensor | None:
    """The first by name; else the only one as long as the vocabulary, named like one, or there at all."""
    ranked = [(key, t) for key, t in ranked if key[0] < _GRADE["other"]]
    if ranked and ranked[0][0][0] <= _GRADE["known-elsewhere"]:
        return ranked[0][1]
    agreeing = [t for key, t in ranked if key[1] == 0]
    hinted = [t for key, t in ranked if key[0] == _GRADE["hint"]]
    everything = [t for _, t in ranked] if alone else []
    return next((group[0] for group in (agreeing, hinted, everything) if len(group) == 1), None)


def _reason(t: Tensor, names: tuple[str, ...], vocabulary_size: int | None) -> str:
    output = match_name(t.name, OUTPUT_NAMES)[0] in ("known", "known-elsewhere")
    reason = "a known name of an output table" if output else _REASON[match_name(t.name, names)[0]]
    if vocabulary_size is not None and t.shape[0] == vocabulary_size:
        reason += f"; as many rows as the vocabulary, {vocabulary_size:,}"
    return reason


def _named(tensors: Sequence[Tensor], wanted: str, source: str, index: str) -> Tensor:
    for t in tensors:
        if t.name == wanted:
            if len(t.shape) != 2 or t.shape[1] == 0:
                raise UsageError(f"expected a two-dimensional tensor, found {wanted} of shape {t.shape} in {source}")
            return t
    near = difflib.get_close_matches(wanted, [t.name for t in tensors], n=3, cutoff=0.4)
    cure = "did you mean " + " or ".join(near) if near else "armillary info lists the tensors"
    where = f"which {index} does not name" if index else "found none of that name"
    raise UsageError(f"expected a tensor {wanted} in {source}, {where}", cure)


def _no_table(source: str, matrices: Sequence[Tensor], shown: tuple[Candidate, ...]) -> tuple[str, str]:
    if not matrices:
        return f"expected a two-dimensional tensor in {source}, found none", "give the file that holds the table"
    listed = ", ".join(f"{c.tensor} {c.shape[0]:,}×{c.shape[1]:,}" for c in shown[:5])
    return f"{len(matrices):,} tensors could be the table of {source}: {listed}", "choose one with --tensor NAME"


def _only_one(role: Role, first: Tensor | None, head: Tensor | None) -> tuple[str, ...]:
    if role == "input" and first is None and head is not None:
        return (f"only the output table {head.name} is stored: it is taken as the input table too",)
    if role == "output" and head is None and first is not None:
        return (f"only the input table {first.name} is stored: it is taken as the output table too",)
    return ()
