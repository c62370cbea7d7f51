"""The commands over a study, as a person calls them: what is printed, where, and with which exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest
import typer

import armillary as arm
from armillary.cli import main
from armillary.formats import write_safetensors

ROWS = np.random.default_rng(7).standard_normal((300, 12)).astype(np.float32)


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    np.save("model.npy", ROWS)
    (tmp_path / "names.txt").write_text("".join(f"w{i}\n" for i in range(300)))
    return "model.npy"


@pytest.fixture
def call(monkeypatch, command_line):
    return command_line


def test_neighbors_print_metric_space_and_rows_searched(call, model):
    code, out, err = call("neighbors", model, "w17", "-k", "3", "--tokens", "names.txt")
    assert (code, err) == (0, "")
    assert "cosine in the raw space, exact over all 300 rows" in out
    assert [line.split()[0] for line in out.splitlines()[2:5]] == ["1", "2", "3"]
    assert "Two random rows of this table have a cosine of " in out
    assert "█" not in out  # no terminal, no bars


def test_neighbors_of_a_vector_in_a_file(call, model):
    np.save("v.npy", ROWS[5])
    code, out, _ = call("neighbors", model, "--vector", "v.npy", "-k", "1", "--metric", "euclidean", "--json")
    result = json.loads(out)["result"]
    assert (code, result["metric"], result["rows_searched"]) == (0, "euclidean", 300)
    assert (result["neighbors"][0]["id"], result["neighbors"][0]["value"]) == (5, 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("neighbors", "model.npy"), "expected a WORD or --vector"),
        (("neighbors", "model.npy", "5", "--metric", "taxicab"), "expected a metric among cosine, dot, euclidean"),
        (("neighbors", "model.npy", "5", "-k", "0"), "invalid value for '-k'"),
        (("neighbors", "model.npy", "--vector", "names.txt"), "expected a vector in names.txt"),
        (("neighbors", "modle.npy", "5"), "expected a file or folder, found nothing at modle.npy"),
        (("neighbors", "model.npy", "5", "--without", "unusual"), "no kind named 'unusual'"),
        (("lookup", "model.npy"), "missing argument 'TEXT'"),
        (("scan", "model.npy", "--above", "0.5"), "expected --above T together with -o FILE"),
        (("scan", "model.npy", "--histogram", "rough"), "expected a histogram among sampled, exact"),
        (("tokens", "model.npy", "--where", "nonesuch > 1"), "expected a column of the tokens in"),
        (("tokens", "model.npy", "-o", "tokens.xls"), "expected a file that ends in .parquet or .csv"),
        (("report", "model.npy", "-o", "report.pdf"), "expected a report that ends in .html, .json or .md"),
        (("report", "model.npy", "-o", "nowhere/report.html"), "expected a folder nowhere"),
        (("info", ""), "expected a model, found an empty name"),
        (("info", "lost.npy"), "found a link to nothing at lost.npy"),
        (("info", "pipe.npy"), "found a device or pipe pipe.npy"),
        (("nonesuch",), "no such command 'nonesuch'"),
        (("info", "model.npy", "--nonesuch"), "no such option: --nonesuch"),
    ],
)
def test_bad_input_is_one_line_and_its_cure(call, model, arguments, message):
    os.mkfifo("pipe.npy")
    Path("lost.npy").symlink_to("nowhere.npy")
    before = {path.name for path in os.scandir(".")}
    code, out, err = call(*arguments)
    first, *rest = err.splitlines()
    assert (code, out) == (2, "")
    assert first.startswith("error: ") and message in first
    assert len(rest) == 1 and rest[0].startswith("       ")
    assert {path.name for path in os.scandir(".")} - {"cache"} == before - {"cache"}


@pytest.mark.parametrize(
    ("line", "message", "cure"),
    [
        ("bounds -5 3", "expected V of at least 2 and d of at least 1, found -5", "armillary bounds 32000 256"),
        ("bounds 32000", "missing argument 'd'", "for example armillary bounds 32000 256; armillary bounds --help"),
        ("similarity model.npy 5", "expected at least two words, found 1", "armillary similarity demo king queen"),
        ("similarity model.npy -ing -ed", "no such option: -i", "armillary similarity MODEL -- -ing"),
        ("convert model.npy -o out.npy", "no such option: -o", "armillary convert MODEL OUT"),
        ("export model.npy -o page", "no such option: -o", "armillary export MODEL DIR"),
        ("convert model.npy out.gguf", "found out.gguf", "name in .safetensors, .npy, .parquet, .vec or .bin"),
        ("neighbours model.npy 5 -k 2", "no such command 'neighbours'", "armillary neighbors model.npy 5 -k 2"),
        ("report model.npy -o none/r.html", "expected a folder none", "make it first: mkdir -p none"),
        ("export model.npy none/page", "expected a folder to make page in", "make it first: mkdir -p none"),
        ("info names.txt", "found a list of words without vectors", "with --tokens names.txt"),
        ("tokens model.npy --where nrm<1", "in 'nrm<1', found nrm", "did you mean norm? columns are id, text, "),
        ("tokens model.npy --sort norm,desc,to", "'norm,desc,to': syntax error at or near", "columns are id, text, "),
        ("tokens model.npy --where foo(norm)", "found 'foo(norm)': Scalar Function with name foo", "columns are id, "),
        (
            "lookup model.npy word1",
            "found none in 'word1', which cannot be split",
            "#0, #1 …, or name them with --tokens",
        ),
        (
            "lookup model.npy #300",
            "expected an id from 0 to 299, found 300",
            "armillary tokens model.npy lists the ids",
        ),
        ("neighbors model.npy #300", "expected an id from 0 to 299", "armillary tokens model.npy lists the ids"),
    ],
)
def test_the_cure_is_the_line_to_type(call, model, line, message, cure):
    code, out, err = call(*line.split())
    assert (code, out) == (2, "")
    first, rest = err.splitlines()
    assert message in first and cure in rest
    assert "Error" not in err  # no word of DuckDB's own


def test_a_row_without_a_name_is_looked_up_by_its_id(call, model):
    code, out, _ = call("lookup", model, "#42", "--json")
    found = json.loads(out)["result"]["tokens"]
    assert (code, [t["id"] for t in found], found[0]["row"]) == (0, [42], ROWS[42].tolist())


def test_columns_of_tokens_are_shown_as_they_are_asked_for(call, model):
    _, out, _ = call("tokens", model, "--limit", "1")
    header = out.splitlines()[2].split()
    assert "cos_to_mean" in header and "--scan" in out and "scan=True" not in out
    for name in header:
        assert call("tokens", model, "--sort", name, "--limit", "1")[0] == 0
    assert "scan=True" in str(arm.open(model).tokens(limit=1))


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("convert model.npy keep.npy", ["keep.npy"]),
        ("convert model.npy keep.safetensors --tokens names.txt", ["keep.safetensors"]),
        ("report model.npy --no-scan -o keep.html", ["keep.html"]),
        ("repair model.npy --no-proof -o keep.safetensors", ["keep.safetensors", "keep.repair.safetensors"]),
        ("tokens model.npy -o keep.csv", ["keep.csv"]),
    ],
)
def test_a_file_that_is_replaced_is_told(call, model, line, written):
    assert "replaced" not in call(*line.split())[2]
    told = [text for text in call(*line.split())[2].splitlines() if text.startswith("replaced ")]
    assert sorted(told) == sorted(f"replaced {name}" for name in written)


def test_convert_says_which_rows_are_odd_and_that_they_have_no_names(call, model):
    rows = ROWS.copy()
    rows[3], rows[4, 0] = 0, np.inf
    np.save("odd.npy", rows)
    told = "300 × 12 numbers as float32; rows carried as they are: 1 zero, 1 not finite; the rows have no names"
    assert call("convert", "odd.npy", "out.safetensors")[2].startswith(told)
    named = call("convert", model, "out.vec", "--tokens", "names.txt")[2]
    assert named.splitlines() == ["300 × 12 numbers as float32"]


def test_debug_shows_the_traceback(monkeypatch, model):
    monkeypatch.setattr(sys, "argv", ["armillary", "info", "modle.npy", "--debug"])
    with pytest.raises(Exception, match="found nothing at") as error:
        main()
    assert type(error.value).__name__ == "UnreadableError"


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("info", ()),
        ("lookup", ("5", "--one-hot")),
        ("neighbors", ("5",)),
        ("scan", ()),
        ("tokens", ("--limit", "2")),
        ("report", ("-o", "r.json")),
    ],
)
def test_json_is_exactly_one_document(call, model, command, arguments):
    code, out, _ = call(command, model, *arguments, "--json")
    document = json.loads(out)
    assert code == 0
    assert list(document) == ["armillary", "command", "source", "result"]
    assert document["command"] == command
    assert (document["source"]["source"], document["source"]["shape"]) == ("model.npy", [300, 12])


def test_numbers_that_are_none_are_null_in_json(call, model):
    rows = ROWS.copy()
    rows[3, 1] = np.nan
    np.save("broken.npy", rows)
    code, out, _ = call("lookup", "broken.npy", "3", "--json")
    token = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))["result"]["tokens"][0]
    assert code == 0 and token["row"][1] is None and token["norm"] is None


def test_one_hot_is_equal_and_its_cost_is_told(call, model):
    _, out, _ = call("lookup", model, "5", "--one-hot")
    assert "equal, number for number" in out
    assert "hold 90,000 numbers, the table 3,600: 25.0 times fewer" in out
    assert "√2 = 1.41 apart" in out


def test_scan_sums_up_and_writes_the_pairs_above(call, model):
    code, out, err = call("scan", model, "--above", "0.8", "-o", "pairs.parquet")
    unit = ROWS.astype(np.float64) / np.linalg.norm(ROWS.astype(np.float64), axis=1, keepdims=True)
    cosines = (unit @ unit.T)[np.triu_indices(300, 1)]
    assert code == 0 and "44,850 pairs of 300 rows, exact" in out
    assert f"{cosines.max():.3f}" in out and f"{cosines.mean():.3f}".replace("-", "−") in out
    assert parquet.read_table("pairs.parquet").num_rows == (cosines >= 0.8).sum() > 0
    assert "written to pairs.parquet" in err


def test_a_second_scan_says_that_it_was_kept(call, model):
    _, first, _ = call("scan", model)
    _, second, _ = call("scan", model)
    assert "kept" not in first and "exact, kept from an earlier scan, which took " in second.splitlines()[0]
    _, forced, _ = call("scan", model, "--kernel", "portable")
    assert "exact, portable, " in forced.splitlines()[0]


def test_a_csv_of_formulas_is_said_to_be_one(call, model):
    Path("odd.txt").write_text("=1+1\n@x\n-5\n" + "".join(f"w{i}\n" for i in range(297)))
    _, _, err = call("tokens", model, "--tokens", "odd.txt", "-o", "t.csv")
    assert "3 texts begin as a formula does" in err and '"=1+1"' in Path("t.csv").read_text()
    assert "formula" not in call("tokens", model, "--tokens", "odd.txt", "-o", "t.parquet")[2]
    assert "formula" not in call("tokens", model, "--tokens", "names.txt", "-o", "t.csv")[2]


def test_report_tells_first_findings_before_and_the_path_last(call, model):
    code, out, err = call("report", model, "-o", "out.html")
    assert code == 0
    assert "First findings" in err and "mean" in err
    assert out.splitlines()[-1] == "out.html"
    assert Path("out.html").stat().st_size > 10_000


def test_every_command_has_help_and_the_version_is_told(call, capsys):
    from armillary import __version__
    from armillary.cli import COMMANDS, application

    assert call("--version")[:2] == (0, f"armillary {__version__}\n")
    code, out, _ = call()
    assert code == 0
    assert all(f"\n  {command} " in out for command in COMMANDS)
    group = typer.main.get_command(application())  # once, since it reads the signature of every command
    for command in COMMANDS:
        assert group.main([command, "--help"], "armillary", standalone_mode=False) == 0
        assert f"armillary {command} [OPTIONS]" in capsys.readouterr().out


def test_a_reader_that_leaves_early_is_no_error(model, tmp_path):
    program = f"{sys.executable} -m armillary tokens model.npy --limit 300 | head -1; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (done.stdout.splitlines(), done.stderr) == (["300 of 300 tokens", "0"], "")


def test_interrupting_ends_with_130_and_one_line(call, model, monkeypatch):
    def interrupted(*_arguments, **_options):
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("the signal did not arrive")

    monkeypatch.setattr("armillary.study.scans.scan_of", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job inherits SIG_IGN
    try:
        code, out, err = call("scan", model)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (code, out, err) == (130, "", "interrupted\n")


@pytest.mark.real
def test_the_demo_answers(call, monkeypatch):
    code, out, _ = call("neighbors", "demo", "king", "-k", "2", "--json")
    near = json.loads(out)["result"]["neighbors"]
    assert code == 0 and [n["text"] for n in near] == ["▁King", "▁Kings"]


def test_a_hostile_name_acts_on_no_terminal(call, model, tmp_path):
    folder = tmp_path / "\x1b[31m\u202ered\nline"
    folder.mkdir()
    hostile = folder / "model.npy"
    hostile.write_bytes(Path(model).read_bytes())
    for arguments in (["info", hostile], ["info", hostile, "--json"], ["info", f"{hostile}.gone"]):
        _, out, err = call(*map(str, arguments))
        assert not set("\x1b\u202e") & set(out + err)
    assert err.count("\n") == 2  # the error, its cure


@pytest.mark.parametrize(
    "arguments",
    [
        ("tokens", "m.csv", "-o", "m.csv"),
        ("report", "m.md", "-o", "m.md"),
        ("convert", "m.npy", "m.npy"),
        ("calibrate", "m.npz", "-o", "m"),
        ("calibrate", "m.npy", "--tokens", "m.json", "-o", "m"),
        ("repair", "m.npy", "--tokens", "m.json", "--method", "centre", "--report", "m.json"),
        ("repair", "m.safetensors", "--method", "centre", "-o", "m.safetensors"),
        ("repair", "m.npz", "--queries", "m.safetensors", "--method", "centre", "-o", "m.safetensors"),
        ("scan", "m.npy", "--tokens", "link.csv", "--above", "0.5", "-o", "m.csv"),
    ],
    ids=" ".join,
)
def test_no_output_replaces_an_input_whatever_its_name(call, model, tmp_path, arguments):
    table = arm.Table.from_array(ROWS[:20, :3])
    np.save("m.npy", ROWS[:20, :3])
    np.savez("m.npz", rows=ROWS[:20, :3])
    write_safetensors(table, Path("m.safetensors"))
    words = "".join(f"w{i} 1 {i}\n" for i in range(20))
    for name in ("m.csv", "m.md"):
        Path(name).write_text(words)
    Path("link.csv").symlink_to("m.csv")
    Path("m.json").write_text(json.dumps([f"w{i}" for i in range(20)]))
    before = {path: path.read_bytes() for path in tmp_path.glob("*.*")}
    code, out, err = call(*arguments)
    assert (code, out) == (2, "") and "expected a file of its own to write" in err
    assert {path: path.read_bytes() for path in tmp_path.glob("*.*")} == before


def test_no_output_replaces_what_is_read(call, model, tmp_path):
    words = tmp_path / "words.csv"
    words.write_text("king 1 2\nqueen 2 1\nman 1 0\n")
    code, out, err = call("tokens", str(words), "-o", str(words))
    assert (code, out) == (2, "") and "expected a file of its own to write" in err
    assert words.read_text().startswith("king 1 2\n")
    (tmp_path / "folder.csv").mkdir()
    code, _, err = call("tokens", str(words), "-o", str(tmp_path / "folder.csv"))
    assert code == 2 and "found a folder" in err


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (298, "few.txt names 298 rows, and the table has 300: 2 without a token are left out of what is measured"),
        (299, "few.txt names 299 rows, and the table has 300: 1 without a token is left out of what is measured"),
        (303, "few.txt names 303 rows, and the table has 300: 3 names belong to no row"),
    ],
)
def test_too_few_or_too_many_tokens_are_told_at_once_with_the_cure(call, model, names, told):
    Path("few.txt").write_text("".join(f"w{i}\n" for i in range(names)))
    for command in (("neighbors", model, "w3"), ("report", model, "--no-scan"), ("health", model, "--json")):
        code, _, err = call(*command, "--tokens", "few.txt")
        first = next(line for line in err.splitlines() if not line.startswith("opening"))
        shifted = "names may be shifted (after a line too few or too many, each row has the name of another)"
        assert (code, first) == (0, f"note: {told}; {shifted}; a file of 300 tokens, one a line, names every row")
    assert f"Contradiction: {told}" in call("info", model, "--tokens", "few.txt")[1]


def test_a_number_that_is_a_name_says_which_row_it_is(call, model):
    Path("from_one.txt").write_text("".join(f"{i + 1}\n" for i in range(300)))
    told = "42 is the name of row 41 here; the row with that id is asked for as #42."
    for command in (("neighbors", model, "42"), ("similarity", model, "42", "#7")):
        assert call(*command, "--tokens", "from_one.txt")[1].splitlines()[0] == told
        assert "is the name of row" not in call(*command)[1]  # named by id
    Path("from_zero.txt").write_text("".join(f"{i}\n" for i in range(300)))
    assert "is the name of row" not in call("neighbors", model, "42", "--tokens", "from_zero.txt")[1]
    Path("words.txt").write_text("".join(f"{i + 1}\n" if i == 41 else f"w{i}\n" for i in range(300)))
    assert "is the name of row" not in call("neighbors", model, "42", "--tokens", "words.txt")[1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("empty.txt", "expected tokens in empty.txt, found none"),
        ("folder", "expected a file of tokens, found a folder without a tokenizer at folder"),
        ("pipe", "expected a file of tokens, found a pipe or a device at pipe"),
    ],
)
def test_tokens_that_are_no_file_of_them_are_refused(call, model, name, message):
    Path("empty.txt").touch()
    Path("folder").mkdir()
    os.mkfifo("pipe")
    code, out, err = call("info", model, "--tokens", name)
    assert (code, out) == (2, "") and message in err.splitlines()[0] and len(err.splitlines()) == 2


def test_a_table_without_names_says_how_its_rows_are_asked_for_and_named(call, model):
    _, out, _ = call("info", model)
    assert (
        'vocabulary        none; ask for rows by id ("#0" … "#299"), or name them: --tokens FILE, a token a line' in out
    )
    _, out, _ = call("neighbors", model, "#5", "-k", "1")
    nearest = np.argsort(-(ROWS @ ROWS[5]) / np.linalg.norm(ROWS, axis=1))[1]
    assert out.startswith("#5 · norm ") and out.splitlines()[2].split()[1] == f"#{nearest}"
    code, _, err = call("neighbors", model, "king")
    assert code == 2 and "ask for #0, #1 …, or name them with --tokens FILE" in err


def test_findings_name_rows_by_number_and_a_double_with_its_twin(call, model):
    rows = ROWS.copy()
    rows[41] = rows[200] = rows[30]
    np.save("doubles.npy", rows)
    call("report", "doubles.npy", "--no-scan", "-o", "r.json")
    report = json.loads(Path("r.json").read_text("utf-8"))
    assert "2 of 300 rows (0.667 %) equal another row in every number" in report["findings"][0]["text"]
    assert report["findings"][0]["text"].endswith(": #41 = #30, #200 = #30.")
    facts = {row[0]: row[1] for t in report["sections"][0]["tables"] if t["id"] == "load-facts" for row in t["rows"]}
    assert facts["tokens"] == "none; rows are named by their ids, #0 … #299" and "rows without a token" not in facts
    assert "duplicate  2  #41 = #30, #200 = #30" in call("health", "doubles.npy")[1]


def test_a_table_without_any_direction_still_lists_its_tokens(call, model):
    np.save("zero.npy", np.zeros((3, 4), np.float32))
    for more in ((), ("--health",)):
        code, out, _ = call("tokens", "zero.npy", "--json", *more)
        rows = json.loads(out)["result"]["tokens"]
        assert code == 0 and [(row["norm"], row["cos_to_mean"]) for row in rows] == [(0.0, None)] * 3
    code, _, err = call("tokens", "zero.npy", "--scan")
    assert code == 2 and "expected at least one row with a direction" in err


def test_a_long_fact_of_info_goes_on_in_the_next_line(model):
    info = arm.open(model, cache=False).info()
    because = " ".join(f"reason{i}" for i in range(40))
    told = str(replace(info, load_report=replace(info.load_report, tied_because=because)))
    assert because in " ".join(told.split()) and "…" not in told.split("vocabulary")[0]
    assert max(map(len, told.splitlines())) <= 2 + len("input and output  ") + 100
