"""Shipped lists and users' own: enough of each, no duplicates, and one clear line for a bad file."""

from __future__ import annotations

import json

import pytest

from armillary.errors import UnreadableError, UsageError
from armillary.words.evaluation_sets import read_analogies, read_similarity
from armillary.words.ladder import RUNGS
from armillary.words.lists import read_sections, shipped


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_ladder_has_thirty_distinct_pairs_a_rung(language):
    rungs = {section.name: section.pairs for section in shipped("ladder", language)}
    assert set(rungs) == set(RUNGS) - {"identical"}  # a word with itself needs no list
    for pairs in rungs.values():
        assert len({frozenset(pair) for pair in pairs}) == len(pairs) >= 30
        assert all(a != b for a, b in pairs)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_ready_sets_are_the_promised_ones(language):
    sections = {section.name: section for section in shipped("sets", language)}
    assert list(sections) == ["gender", "plural", "tense", "comparative", "capital", "number magnitude", "sentiment"]
    for name, section in sections.items():
        if name == "number magnitude":
            assert len(set(section.words)) == len(section.words) >= 15
        else:
            assert len(set(section.pairs)) == len(section.pairs) == 30


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_six_categories_have_about_110_words_and_subgroups(language):
    sections = shipped("categories", language)
    words = [word for section in sections for word in section.words]
    assert len({section.name for section in sections}) == 6
    assert len(set(words)) == len(words)
    assert 105 <= len(words) <= 115
    assert all(section.subgroup for section in sections)


def test_the_three_forms_of_a_list_read_alike(tmp_path):
    (tmp_path / "a.txt").write_text("# mine\n[pets / small]\ncat hamster\n[tools]\nsaw\n", "utf-8")
    (tmp_path / "a.csv").write_text("category,subgroup,word\npets,small,cat\npets,small,hamster\ntools,saw\n", "utf-8")
    (tmp_path / "a.json").write_text(json.dumps({"pets / small": ["cat", "hamster"], "tools": ["saw"]}), "utf-8")
    read = [read_sections(tmp_path / f"a.{e}") for e in ("txt", "csv", "json")]
    for sections in read:
        assert [(s.name, s.subgroup, s.words) for s in sections] == [
            ("pets", "small", ("cat", "hamster")),
            ("tools", "", ("saw",)),
        ]


@pytest.mark.parametrize(
    ("name", "text", "kind", "message"),
    [
        ("a.txt", "# nothing\n", UsageError, "found an empty list"),
        ("a.json", "{", UnreadableError, "expected JSON"),
        ("a.json", "[1]", UnreadableError, "expected an object of lists"),
        ("a.json", '{"a": [3]}', UnreadableError, "expected words or lists of words"),
        ("a.json", '{"a": []}', UsageError, "found an empty list"),
    ],
)
def test_bad_lists(tmp_path, name, text, kind, message):
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(kind, match=message):
        read_sections(tmp_path / name)


def test_a_list_that_is_missing_or_no_text(tmp_path):
    with pytest.raises(UnreadableError, match="expected a text file at"):
        read_sections(tmp_path / "none.txt")
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableError, match="found byte 0 that is none"):
        read_sections(tmp_path / "b.txt")


def test_evaluation_files(tmp_path):
    path = tmp_path / "set.tsv"
    path.write_text("# comment\nword1\tword2\tscore\ncat\tdog\t7.5\nmoney\tNew York\t1\n", "utf-8")
    assert read_similarity(path) == [("cat", "dog", 7.5), ("money", "New York", 1.0)]
    path.write_text("cat dog 7.5\ncat dog high\n", "utf-8")
    with pytest.raises(UnreadableError, match="expected a score in line 2"):
        read_similarity(path)
    path.write_text(": capital\na b c d\n: plural\ne f g h\n", "utf-8")
    assert read_analogies(path) == {"capital": [("a", "b", "c", "d")], "plural": [("e", "f", "g", "h")]}
    path.write_text("a\ta_prime\tb\tb_prime\nw\tx\ty\tz\n", "utf-8")
    assert read_analogies(path) == {"set": [("w", "x", "y", "z")]}
    path.write_text("paris france athènes grèce\n", "utf-8")
    assert read_analogies(path, names=True) == {"set": [("Paris", "France", "Athènes", "Grèce")]}
    path.write_text("a b c\n", "utf-8")
    with pytest.raises(UnreadableError, match="expected four words in line 1"):
        read_analogies(path)
