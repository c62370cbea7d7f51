"""The command line: a command parses, calls one library function, prints.

Each command is one file with a typed function `command`; its heavy imports stand inside the function, so that
`armillary --help` loads none of them. This file lists the commands in the order of the help; `running` draws the
line where errors become one message and an exit code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated

import typer

from armillary import __version__
from armillary.cli.running import run

# name on the command line -> module in this room, in the order of the help
COMMANDS: dict[str, str] = {
    "info": "info",
    "lookup": "lookup",
    "neighbors": "neighbors",
    "similarity": "similarity",
    "analogy": "analogy",
    "direction": "direction",
    "cluster": "cluster",
    "scan": "scan",
    "report": "report",
    "tokens": "tokens",
    "repair": "repair",
    "health": "health",
    "extend": "extend",
    "compare": "compare",
    "check": "check",
    "evaluate": "evaluate",
    "calibrate": "calibrate",
    "convert": "convert",
    "bounds": "bounds",
    "pack": "pack",
    "superpose": "superpose",
    "train": "train",
    "lens": "lens",
    "drift": "drift",
    "dims": "dims",
    "fetch": "fetch",
    "cache": "cache",
    "serve": "serve",
    "export": "export",
}


def _version(asked: bool) -> None:
    if asked:
        print(f"armillary {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def application(names: Iterable[str] = tuple(COMMANDS)) -> typer.Typer:
    """The command line with these commands."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        help="The exact geometry of any token-embedding table. MODEL is a file or folder of yours, demo (a real table of "
        "32,000 × 256), demo:NAME (more of them: fetch --list), or hf:owner/name. Begin with info MODEL, then report MODEL.",
        epilog="Every command that answers takes --json; any takes --debug, which shows the traceback of an error. armillary COMMAND --help says more.",
    )
    app.callback()(_root)
    for name in names:
        app.command(name)(import_module(f"armillary.cli.{COMMANDS[name]}").command)
    return app


def main() -> None:
    """Run the command line on this process's arguments and exit."""
    asked = next((a for a in sys.argv[1:] if not a.startswith("-")), "")
    # the command that is asked for alone: building all of them takes longer than most answers
    run(application([asked]) if asked in COMMANDS else application())
