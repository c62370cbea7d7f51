"""A claim: a sentence people say, the commands that test it, and how their results are judged."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

Verdict = Literal["holds", "holds in part", "does not hold"]
Judgement = tuple[Verdict, str]  # and one sentence with the measured numbers


@dataclass(frozen=True)
class Claim:
    """`judge` gets the `result` of each command's JSON document; of a library call (a line of Python) it gets nothing
    and makes the call itself. `tables`: what the claim was tested on."""

    text: str
    commands: Sequence[str]
    tables: str
    judge: Callable[..., Judgement]

    def check(self) -> Judgement:
        """Run the commands (each once per page) and judge."""
        return self.judge(*(run(c) for c in self.commands if c.startswith("armillary ")))


@cache
def run(command: str) -> dict[str, Any]:
    """The `result` of one armillary command."""
    from typer.testing import CliRunner

    from armillary.cli import application

    found = CliRunner().invoke(application(), [*shlex.split(command)[1:], "--json"])
    if found.exit_code:
        raise RuntimeError(f"{command} ended with {found.exit_code}") from found.exception
    return json.loads(found.stdout)["result"]


def judged(holds: bool, sentence: str, in_part: bool = False) -> Judgement:
    """A judgement from one condition; `in_part` where it is neither."""
    return ("holds" if holds else "holds in part" if in_part else "does not hold"), sentence
