"""Whether a model's input and output are one table: what is stored decides, and a claim that differs is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from armillary.formats.choice import Choice


@dataclass(frozen=True)
class Tie:
    """Tied, untied, or None where it cannot be told; how it was decided; claims that the file contradicts."""

    tied: bool | None
    because: str
    contradictions: tuple[str, ...] = ()


def decide_tie(
    choice: Choice, equal: Callable[[], bool], *, claim: bool | None = None, has_output: bool | None = None
) -> Tie:
    """Decide from the tensors, then compare with the claim.

    `equal()` says whether the two stored tables hold the same numbers, and is only asked where both are stored in
    one shape. `claim` is the config's `tie_word_embeddings`; `has_output` whether the model has an output table at
    all, as far as known. The file wins over the claim (FORMATS 9).
    """
    if choice.input is not None and choice.output is not None:
        return _both_stored(choice.input.name, choice.output.name, _same(choice, equal), claim)
    one = choice.input or choice.output
    name = one.name if one else choice.table.name
    if choice.output is None and not (has_output or claim):
        why = "has no language-model head" if has_output is False else "is not said to have an output"
        return Tie(None, f"only {name} is stored, and the model {why}")
    which = "input" if choice.output is None else "output"
    wrong = f"the config says that input and output differ, but the file holds one table only, {name}"
    return Tie(True, f"only the {which} table {name} is stored: it is both", (wrong,) if claim is False else ())


def _same(choice: Choice, equal: Callable[[], bool]) -> bool:
    assert choice.input is not None and choice.output is not None
    return choice.input.shape == choice.output.shape and equal()


def _both_stored(first: str, head: str, same: bool, claim: bool | None) -> Tie:
    if same:
        wrong = f"the config says that input and output differ, but {first} and {head} hold the same numbers"
        return Tie(True, f"{first} and {head} hold the same numbers", (wrong,) if claim is False else ())
    wrong = f"the config says that input and output are one table, but {first} and {head} differ"
    return Tie(False, f"{first} and {head} are both stored and differ", (wrong,) if claim is True else ())


def repeated_output(choice: Choice, tie: Tie) -> str:
    """Name of the output tensor that holds the input's numbers once more and is not counted again; "" where none does."""
    return choice.output.name if tie.tied and choice.input is not None and choice.output is not None else ""
