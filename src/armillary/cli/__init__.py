"""The command line: a command parses, calls one library function, prints.

Each command is one file with a typed function `command`; its heavy imports stand inside the function, so that
`armillary --help` loads none of them. This file lists the commands in the order of the help, and draws the line
where errors become one message and an exit code.
"""

from __future__ import annotations

import sys
from importlib import import_module

import typer

# name on the command line -> module in this room, in the order of the help
COMMANDS: dict[str, str] = {}

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="The exact geometry of any token-embedding table. MODEL is a path, demo, demo:NAME, or hf:owner/name.",
)

for _name, _module in COMMANDS.items():
    app.command(_name)(import_module(f"armillary.cli.{_module}").command)


def main() -> None:
    """Run the command line; every error of ours becomes one message on standard error and its exit code."""
    from armillary.errors import ArmillaryError

    debug = "--debug" in sys.argv
    sys.argv = [a for a in sys.argv if a != "--debug"]
    try:
        app()
    except ArmillaryError as error:
        if debug:
            raise
        print(f"error: {error.message}", file=sys.stderr)
        if error.cure:
            print(f"       {error.cure}", file=sys.stderr)
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise SystemExit(130) from None
