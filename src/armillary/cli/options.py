"""Arguments and options that several commands share, each with its one help text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from armillary.errors import MOST_SEED

Model = Annotated[str, typer.Argument(metavar="MODEL", help="A file or folder, demo, demo:NAME, or hf:owner/name.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Tensor = Annotated[str | None, typer.Option(metavar="NAME", help="The tensor to read, where a file has several.")]
Tokens = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Tokens of a bare array, one a row (txt, json, parquet).")
]
Without = Annotated[
    str, typer.Option(metavar="KINDS", help="Kinds of row to leave out, by comma: unused, control, byte, …")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Read and write nothing in the user's cache.")]


def seed_option(of: str) -> Any:
    """The option `--seed` of a command, which says what it is the seed of; out of range it is refused at once."""
    return typer.Option("--seed", metavar="N", min=0, max=MOST_SEED, help=f"Seed {of}.")


def kinds(without: str) -> tuple[str, ...]:
    """The kinds named in a `--without`."""
    return tuple(name.strip() for name in without.split(",") if name.strip())
