"""Pages made from the code while the documentation is built, so that they cannot drift from it.

`{{ measures }}` becomes every `Definition` that the rooms hold, `{{ help NAME }}` the help of a command, `{{ tables }}`
the catalog.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import armillary
from armillary.measure import Definition

# rooms that hold definitions; the others need extras or a running server, and define none
ROOMS = ("bounds", "geometry", "words", "repairs", "origins", "lens")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the markers of a page. mkdocs calls this for each page."""
    for marker, make in (("measures", measures), ("tables", tables)):
        if (token := "{{ " + marker + " }}") in markdown:
            markdown = markdown.replace(token, make())
    return re.sub(r"{{ help ([a-z]+) }}", lambda found: command_help(found[1]), markdown)


def definitions() -> dict[str, list[Definition]]:
    """Every definition by room, sorted by title; each once."""
    found: dict[str, list[Definition]] = {}
    seen: set[str] = set()
    for room in ROOMS:
        mine = {d.name: d for module in _modules(room) for d in _definitions_of(module) if d.name not in seen}
        seen |= set(mine)
        if mine:
            found[room] = sorted(mine.values(), key=lambda d: d.title.lower())
    return found


def measures() -> str:
    """The measures page: formula, meaning, range, space and source of each."""
    parts: list[str] = []
    for room, known in definitions().items():
        parts.append(f"## {room.capitalize()}\n")
        parts += [_measure(definition) for definition in known]
    return "\n".join(parts)


def command_help(name: str) -> str:
    """The help of a command, as the terminal prints it."""
    from typer.testing import CliRunner

    from armillary.cli import application

    result = CliRunner().invoke(application(), [name, "--help"], prog_name="armillary", terminal_width=88)
    return f"```text\n{result.output.strip()}\n```"


def tables() -> str:
    """The catalog as a table."""
    from armillary.answer import size
    from armillary.catalog import ENTRIES

    lines = ["| name | download | packages | licence | what |", "|---|--:|---|---|---|"]
    for entry in ENTRIES.values():
        name = f"demo:{entry.name}" if entry.is_table and entry.name != "demo" else entry.name
        packages = ", ".join(source.package for source in entry.sources)
        licence = f"{entry.licence}. ⚠ {entry.caution}" if entry.caution else entry.licence
        lines.append(f"| `{name}` | {size(entry.download)} | {packages} | {licence} | {entry.about} |")
    return "\n".join(lines)


def _measure(d: Definition) -> str:
    unit = f" {d.unit}" if d.unit else ""
    low, high = ("−∞" if d.low is None else f"{d.low:g}"), ("∞" if d.high is None else f"{d.high:g}")
    title = f"### {d.title} {{ #{d.name} }}\n\n{d.meaning}\n"
    rows = [("formula", f"`{d.formula}`"), ("range", f"{low} … {high}{unit}"), ("space", d.space), ("source", d.source)]
    body = "\n".join(f"| {name} | {value.replace('|', '&#124;')} |" for name, value in (("name", f"`{d.name}`"), *rows))
    return f"{title}\n| | |\n|---|---|\n{body}\n"


def _modules(room: str) -> Iterator[Any]:
    try:
        package = importlib.import_module(f"{armillary.__name__}.{room}")
    except ModuleNotFoundError as error:
        if error.name != f"{armillary.__name__}.{room}":
            raise
        return
    yield package
    for found in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{package.__name__}."):
        yield importlib.import_module(found.name)


def _definitions_of(module: Any) -> Iterator[Definition]:
    for value in vars(module).values():
        if isinstance(value, Definition):
            yield value
        elif isinstance(value, dict):
            yield from (item for item in value.values() if isinstance(item, Definition))
        elif isinstance(value, tuple | list):
            yield from (item for item in value if isinstance(item, Definition))
