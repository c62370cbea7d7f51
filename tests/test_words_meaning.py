"""Frequency, meaning, readability: planted tables whose answers are known, and closed forms."""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np
import pytest

from armillary.errors import UsageError
from armillary.study.study import Study
from armillary.table import Table, Vocabulary
from armillary.words.frequencies import (
    Frequencies,
    corpus_frequencies,
    language_of,
    score_frequencies,
    whole_words,
    word_frequencies,
)
from armillary.words.meaning import cases, first_component, frequency_trends, same_share
from armillary.words.metrics import row_norms
from armillary.words.readability import probe, self_readout
from armillary.words.scripts import scripts


def test_deciles_split_the_known_tokens_evenly_and_leave_out_the_others():
    values = np.full(25, np.nan)
    values[:20] = np.arange(20)[::-1]
    deciles = Frequencies(values, "planted").deciles
    assert deciles[:20].tolist() == [1 + (19 - i) // 2 for i in range(20)]
    assert (deciles[20:] == 0).all()
    assert Frequencies(values, "planted").known == 20
    tied = Frequencies(np.ones(10), "planted").deciles
    assert tied.tolist() == list(range(1, 11))  # ties by id


def test_a_corpus_counts_the_words_of_a_list():
    vocabulary = Vocabulary.of_words(["the", "cat", "sat"])
    found = corpus_frequencies(vocabulary, ["the cat the", "dog the cat"])
    assert found.values.tolist() == [0.6, 0.4, 0.0]
    assert found.source == "a corpus of 5 tokens"
    assert found.log[:2] == pytest.approx(np.log([0.6, 0.4]))
    assert np.isnan(found.log[2])
    with pytest.raises(UsageError, match="expected a corpus with tokens of this table"):
        corpus_frequencies(vocabulary, ["nothing here"])


def test_a_tokenizers_scores_are_log_probabilities_or_merge_ranks():
    vocabulary = Vocabulary.of_words(["a", "b", "c"])
    with pytest.raises(UsageError, match="expected a tokenizer with scores"):
        score_frequencies(vocabulary)
    vocabulary.scores = np.log(np.array([0.5, 0.25, 0.05], np.float32))
    found = score_frequencies(vocabulary)
    assert found.values == pytest.approx([0.625, 0.3125, 0.0625], rel=1e-6)
    assert found.source.startswith("log-probabilities")
    vocabulary.scores = np.array([0, -1, -2], np.float32)
    ranks = score_frequencies(vocabulary)
    zipf = np.array([1 / 2.7, 1 / 3.7, 1 / 4.7])
    assert ranks.values == pytest.approx(zipf / zipf.sum(), rel=1e-6)
    assert ranks.source.startswith("merge ranks")


def test_word_frequencies_are_those_of_the_language_of_the_script():
    from wordfreq import get_frequency_dict, word_frequency

    vocabulary = Vocabulary.of_words(["the", "Cat", "猫", "qqzzxj", "7", "!"])
    found = word_frequencies(vocabulary)
    rounded = [word_frequency("the", "en"), word_frequency("cat", "en")]  # to three digits, there
    assert found.values[:2] == pytest.approx(rounded, rel=5e-3)
    assert found.values[2] == get_frequency_dict("zh")["猫"]
    assert np.isnan(found.values[3:]).all()
    assert "(en, zh)" in found.source
    with pytest.raises(UsageError, match="expected languages that wordfreq has, found xx"):
        word_frequencies(vocabulary, {"Latin": "xx"})


def test_latin_words_have_the_frequencies_of_the_language_that_the_vocabulary_knows():
    """Word vectors of German are German; what no list of the language has, has no frequency."""
    from wordfreq import get_frequency_dict, top_n_list

    vocabulary = Vocabulary.of_words([*top_n_list("de", 3_000, "small"), "Haus", "qqzzxj"])
    assert language_of({raw.decode() for raw in vocabulary.raw}, "Latin") == "de"
    found = word_frequencies(vocabulary)
    assert found.values[-2] == get_frequency_dict("de", "best")["haus"] and np.isnan(found.values[-1])
    assert "(de)" in found.source


def test_a_vocabulary_of_many_languages_is_read_in_the_first_of_its_script():
    from wordfreq import top_n_list

    words = {word for language in ("de", "en", "es") for word in top_n_list(language, 2_000, "small")}
    assert language_of(words, "Latin") == "en"
    assert language_of({"и", "в"}, "Cyrillic") == "ru" and language_of({"cat"}, "Latin") == "en"
    ukrainian = set(top_n_list("uk", 3_000, "small"))
    assert language_of(ukrainian, "Cyrillic") == "uk"


def test_whole_words_begin_after_a_space_where_spaces_are_marked():
    spaced = Vocabulary.of_words([" cat", "cat", "猫", " 7", *(f" word{chr(97 + i)}" for i in range(12))])
    assert whole_words(spaced, scripts(spaced))[:4].tolist() == [True, False, True, False]
    plain = Vocabulary.of_words(["cat", "##s", "a1"])
    assert whole_words(plain, scripts(plain)).tolist() == [True, False, False]


def test_norm_and_axis_that_follow_frequency_are_found_and_those_that_do_not_are_not():
    """Norms grow with frequency in Latin and fall in Han; the first axis follows frequency everywhere."""
    rng = np.random.default_rng(0)
    log = np.log(rng.permutation(np.arange(1, 1_301)) / 1e4)
    han = np.arange(1_300) >= 700
    angle = 0.2 + np.argsort(np.argsort(log)) / 1_300
    unit = np.stack([np.sin(angle), np.cos(angle), np.zeros(1_300)], axis=1)
    norms = np.exp(np.where(han, -log, log) / 10)
    table = Table.from_array((unit * norms[:, None]).astype(np.float32), ["漢" if h else "a" for h in han])
    found = {(t.script, t.quantity): t for t in frequency_trends(table, log, np.where(han, "Han", "Latin"))}
    assert found["Latin", "norm"].rho == pytest.approx(1)
    assert found["Han", "norm"].rho == pytest.approx(-1)
    assert abs(found["all", "first component"].rho) == pytest.approx(1)
    assert (found["all", "norm"].tokens, found["Latin", "norm"].tokens, found["Han", "norm"].tokens) == (1300, 700, 600)
    assert found["Latin", "norm"].p == pytest.approx(erfc(sqrt(699 / 2)))
    assert len(found) == 6


def test_the_first_component_of_a_line_is_the_line():
    """Unit rows (cos t, sin t) at t and −t: the axis is the second coordinate, the mean lies on the first."""
    t = np.array([0.1, -0.1, 0.4, -0.4, 0.7, -0.7])
    rows = np.stack([np.cos(t), np.sin(t)], axis=1) * np.array([1, 2, 3, 4, 5, 6])[:, None] / 10
    rows = np.concatenate([rows, [[0, 0]]]).astype(np.float32)
    table = Table.from_array(rows)
    component = first_component(table, row_norms(table))
    assert component[:6] == pytest.approx(np.sin(t), abs=1e-6)
    assert np.isnan(component[6])


def test_same_share_counts_known_neighbours_and_squares_label_shares_for_chance():
    labels = np.array(["x", "x", "x", "y", "?"])
    known = labels != "?"
    neighbors = np.array([[1, 3], [0, 2], [3, 4], [4, 0], [0, 1]])
    found = same_share("letter", np.arange(5), neighbors, labels, known)
    assert found.share == pytest.approx(3 / 6)  # known: x–x, x–y, x–x, x–x, x–y, y–x
    assert found.chance == pytest.approx((3 / 4) ** 2 + (1 / 4) ** 2)
    assert found.rows == 4


def test_cases_by_hand():
    words = ["cat", "Cat", "CAT", "A", "cAt", "c4t", " cat", "猫", "ß"]
    assert cases(Vocabulary.of_words(words)).tolist() == [
        "lower",
        "title",
        "upper",
        "title",
        "",
        "",
        "lower",
        "",
        "lower",
    ]


def test_a_probe_reads_what_is_planted_and_nothing_from_noise():
    rng = np.random.default_rng(1)
    labels = np.repeat(["a", "b", "c"], 80)
    rows = rng.standard_normal((240, 30)).astype(np.float32)
    blind = probe(Table.from_array(rows), "noise", np.arange(240), labels.tolist())
    assert abs(blind.accuracy - 1 / 3) < 4 * sqrt(2 / 9 / 120)  # four standard errors of 120 guesses
    assert abs(blind.shuffled - 1 / 3) < 0.05
    rows[np.arange(240), np.repeat([0, 1, 2], 80)] += 12
    seen = probe(Table.from_array(rows), "planted", np.arange(240), labels.tolist())
    assert (seen.accuracy, seen.classes, seen.trained, seen.held_out) == (1.0, 3, 120, 120)
    assert abs(seen.shuffled - 1 / 3) < 0.12
    with pytest.raises(UsageError, match="expected two labels of at least four rows for the probe 'few', found 1"):
        probe(Table.from_array(rows), "few", np.arange(10), ["a"] * 7 + ["b"] * 3)


def test_self_readout_of_a_table_that_one_long_row_answers_for():
    assert self_readout(Table.from_array(np.eye(9, dtype=np.float32))).to_dict() == {
        "share": 1.0,
        "error": 0.0,
        "margin": 1.0,
        "rows": 9,
    }
    rows = np.concatenate([np.eye(9), np.full((1, 9), 5.0)]).astype(np.float32)
    found = self_readout(Table.from_array(rows))
    assert (found.share, found.margin) == (0.1, -4.0)  # e_i·w_9 = 5 against 1
    assert found.error == pytest.approx(sqrt(0.1 * 0.9 / 10))
    shifted = Table.from_array(np.roll(np.eye(9, dtype=np.float32), 1, axis=0))
    assert self_readout(Table.from_array(np.eye(9, dtype=np.float32)), shifted).share == 0
    with pytest.raises(UsageError, match="expected an output table of width 9, found 3"):
        self_readout(shifted, Table.from_array(np.eye(3, dtype=np.float32)))


def test_a_study_says_both(tmp_path, monkeypatch):
    """Words of two scripts in two clusters, norms by wordfreq's order."""
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path))
    from wordfreq import top_n_list

    latin = [w for w in top_n_list("en", 200) if w.isalpha() and w.isascii()][:60]
    han = [w for w in top_n_list("zh", 400) if all("一" <= c <= "鿿" for c in w)][:60]
    words = latin + han
    known = word_frequencies(Vocabulary.of_words(words))
    rng = np.random.default_rng(2)
    rows = 0.05 * rng.standard_normal((120, 16))
    rows[:60, 0] += 1
    rows[60:, 1] += 1
    rows *= (np.exp(known.log / 5) / np.linalg.norm(rows, axis=1))[:, None]
    study = Study(Table.from_array(rows.astype(np.float32), words))
    before = study.meaning()
    assert before.shares == () and before.known == 120
    norms = {t.script: t.rho for t in before.trends if t.quantity == "norm"}
    assert norms == pytest.approx({"all": 1, "Latin": 1, "Han": 1}, abs=1e-3)  # words of equal frequency tie
    study.scan()
    shares = {s.label: s for s in study.meaning().shares}
    assert (shares["script"].share, shares["script"].chance) == (1.0, 0.5)
    probes = {p.name: p for p in study.readability().probes}
    assert probes["script"].accuracy == 1.0
