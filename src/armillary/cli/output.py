"""What a command prints: the answer on standard output, everything else on standard error.

A command calls `show(result, text)` once. With `--json` that is one document `{"armillary", "command", "source",
"result"}` and nothing else; otherwise it is `text`. Bars and colour appear only where a person looks: on a terminal,
without `NO_COLOR` for colour.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from armillary.answer import Answer, Listing, aligned, inert, size
from armillary.answer.columns import Align

# what JSON may hold as it is and a terminal, or a reader of lines, acts on; inside strings only, so an escape is the same
_ACTS_IN_JSON = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_EIGHTHS = " ▏▎▍▌▋▊▉"
_STYLES = {"accent": "33", "quiet": "2", "strong": "1"}


def show(command: str, source: Any, result: Answer | Mapping[str, Any], text: str, as_json: bool) -> None:
    """Print a command's answer: `text`, or the JSON document of `result` where `as_json`.

    `source` is what the answer is about: a Table, a Provenance, a mapping, or None.
    """
    print(document(command, source, result) if as_json else inert(text))


def document(command: str, source: Any, result: Answer | Mapping[str, Any]) -> str:
    """The one JSON document of a command. NaN and infinities become null: JSON has neither."""
    from armillary import __version__

    text = json.dumps(
        {"armillary": __version__, "command": command, "source": _source(source), "result": plain(_mapping(result))},
        ensure_ascii=False,
        allow_nan=False,
        indent=2,
    )
    return _ACTS_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def note(text: str) -> None:
    """A line for people, on standard error, so that standard output stays the answer."""
    print(inert(text), file=sys.stderr)


def note_model(study: Any) -> None:
    """What opening a study's model takes, before it is opened."""
    if study.model_bytes is not None:
        count = study.provenance.parameters
        note(f"opening the model: {count:,} parameters, {size(study.model_bytes)} of memory in float32")


def note_if(text: str) -> None:
    """The note, unless there is nothing to say."""
    if text:
        note(text)


def table(
    rows: Sequence[Sequence[str]],
    align: Sequence[Align],
    header: Sequence[str] = (),
    *,
    indent: str = "  ",
    widest: int = 40,
) -> str:
    """An aligned text table; right-to-left cells are isolated on a terminal."""
    body = aligned(rows, align, header, isolate=is_terminal(), widest=widest)
    return "\n".join(indent + line for line in body.splitlines())


def listing(found: Listing, notes: Sequence[str] | None = None) -> str:
    """A result that is a table, as text: its title, its rows, what a reader must know beside them (or `notes`)."""
    header, rows, align, more = found.cells()
    body = table(rows, align, header, widest=found.widest)
    return around(found, body, [more, *(found.notes if notes is None else notes)])


def around(found: Listing, body: str, notes: Sequence[str]) -> str:
    """A listing's rows, as `body`, between what stands over them and `notes`."""
    remarks = [*found.remarks, ""] if found.remarks else []
    notes = [note for note in notes if note]
    return "\n".join([*remarks, found.title, "", body, *(["", *notes] if notes else [])])


def bar(share: float, width: int = 24) -> str:
    """A bar for a share of 0 … 1 in eighths of a cell; empty where nobody looks (no terminal)."""
    if not is_terminal() or not math.isfinite(share):
        return ""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def paint(text: str, style: str) -> str:
    """`text` in one of the styles `accent`, `quiet`, `strong`; plain where there is no terminal or `NO_COLOR` is set."""
    if not is_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def is_terminal(stream: TextIO | None = None) -> bool:
    """Whether a person looks at `stream`, by default standard output."""
    return (stream or sys.stdout).isatty()


def plain(value: Any) -> Any:
    """`value` as JSON can hold it: numpy values as Python's, NaN and infinities as None, tuples as lists."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return plain(value.tolist())
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _mapping(result: Any) -> Any:
    return result.to_dict() if hasattr(result, "to_dict") else result


def _source(source: Any) -> Any:
    if source is None:
        return {}
    provenance = getattr(source, "provenance", None)  # a Table or a Study
    if provenance is None:
        return plain(_mapping(source))
    shape = getattr(source, "shape", ())
    return plain({**provenance.to_dict(), **({"shape": list(shape)} if shape else {})})
