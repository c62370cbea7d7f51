"""What helps with a command line that cannot be meant: the line put right, an example of it, or its help."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Sequence
from typing import Any

from armillary.errors import ArmillaryError, UnreadableError, UsageError

# a line that works, for each command that cannot do without words of its own
EXAMPLES = {
    "info": "info demo",
    "lookup": 'lookup demo "the king"',
    "neighbors": "neighbors demo king",
    "similarity": "similarity demo king queen",
    "analogy": "analogy demo king - man + woman",
    "direction": "direction demo man woman",
    "cluster": "cluster demo",
    "scan": "scan demo",
    "report": "report demo -o report.html",
    "tokens": 'tokens demo --sort "norm desc"',
    "repair": "repair demo --method all-but-the-top",
    "health": "health demo",
    "compare": "compare A.safetensors B.safetensors",
    "check": "check report.json --max mean_cosine=0.1",
    "evaluate": "evaluate demo",
    "calibrate": "calibrate demo -o calibrator",
    "convert": "convert demo demo.parquet",
    "bounds": "bounds 32000 256",
    "pack": "pack 100 3",
    "lens": 'lens MODEL "The capital of France is"',
    "dims": "dims",
    "fetch": "fetch --list",
    "export": "export demo page",
}
_PLACED = {"convert": "convert MODEL OUT", "export": "export MODEL DIR"}  # what is written has a place, and no -o
_SIZED = ("bounds", "pack")
_WORDED = ("lookup", "neighbors", "similarity", "lens")


def command_of(arguments: Sequence[str]) -> str:
    """The command that was called; empty if none was."""
    from armillary.cli import COMMANDS

    return next((a for a in arguments if a in COMMANDS), "")


def usual_cure(error: ArmillaryError, arguments: Sequence[str]) -> str:
    """What helps with most errors of a kind, for those that name nothing better."""
    if isinstance(error, UnreadableError):
        return "copy or write the file again, or name another"
    return _shown(command_of(arguments)) if isinstance(error, UsageError) else ""


def usage(error: Any, arguments: Sequence[str]) -> tuple[str, str]:
    """(message, cure) of arguments that the parser refuses."""
    message = " ".join(error.format_message().split()).rstrip(".")
    message, name, cure = message[0].lower() + message[1:], command_of(arguments), ""
    option = getattr(error, "option_name", "") or ""
    if type(error).__name__ == "NoSuchOption" or option:
        message, cure = _option(message, next((a for a in arguments if a.startswith(option)), option), name)
    elif not name and (meant := _meant(arguments)):
        cure = meant
    if name == "analogy":  # `king -man + woman`: the shell hands -man over as options
        cure = "put a space after each minus: king - man + woman"
    if not cure:
        return message, _shown(name)
    return message, f"{cure}; {_help(name)}" if name else cure


def _option(message: str, option: str, name: str) -> tuple[str, str]:
    if name in _SIZED and re.match(r"-\d", option):
        return f"expected V of at least 2 and d of at least 1, found {option}", ""
    if name in _PLACED and option in ("-o", "--output"):
        return f"{message}: what is written is named without it", f"armillary {_PLACED[name]}"
    if name in _WORDED and re.match(r"-[^-]", option):
        return message, f"a word that begins with - goes after --: armillary {name} MODEL -- {option}"
    return message, ""


def _meant(arguments: Sequence[str]) -> str:
    """The line with the command that was most likely meant; empty where none is near."""
    from armillary.cli import COMMANDS

    typed = next((a for a in arguments if not a.startswith("-")), "")
    near = difflib.get_close_matches(typed, COMMANDS, 1)
    return shlex.join(["armillary", *(near[0] if a is typed else a for a in arguments)]) if near else ""


def _shown(name: str) -> str:
    """An example of a command, and where its help is."""
    example = f"for example armillary {EXAMPLES[name]}; " if name in EXAMPLES else ""
    return example + _help(name)


def _help(name: str) -> str:
    return f"armillary {name} --help shows what it takes" if name else "armillary --help lists the commands"
