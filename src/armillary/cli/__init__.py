"""The command line: a command parses, calls one library function, prints.

Each command is one file with a typed function `command`; its heavy imports stand inside the function, so that
`armillary --help` loads none of them. This file lists the commands in the order of the help; `running` draws the
line where errors become one message and an exit code.
"""

from __future__ import annotations

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

app: typer.Typer = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="The exact geometry of any token-embedding table. MODEL is a path, demo, demo:NAME, or hf:owner/name.",
    epilog="Every command that answers takes --json; any takes --debug, which shows the traceback of an error. armillary COMMAND --help says more.",
)


def _version(asked: bool) -> None:
    if asked:
        print(f"armillary {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


for _name, _module in COMMANDS.items():
    app.command(_name)(import_module(f"armillary.cli.{_module}").command)


def main() -> None:
    """Run the command line on this process's arguments and exit."""
    run(app)
