"""The page of claims: what it says can be typed, and it says what was tested by this version."""

from __future__ import annotations

import ast
import builtins
import importlib
import shlex
import sys
from pathlib import Path

import pytest

from armillary.cli import COMMANDS

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def maker():
    sys.path.insert(0, str(DOCS))
    yield importlib.import_module("make_claims")
    sys.path.remove(str(DOCS))


def test_every_command_can_be_typed(maker):
    for command in {command for claim in maker.CLAIMS for command in claim.commands}:
        if command.startswith("armillary "):
            assert shlex.split(command)[1] in COMMANDS
            continue
        tree = ast.parse(command)
        bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for line in tree.body:
            if isinstance(line, ast.ImportFrom):
                assert all(hasattr(importlib.import_module(str(line.module)), name.name) for name in line.names)
            bound |= {name.name for name in line.names} if isinstance(line, ast.Import | ast.ImportFrom) else set()
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert used <= bound | set(dir(builtins)), command


def test_the_page_is_its_own_record(maker, tmp_path, monkeypatch):
    rows = maker.kept()
    monkeypatch.setattr(maker, "PAGE", tmp_path / "claims.md")
    assert maker.kept() == {}
    maker.write(rows)
    assert maker.kept() == rows
    one = next(iter(rows))
    maker.write({text: row for text, row in rows.items() if text != one})
    (untested,) = [line for line in maker.PAGE.read_text("utf-8").splitlines() if line.startswith("Not tested yet: ")]
    assert one not in maker.kept() and one in untested
    maker.PAGE.write_text(maker.PAGE.read_text("utf-8").replace(maker.LAST, "Made with armillary 0.0."), "utf-8")
    assert maker.kept() == {}  # what another version said is tested anew


def test_every_claim_of_the_page_is_tested(maker):
    page = maker.PAGE.read_text("utf-8")
    assert set(maker.kept()) == {claim.text for claim in maker.CLAIMS} and "Not tested yet" not in page
    assert page.count("\n| ") == len(maker.CLAIMS) + 1
    assert len(maker.CLAIMS) >= 20
