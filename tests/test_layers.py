"""The house holds: imports go strictly down, start-up stays light, and what is public is listed once."""

from __future__ import annotations

import ast
import importlib
import itertools
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import armillary

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "armillary"

LAYERS = {
    "shapes": 0,
    **dict.fromkeys(("errors", "answer"), 1),
    **dict.fromkeys(("table", "measure", "bounds", "storage"), 2),
    **dict.fromkeys(("formats", "catalog", "sphere", "scan", "report"), 3),
    **dict.fromkeys(("geometry", "words", "repairs"), 4),
    **dict.fromkeys(("origins", "lens"), 5),
    "study": 6,
    "web": 7,
    "cli": 8,
}
# rooms that may import less than all that is below them
NARROWER = {
    "scan": {"errors"},
    "report": {"errors", "answer", "table", "measure", "storage"},
    "web": {"errors", "answer", "storage", "study", "report"},
}
HEAVY = {
    "numba",
    "jaxtyping",
    "torch",
    "transformers",
    "gensim",
    "matplotlib",
    "fastapi",
    "pydantic",
    "gguf",
    "onnx",
    "scipy.stats",
}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def rooms_imported(path: Path) -> set[tuple[str, int]]:
    """(room, line) of every import of armillary in a file, those inside functions included."""
    found: set[tuple[str, int]] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports by a relative name"
            is_root = node.module == "armillary"
            names = [f"armillary.{a.name}" for a in node.names] if is_root else [node.module or ""]
        found |= {((*name.split("."), "")[1], node.lineno) for name in names if name.split(".")[0] == "armillary"}
    return {(room, line) for room, line in found if room != "__version__"}


def test_imports_go_strictly_down() -> None:
    wrong: list[str] = []
    files = [p for p in SOURCE.rglob("*.py") if p.parent != SOURCE or not p.name.startswith("__")]
    for path in files:
        room = room_of(path)
        below = {name for name, layer in LAYERS.items() if layer < LAYERS[room]}
        allowed = (NARROWER.get(room, below) | {room, "shapes"}) & set(LAYERS)
        wrong += [
            f"{path.relative_to(ROOT)}:{line}: {room} imports {imported or 'the package root'}"
            for imported, line in rooms_imported(path)
            if imported not in allowed
        ]
    assert files and not wrong, "\n".join(wrong)


def loaded_by(*arguments: str) -> set[str]:
    """Modules in a fresh interpreter after armillary ran with these arguments (none: after the bare import)."""
    run = f"sys.argv = ['armillary', *{arguments!r}]; from armillary.cli import main; main()" if arguments else ""
    program = (
        f"import sys, armillary\ntry:\n    {run or 'pass'}\nexcept SystemExit:\n    pass\nprint('loaded', *sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    run_it = [sys.executable, "-c", program]
    out = subprocess.run(run_it, capture_output=True, text=True, check=True, env=environment).stdout
    return set(out.rpartition("loaded ")[2].split())


@pytest.mark.parametrize("arguments", [(), ("--help",), ("fetch", "--list"), ("bounds", "100", "8")], ids=" ".join)
def test_light_things_load_nothing_heavy(arguments: tuple[str, ...]) -> None:
    loaded = loaded_by(*arguments)
    assert "armillary" in loaded
    by_typer = {"pydantic"} if arguments not in ((), ("--help",)) else set()  # it parses arguments with it since 0.29
    assert loaded & HEAVY - by_typer == set()


def test_public_names_are_listed_once_and_all_load() -> None:
    assert set(armillary.__all__) == {*armillary._ROOM_OF, "__version__"}
    for name in armillary._ROOM_OF:
        assert getattr(armillary, name).__module__.startswith(f"armillary.{armillary._ROOM_OF[name]}")


def test_every_command_is_documented_and_says_what_it_does() -> None:
    from armillary.cli import COMMANDS

    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    for name, module in COMMANDS.items():
        assert f"\n## {name}\n" in page and f"{{{{ help {name} }}}}" in page, (
            f"docs/commands.md has no section {name} with its help"
        )
        doc = importlib.import_module(f"armillary.cli.{module}").command.__doc__
        assert doc and doc.strip().endswith("."), f"the command {name} has no sentence of help"


def test_every_dependency_and_every_table_has_its_licence_in_the_docs() -> None:
    from armillary.catalog import ENTRIES

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    page = (ROOT / "docs" / "licences.md").read_text("utf-8")
    for requirement in wanted:
        name = re.split(r"[\[<>=]", requirement)[0]
        assert name == "armillary" or re.search(rf"(\| |, ){re.escape(name)}[ ,]", page), f"no licence of {name}"
    assert "{{ tables }}" in page and all(entry.licence for entry in ENTRIES.values())


def test_files_stay_small() -> None:
    lengths = {p.relative_to(ROOT): len(p.read_text("utf-8").splitlines()) for p in SOURCE.rglob("*.py")}
    assert {path: n for path, n in lengths.items() if n > 300} == {}


def test_requirements_name_packages_and_never_addresses() -> None:
    for name in ("constraints.txt", "pyproject.toml", "Makefile"):
        text = (ROOT / name).read_text("utf-8")
        assert "://" not in text and "index-url" not in text and " @ " not in text, name
