"""Where errors end: each becomes one message on standard error and the exit code of its kind.

0 done · 1 a check failed · 2 bad usage, unreadable input, a missing extra · 3 failed while working · 130 interrupted.
`--debug` anywhere shows the traceback instead.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

import typer

from armillary.answer import one_line
from armillary.cli.cures import usage, usual_cure
from armillary.errors import ArmillaryError

# typer carries its own copy of click or imports it, by version; the base of its usage errors is the same either way
_ClickException: Any = typer.BadParameter.__mro__[2]


def run(app: typer.Typer) -> NoReturn:
    """Run the application on `sys.argv` and exit with the code of what happened."""
    debug = "--debug" in sys.argv[1:]
    arguments = [a for a in sys.argv[1:] if a != "--debug"]
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)  # told to end: as Ctrl-C, so that nothing is left behind
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where a shell has it ignored
            signal.signal(signal.SIGINT, _interrupt)
    try:
        code = _ended(app, arguments, debug)
    except KeyboardInterrupt:
        code = 130
    for path in replaced_files():
        print(f"replaced {one_line(str(path))}", file=sys.stderr)
    if code == 130:
        print("interrupted", file=sys.stderr)
    raise SystemExit(code)


class _Interrupted(KeyboardInterrupt):
    """An interrupt of a kind of its own.

    Where the plain one passes through `exec` of a text, as when a data class is made, CPython remembers it and at its end
    kills itself by SIGINT, whoever caught it, instead of returning the exit code.
    """


def _interrupt(*_: object) -> NoReturn:
    raise _Interrupted


def _ended(app: typer.Typer, arguments: list[str], debug: bool) -> int:
    """The exit code of a command that ended by itself or by an error, which is said."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller (`>&-`)
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # open as long as we run
    for stream in (sys.stdout, sys.stderr):  # tokens hold every script, and halves of characters, whatever the locale
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # pyright: ignore
    replaced_files()  # of an earlier run in this process
    try:
        code = _call(app, arguments)
        sys.stdout.flush()
    except Exception as error:
        if debug:
            raise
        return _told(error, arguments)
    return code


def replaced_files() -> list[Path]:
    """Files that were written over since this was asked last; imports nothing, as most commands write none."""
    storage = sys.modules.get("armillary.storage")
    if storage is None:
        return []
    told, storage.replaced[:] = storage.replaced.copy(), ()
    return told


def _call(app: typer.Typer, arguments: list[str]) -> int:
    """The exit code of a command; typer turns an interrupt into 130, and exits by itself on a broken pipe alone."""
    try:
        code = app(args=arguments, prog_name="armillary", standalone_mode=False)
    except SystemExit as error:
        raise BrokenPipeError from error
    return code if isinstance(code, int) else 0


def _told(error: Exception, arguments: list[str]) -> int:
    """Say an error on standard error; the exit code."""
    if isinstance(error, BrokenPipeError):  # the reader of a pipe has seen enough (`| head`)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if isinstance(error, typer.Abort):
        return 130
    if isinstance(error, ArmillaryError):
        return _say(error.message, error.cure or usual_cure(error, arguments), error.exit_code)
    if isinstance(error, _ClickException):
        return _usage(error, arguments)
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "allocate memory" in str(error)):  # torch
        return _say("the machine has too little memory for this", "try a smaller table, or --k 1", 3)
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return _say(f"expected a name that a file can have, found {error.filename}", "give it a shorter name", 2)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return _say(f"{where}{error.strerror or error}", "", 3)
    return _say(f"{type(error).__name__}: {error}", "this is a defect; --debug shows where it happened", 3)


def _usage(error: Any, arguments: list[str]) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":  # no argument at all: the help is the answer
        print(error.format_message())
        return 0
    return _say(*usage(error, arguments), 2)


def _say(message: str, cure: str, code: int) -> int:
    print(f"error: {one_line(message)}", file=sys.stderr)
    if cure:
        print(f"       {one_line(cure)}", file=sys.stderr)
    return code
