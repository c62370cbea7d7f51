"""The commands about words: their answers on a planted table, and one clear line with exit code 2 for a bad question."""

from __future__ import annotations

import json

import numpy as np
import pytest

from armillary.cli import application
from armillary.cli.running import run


@pytest.fixture
def model(tmp_path, monkeypatch):
    """man, woman, king, queen as an exact parallelogram; two rows spelled `twin`."""
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
    e = np.eye(8, dtype=np.float32)
    rows = [e[0] + e[3], e[0] + e[1], e[2] + e[3], e[2] + e[1], e[4], e[5], e[6], e[7]]
    path = tmp_path / "m.npy"
    np.save(path, np.stack(rows))
    tokens = tmp_path / "t.json"
    tokens.write_text(json.dumps(["man", "woman", "king", "queen", "twin", "twin", "economics", "cat"]), "utf-8")
    return [str(path), "--tokens", str(tokens)]


def printed(capsys, monkeypatch, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["armillary", *arguments])
    with pytest.raises(SystemExit) as end:
        run(application())
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


def test_analogy_says_ranks_baseline_and_null(capsys, monkeypatch, model):
    code, out, _ = printed(capsys, monkeypatch, "analogy", *model, "king", "-", "man", "+", "woman", "--json")
    result = json.loads(out)["result"]
    assert code == 0
    assert result["answer"]["text"] == "queen"
    assert (result["ranks"]["kept"], result["ranks"]["removed"]) == (1, 1)
    assert result["parallelism"] == pytest.approx(1.0)
    assert result["null"]["draws"] > 0
    code, out, _ = printed(capsys, monkeypatch, "analogy", *model, "man:king::woman:?")
    assert code == 0
    # man stands before queen: both have cosine 1/2 with woman, and man the lower id
    # after the arithmetic queen has cosine 1, woman and king 1/2 and woman the lower id
    assert out.splitlines()[0] == (
        "queen. It is number 2 among the neighbours of woman alone; after − man + king it is number 1 with the inputs kept "
        "or removed. woman itself, kept, is number 2."
    )
    assert "Asked of queen, which comes first and so has no p; --answer WORD asks of another." in out
    code, out, _ = printed(capsys, monkeypatch, "analogy", *model, "man:king::woman:?", "--answer", "cat")
    # cat and three more are orthogonal to everything asked; the lower ids come first, those of the inputs among them
    assert out.splitlines()[0].startswith("cat. It is number 7 among the neighbours of woman alone; after − man + king")
    assert "it is number 8 with the inputs kept, 5 without them. woman" in out and "--answer" not in out


@pytest.mark.parametrize(
    ("command", "told_on"),
    [(("neighbors",), ["kingg"]), (("similarity",), ["kingg", "queen"]), (("analogy",), ["kingg", "-", "queen"]),
     (("neighbors", "--compare-metrics"), ["kingg"]), (("direction",), ["kingg", "queen"])],
)  # fmt: skip
def test_a_mistyped_word_is_told_first_with_what_was_meant(capsys, monkeypatch, model, command, told_on):
    """A table with a tokenizer answers for the pieces of any word: the remark goes first, not below a long list."""

    class Pieces:
        def encode(self, text):
            return [2, 7] if text.strip() == "kingg" else []

    from armillary.table import Vocabulary

    monkeypatch.setattr(Vocabulary, "__init__", _with_tokenizer(Vocabulary.__init__, Pieces()))
    code, out, _ = printed(capsys, monkeypatch, *command, *model, *told_on)
    assert (code, out.splitlines()[0]) == (
        0,
        "kingg is no single token; the mean of king · cat stands for it (did you mean king?).",
    )


def _with_tokenizer(made, tokenizer):
    def init(self, *arguments, **named):
        made(self, *arguments, **{**named, "tokenizer": tokenizer})

    return init


@pytest.mark.parametrize("minus", ["-man", "-king"])
def test_a_minus_that_touches_its_word_is_told_how(capsys, monkeypatch, model, minus):
    """`-king` even holds an option of the command, -k."""
    code, out, err = printed(capsys, monkeypatch, "analogy", *model, "queen", minus, "+", "woman")
    assert (code, out) == (2, "")
    assert "put a space after each minus: king - man + woman" in err


def test_the_mark_of_a_space_is_explained_where_it_is_shown(capsys, monkeypatch, tmp_path):
    np.save(tmp_path / "m.npy", np.eye(3, dtype=np.float32) + np.float32(0.1))
    told = "▁ stands for a space, before a word or inside a token."
    for names, times in (([" king", "queen", "x"], 1), (["king", "queen", "x"], 0)):
        (tmp_path / "t.json").write_text(json.dumps(names), "utf-8")
        model = [str(tmp_path / "m.npy"), "--tokens", str(tmp_path / "t.json"), "--no-cache"]
        for command in (["neighbors", *model, "queen"], ["analogy", *model, "queen - x", "--no-null"]):
            code, out, _ = printed(capsys, monkeypatch, *command)
            assert (code, out.splitlines().count(told)) == (0, times)


def test_a_percentile_never_reads_100_and_rows_are_those_with_a_direction(capsys, monkeypatch, tmp_path):
    rows = np.random.default_rng(3).standard_normal((40, 4)).astype(np.float32)
    rows[5], rows[7, 0] = 0, np.nan
    np.save(tmp_path / "m.npy", rows)
    model = [str(tmp_path / "m.npy"), "--no-cache"]
    _, out, _ = printed(capsys, monkeypatch, "similarity", *model, "#1", "#1", "#2")
    same, other = (next(line for line in out.splitlines() if line.startswith(f"  #1 – #{i}")) for i in (1, 2))
    assert "> 99.99" in same and "±" not in other
    assert "Raw space, 38 rows; 2 left out (zero, not finite, or without a token)." in out
    _, out, _ = printed(capsys, monkeypatch, "analogy", *model, "#1 - #2 + #3", "--no-null")
    assert "3CosAdd over all 38 rows" in out
    _, out, _ = printed(capsys, monkeypatch, "neighbors", *model, "#1", "--compare-metrics", "-k", "2")
    assert "exact over all 38 rows" in out


def test_similarity_direction_and_calibrate(capsys, monkeypatch, model, tmp_path):
    code, out, _ = printed(capsys, monkeypatch, "similarity", *model, "man", "king", "--json")
    pair = json.loads(out)["result"]["pairs"][0]
    assert (code, pair["cosine"]) == (0, pytest.approx(0.5))
    code, out, _ = printed(capsys, monkeypatch, "direction", *model, "man", "woman", "king", "queen", "--json")
    result = json.loads(out)["result"]
    assert (code, result["pairs"], result["auc"]) == (0, 2, 1.0)
    code, _, _ = printed(capsys, monkeypatch, "calibrate", *model, "-o", str(tmp_path / "cal"))
    assert code == 0
    assert (tmp_path / "cal.json").exists() and (tmp_path / "cal.npz").exists()


def test_neighbors_with_the_metrics_side_by_side(capsys, monkeypatch, model):
    code, out, _ = printed(capsys, monkeypatch, "neighbors", *model, "king", "--compare-metrics", "-k", "2", "--json")
    result = json.loads(out)["result"]
    assert code == 0
    assert [near[1] for near in result["neighbors"]["king"]["cosine"]] == [
        "man",
        "queen",
    ]  # both 1/2, the lower id first
    assert (result["rows"], result["queries"], result["k"]) == (8, 8, 2)
    assert result["identity_error"] < 1e-15
    code, out, _ = printed(capsys, monkeypatch, "neighbors", *model, "--compare-metrics", "-k", "2")
    assert code == 0
    assert "Overlap of the 2 nearest, 8 rows drawn" in out and "Largest hubs" in out


def test_a_heat_map_reads_without_colour_and_leaves_a_table_twin(monkeypatch):
    from armillary.cli.heat_map import heat_map

    cosines = np.array([[1.0, 0.45, 0.35], [0.45, 1.0, 0.31], [0.35, 0.31, 1.0]])
    plain = heat_map(["king", "猫", "economics"], cosines, 0.2, 0.1)
    assert plain.splitlines() == [
        "                 king        猫  economi…",
        "  king              1     0.450     0.350",
        "  猫            0.450         1     0.310",
        "  economics     0.350     0.310         1",
    ]
    monkeypatch.setattr("armillary.cli.heat_map.is_terminal", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert heat_map(["king", "猫", "economics"], cosines, 0.2, 0.1).splitlines()[1:] == [
        "  king       ██     1  ▒▒ 0.450  ░░ 0.350",
        "  猫         ▒▒ 0.450  ██     1  ░░ 0.310",
        "  economics  ░░ 0.350  ░░ 0.310  ██     1",
        "  ░░ 1, ▒▒ 2, ▓▓ 3, ██ 5 or more standard deviations above two random rows",
    ]
    monkeypatch.setenv("COLUMNS", "30")
    assert heat_map(["king", "猫", "economics"], cosines, 0.2, 0.1).splitlines()[:2] == [
        "                1  2  3",
        "   1 king      ██ ▒▒ ░░",
    ]


def test_several_words_are_shown_as_a_matrix(capsys, monkeypatch, model):
    code, out, _ = printed(capsys, monkeypatch, "similarity", *model, "man", "king", "queen")
    assert code == 0
    assert [line.split() for line in out.splitlines()[:4]] == [
        ["man", "king", "queen"],
        ["man", "1", "0.500", "0.000"],
        ["king", "0.500", "1", "0.500"],
        ["queen", "0.000", "0.500", "1"],
    ]
    assert "man – queen" in out  # the pairs stay a table


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["neighbors", "--compare-metrics", "--without", "byte"], "expected --compare-metrics with a WORD or alone"),
        (["analogy", "king - + man"], "expected a word, found '+' at character 8 of 'king - + man'"),
        (["analogy", "kign - man + woman"], "expected a token that spells 'kign', found none"),
        (["similarity", "twin", "king"], "expected one row for 'twin', found 2 that are spelled so"),
        (["similarity", "king"], "expected at least two words, found 1"),
        (["direction", "nonsense"], "expected a ready set, found 'nonsense'"),
        (["cluster", "--lists", "EMPTY"], "found an empty list"),
        (["evaluate", "NoSuchSet"], "expected an evaluation set or a file, found 'NoSuchSet'"),
        (["similarity", "king", "man", "--pool", "sum"], "expected a pool of mean, first, single, found 'sum'"),
    ],
)
def test_bad_questions_are_one_line_and_exit_2(capsys, monkeypatch, model, tmp_path, arguments, message):
    (tmp_path / "empty.txt").write_text("# nothing\n", "utf-8")
    command, *rest = [str(tmp_path / "empty.txt") if a == "EMPTY" else a for a in arguments]
    code, out, err = printed(capsys, monkeypatch, command, *model, *rest)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ") and message in err.splitlines()[0]
    assert len(err.splitlines()) <= 2
