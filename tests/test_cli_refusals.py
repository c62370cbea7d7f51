"""Arguments that cannot be meant: refused before any work, in two lines that a person can read, with nothing written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armillary as arm
from armillary.answer.columns import LONGEST_LINE, LONGEST_WORD, one_line
from armillary.errors import MOST_SEED, UsageError
from armillary.formats import write_safetensors
from armillary.repairs import Training
from armillary.storage import atomic_path
from armillary.study.sections import load

HUGE = "1" + "0" * 400
LONG = "a" * 300
ROWS = np.random.default_rng(7).standard_normal((200, 16)).astype(np.float32)
SEEDED = [
    ("pack", "5", "2", "--starts", "1"),
    ("superpose", "--steps", "1"),
    ("train", "wordnet"),
    ("repair", "ok.npy", "--method", "contrastive", "--pairs", "neighbours"),
    ("health", "ok.npy", "--fix", "plan.json"),
    ("extend", "ok.npy", "new.txt", "--init", "draw"),
]


@pytest.fixture
def call(tmp_path, monkeypatch, command_line):
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    np.save("ok.npy", ROWS)
    Path("new.txt").write_text("alpha\nbeta\n")
    return command_line


def refused(call, *arguments: str) -> str:
    """The first line of the refusal."""
    before = set(Path().iterdir())
    code, out, err = call(*arguments)
    first, *rest = err.splitlines()
    assert (code, out) == (2, "")
    assert first.startswith("error: ") and len(rest) == 1 and rest[0].startswith("       ")
    assert max(map(len, (first, *rest))) < LONGEST_LINE + 10
    assert set(Path().iterdir()) - {Path("cache")} == before - {Path("cache")}
    return first


@pytest.mark.parametrize("arguments", SEEDED, ids=lambda found: found[0])
@pytest.mark.parametrize("seed", ["-1", str(MOST_SEED + 1)])
def test_every_seed_is_checked_before_any_work(call, arguments, seed):
    assert "'--seed'" in refused(call, *arguments, "--seed", seed)


@pytest.mark.parametrize("seed", [-1, MOST_SEED + 1])
def test_every_seed_is_checked_by_the_library_too(seed):
    from armillary.origins import packing, superposition, word2vec

    study = arm.Study(arm.Table.from_array(ROWS))
    for ask in (
        lambda: packing.pack(5, 2, starts=1, seed=seed),
        lambda: packing.frontier([0, 0, 1, 1], 2, seed=seed),
        lambda: superposition.train(5, 2, seed=seed),
        lambda: word2vec.Settings(seed=seed),
        lambda: Training(seed=seed),
        lambda: study.propose_fix(seed=seed),
        lambda: study.propose_extension(["alpha"], seed=seed),
    ):
        with pytest.raises(UsageError, match=r"expected a seed from 0 to 9,223,372,036,854,775,807, found "):
            ask()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("repair", "ok.npy", "--hidden", "-1"), "'--hidden'"),
        (("repair", "ok.npy", "--hidden", "1000000000000"), "expected hidden units from 0 to 16,384, found 1,000,000"),
        (("repair", "ok.npy", "--components", "-1"), "expected 0 components to remove or more, and fewer than the 16"),
        (("extend", "ok.npy", "new.txt", "--multiple", "1" + "0" * 18), "fills at most 65,536 rows beyond the 202"),
        (("extend", "ok.npy", "new.txt", "--multiple", HUGE), "fills at most 65,536 rows beyond the 202"),
        (("bounds", HUGE, "3"), "expected a number of vectors V from 2 to 1,000,000,000, found 10,000,"),
        (("bounds", "10", HUGE), "expected a dimension d from 1 to 1,000,000, found 10,000,"),
        (("bounds", "10", "3", "--layers", HUGE), "expected layers L from 1 to 100,000, found 10,000,"),
        (("bounds", "10", "3", "--layers", "0"), "expected layers L from 1 to 100,000, found 0"),
        (("pack", HUGE, "3"), "expected V from 2 to 1,000,000, found 10,000,"),
        (("pack", "5", "3", "--starts", HUGE), "expected starts from 1 to 1,000,000, found 10,000,"),
        (("superpose", "--instances", "1" + "0" * 18), "expected instances from 1 to 10,000, found 1,000,"),
        (
            ("superpose", "--preset", "groups", "-n", "1" + "0" * 18),
            "expected features from 15 to 16,384, found 1,000,",
        ),
        (("train", "wordnet", "--dimension", "1" + "0" * 18), "expected dimension from 1 to 16,384, found 1,000,"),
        (("train", "wordnet", "--negative", HUGE), "expected negative from 1 to 1,000, found 10,000,"),
        (("train", "wordnet", "--subsample", "nan"), "expected subsample ≥ 0, "),
        (("info", "b" * 100_000), "expected a name that a file can have, found bbb"),
        (("direction", "ok.npy", "c" * 100_000, "d"), "ccc"),
    ],
    ids=lambda found: " ".join(found)[:40] if isinstance(found, tuple) else "",
)
def test_a_number_or_name_out_of_range_is_refused_at_once(call, arguments, message):
    assert message in refused(call, *arguments)


def test_a_multiple_below_the_bound_fills(call):
    code, out, _ = call("extend", "ok.npy", "new.txt", "--multiple", "64")
    assert (code, out.splitlines()[0]) == (0, "Rows to add 2, fill 54; 200 rows become 256.")


def test_a_limit_beyond_every_row_is_all_rows(call):
    code, out, _ = call("tokens", "ok.npy", "--limit", "9" * 23, "--where", "id < 3")
    assert code == 0 and out.splitlines()[0] == "3 of 200 tokens"
    code, out, _ = call("tokens", "ok.npy", "--limit", "9" * 23)
    assert code == 0 and out.splitlines()[0] == "200 of 200 tokens"


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "ok.npy", "-o", f"{LONG}.html"),
        ("tokens", "ok.npy", "-o", f"{LONG}.csv"),
        ("convert", "ok.npy", f"{LONG}.npy"),
        ("repair", "ok.npy", "-o", f"{LONG}.safetensors"),
        ("repair", "ok.npy", "-o", f"{LONG[:243]}.safetensors"),  # its map's name is longer
        ("extend", "ok.npy", "new.txt", "-o", f"{LONG}.safetensors"),
        ("health", "ok.npy", "--fix", LONG),
        ("calibrate", "ok.npy", "-o", f"{LONG[:251]}"),
        ("export", "ok.npy", LONG),
        ("pack", "5", "2", "--figure", f"{LONG}.svg"),
        ("pack", "5", "2", "-o", f"{LONG[:243]}.safetensors"),  # its tokens' name is longer
        ("train", "wordnet", "-o", f"{LONG[:236]}.safetensors"),  # its contexts' name is longer
        ("train", "wordnet", "--model", "tying", "-o", f"{LONG[:243]}.safetensors"),
    ],
    ids=lambda found: f"{found[0]}-{len(found[-1])}",
)
def test_a_name_too_long_for_a_file_is_refused_before_any_work(call, arguments):
    assert "expected a name that a file can have, found " in refused(call, *arguments)


def test_what_tying_would_replace_is_found_before_training(call):
    write_safetensors(ROWS, "v.untied.safetensors")
    write_safetensors(ROWS[:3], "v.input.safetensors", ["a", "b", "c"])
    Path("v.input.safetensors").rename("other.safetensors")
    assert "v.input.tokens.parquet" in refused(call, "train", "wordnet", "--model", "tying", "-o", "v.safetensors")


def test_a_name_as_long_as_a_name_can_be_is_written_and_opened(tmp_path):
    longest = tmp_path / f"{'n' * 243}.safetensors"
    write_safetensors(ROWS, longest)
    assert len(os.fsencode(longest.name)) == 255 and list(tmp_path.iterdir()) == [longest]
    assert arm.open(longest).shape == (200, 16)
    with atomic_path(longest) as temporary:
        assert temporary.parent == tmp_path and len(temporary.name) < 30


def test_a_line_keeps_its_ends_and_loses_the_middle_of_what_nobody_reads():
    path = f"/{'folder/' * 40}name.npy"
    assert one_line(f"found {path}") == f"found {path}"  # a whole path stays
    word = one_line(f"found {'x' * 100_000}END here")
    assert len(word) == len("found  here") + LONGEST_WORD and "…" in word and word.endswith("xEND here")
    line = one_line("two words " * 10_000)
    assert len(line) == LONGEST_LINE and line.startswith("two words two") and line.endswith("two words ")


def test_a_shard_without_a_name_is_shown_as_one(tmp_path):
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {"model.embed_tokens.weight": ""}}')
    with pytest.raises(arm.ArmillaryError) as error:
        arm.open(tmp_path)
    assert "expected the shard '' beside model.safetensors.index.json" in error.value.message
    assert error.value.cure == "download model.safetensors.index.json again"


@pytest.mark.parametrize("factor", [1e300, 1e-310])
def test_a_table_outside_float32_is_told_to_be_scaled(call, factor):
    np.save("wide.npy", ROWS.astype(np.float64) * factor)
    assert refused(call, "scan", "wide.npy").endswith("(200 outside float32's range)")
    assert refused(call, "neighbors", "wide.npy", "#3").endswith("found one outside float32's range (id 3)")
    _, out, _ = call("health", "wide.npy")
    assert "Of these, 200 lie outside float32's range: scale the table: numbers are read as float32" in out


def test_a_row_outside_float32_stands_in_the_load_report(call):
    rows = ROWS.astype(np.float64)
    rows[[3, 7]] *= 1e300
    np.save("wide.npy", rows)
    for kept in (True, False):  # from the rows, then from the cache
        study = arm.open("wide.npy")
        found = load.compose(study, False)
        assert ["outside float32's range", 2, 0.01, "#3, #7"] in found.section.tables[0].rows, kept
        assert found.findings[0].text.startswith("2 of 200 rows (1.00 %) lie outside float32's range"), found.findings
        assert study.facts.outside.tolist() == [3, 7]
    with pytest.raises(UsageError, match=r"row 3 \(#3\), which is left out: outside float32's range\nscale the table"):
        study.neighbors(3)


@pytest.mark.parametrize("sent", ["SIGTERM", "SIGINT"])
def test_an_interrupt_while_a_text_is_executed_ends_with_130(tmp_path, sent):
    """CPython dies of SIGINT where its own KeyboardInterrupt passed through exec, even of one that was caught."""
    (tmp_path / "interrupted.py").write_text(
        f"""
import signal, sys
from armillary.cli import info, main

def command(model: str) -> None:
    exec("import os, signal, time; os.kill(os.getpid(), signal.{sent}); time.sleep(60)")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job inherits SIG_IGN
info.command = command
sys.argv = ["armillary", "info", "model.npy"]
main()
"""
    )
    found = subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path, capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "interrupted\n")
