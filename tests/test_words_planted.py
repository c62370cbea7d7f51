"""Planted tables: clusters, exact parallelograms, a known direction; the answers are known beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import oracle
from armillary.errors import UsageError
from armillary.table import Table, Vocabulary
from armillary.words.analogy import analogy
from armillary.words.categories import categories
from armillary.words.cosines import cosines_between, cosines_of_pairs, cosines_to, first, quick_cosines, rank_of
from armillary.words.directions import direction, direction_of_lists
from armillary.words.expression import parse
from armillary.words.ladder import ladder
from armillary.words.lists import Section
from armillary.words.similarity import similarity
from armillary.words.word import read_word


def words_table(rows, words=None):
    rows = np.asarray(rows, np.float32)
    return Table.from_array(rows, words or [f"w{i}" for i in range(len(rows))])


def royal_table(filler: int = 200, seed: int = 0) -> Table:
    """king − man + woman = queen exactly, among random rows of the same width."""
    rng = np.random.default_rng(seed)
    e = np.eye(32, dtype=np.float32)
    person, royal, female = e[0], e[1], e[2]
    # unit rows with equal norms: man = (p), woman = p + f …, all of length √3 by private coordinates
    man, woman = person + e[3] + e[4], person + female + e[4]
    king, queen = royal + e[3] + e[4], royal + female + e[4]
    rows = np.stack([man, woman, king, queen, *rng.standard_normal((filler, 32))])
    return words_table(rows, ["man", "woman", "king", "queen", *(f"x{i}" for i in range(filler))])


def test_cosines_follow_the_defining_loop_bit_for_bit():
    rows = np.random.default_rng(1).standard_normal((50, 37)).astype(np.float32)
    table = words_table(rows)
    expected = np.stack([oracle.cosines(rows[i], rows) for i in (3, 17)])
    assert np.array_equal(cosines_to(table, rows[[3, 17]]), expected)
    assert np.array_equal(cosines_between(rows[[3, 17]], rows), expected)
    assert np.array_equal(cosines_of_pairs(rows[[3, 17]], rows[[8, 9]]), [expected[0, 8], expected[1, 9]])


def test_quick_cosines_are_cosines_in_any_blocks_and_threads(monkeypatch):
    rows = np.random.default_rng(3).standard_normal((300, 7)).astype(np.float32)
    rows[[5, 6]] = [[0] * 7, [np.nan] * 7]
    unit = (rows[[3, 17]] / np.linalg.norm(rows[[3, 17]], axis=1, keepdims=True)).astype(np.float32)
    expected = cosines_to(words_table(rows), rows[[3, 17]])
    monkeypatch.setattr("armillary.words.cosines.QUICK_BLOCK_BYTES", 4 * 7 * 37)
    for threads in (1, 3):
        found = quick_cosines(words_table(rows), unit, -np.inf, threads)
        assert np.allclose(found, expected, rtol=0, atol=1e-6)
        assert np.isneginf(found[:, [5, 6]]).all()


def test_rows_without_direction_never_win():
    rows = np.array([[1, 0], [0, 0], [np.nan, 1], [1, 1]], np.float32)
    values = cosines_to(words_table(rows), rows[:1])[0]
    assert values.tolist()[1:3] == [-np.inf, -np.inf]
    assert first(values, 10).tolist() == [0, 3]


def test_ranks_break_ties_by_id():
    scores = np.array([0.5, 0.9, 0.9, 0.9, 0.1])
    assert [rank_of(scores, i) for i in range(5)] == [4, 1, 2, 3, 5]
    assert rank_of(scores, 3, removed={1}) == 2
    assert first(scores, 2).tolist() == [1, 2]
    assert first(scores, 3, removed={2}).tolist() == [1, 3, 0]


def test_an_exact_parallelogram_is_answered_first_with_score_one():
    table = royal_table()
    found = analogy(table, "king - man + woman")
    assert found.answer.text == "queen"
    assert found.kept[0].text == "queen"
    assert found.answer.score == pytest.approx(1.0, abs=1e-15)
    assert found.ranks.kept == found.ranks.removed == 1
    assert found.parallelism == pytest.approx(1.0, abs=1e-12)
    king = table.find("king")[0]
    order, _ = oracle.neighbors(table.rows(range(len(table))), king, len(table) - 1)
    assert found.ranks.baseline == order.tolist().index(table.find("queen")[0]) + 1


def test_a_colon_b_is_the_same_question_with_the_base_after_the_double_colon():
    table = royal_table()
    found = analogy(table, "man : woman :: king : ?")
    assert (found.expression.base, found.answer.text) == ("king", "queen")
    assert analogy(table, "man:king::woman:?").expression.base == "woman"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("king - man + woman", "− man + woman"),
        ("man : king :: woman : ?", "− man + king"),
        ("2 * (a - b)", "2 times − 2·b"),
        ("a", "nothing"),
    ],
)
def test_what_is_done_to_the_base_in_words(text, rest):
    assert parse(text).rest == rest


@pytest.mark.parametrize("method", ["3CosAdd", "3CosMul", "PairDistance"])
def test_every_method_against_its_formula_written_out(method):
    rows = np.random.default_rng(2).standard_normal((40, 8)).astype(np.float32)
    table = words_table(rows)
    unit = rows / np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    a, b, c = unit[1], unit[2], unit[0]
    expected = {
        "3CosAdd": unit @ (c - a + b) / np.linalg.norm(c - a + b),
        "3CosMul": (1 + unit @ c) / 2 * (1 + unit @ b) / 2 / ((1 + unit @ a) / 2 + 1e-6),
        "PairDistance": np.array(
            [(b - a) @ (x - c) / np.linalg.norm(b - a) / max(np.linalg.norm(x - c), 1e-9) for x in unit]
        ),
    }[method]
    found = analogy(table, "w0 - w1 + w2", method=method, k=40)
    scores = {e.id: e.score for e in found.kept}
    assert [scores[i] for i in range(3, 40)] == pytest.approx(expected[3:].tolist(), abs=1e-12)


def test_raw_rows_weigh_by_length():
    rows = np.array([[3, 0, 0], [0, 1, 0], [3, 1, 0], [1, 1, 0.0]], np.float32)
    table = words_table(rows, ["a", "b", "ab", "even"])
    assert analogy(table, "a + b", raw_rows=True).answer.text == "ab"
    assert analogy(table, "a + b").answer.text == "even"


def test_case_and_space_variants_leave_the_race():
    rows = np.eye(6, dtype=np.float32) + 0.1
    rows[1] = rows[0] + 0.01
    table = words_table(rows, ["king", "King", " king", "queen", "man", "woman"])
    found = analogy(table, "#0 - man + woman")
    assert {e.text for e in found.removed}.isdisjoint({"king", "King", "▁king", "man", "woman"})
    assert {e.text: e.role for e in found.kept}["King"] == "variant"


def test_similarity_of_a_small_table_is_exact():
    rows = np.array([[1, 0], [0, 1], [1, 1], [-1, 0]], np.float32)
    table = words_table(rows, ["a", "b", "c", "d"])
    found = similarity(table, ["a", "c"])
    pair = found.pairs[0]
    half = np.sqrt(0.5)
    cosines = np.array([0, half, -1, half, 0, -half])
    assert pair.cosine == 1 / np.sqrt(2)
    assert found.background_kind == "exact"
    assert found.background_pairs == 6
    assert found.mean == pytest.approx(cosines.mean(), abs=1e-7)
    assert found.sd == pytest.approx(cosines.std(), abs=1e-7)
    assert pair.percentile == pytest.approx(100 * 5 / 6)  # four lie lower, two tie: counted by half
    assert pair.percentile_error == 0
    assert (pair.dot, pair.euclidean) == (1.0, 1.0)
    crowd = (0 + half - 1) / 3, (half + half - half) / 3
    assert pair.csls == pytest.approx(2 * half - sum(crowd), abs=1e-6)


def test_a_known_direction_is_found_on_held_out_pairs():
    rng = np.random.default_rng(3)
    base = rng.standard_normal((20, 64)) * 0.3
    axis = np.zeros(64)
    axis[0] = 3.0
    rows = np.concatenate([base - axis, base + axis])
    table = words_table(rows)
    pairs = [(f"w{i}", f"w{20 + i}") for i in range(20)]
    found = direction(table, pairs)
    assert found.auc == 1.0
    assert abs(found.vector[0]) > 0.99
    assert found.null is not None and found.null.p == 0.001
    assert found.parallelism is not None and found.parallelism.value > 0.9
    lists = direction_of_lists(table, [a for a, _ in pairs], [b for _, b in pairs])
    assert lists.auc == 1.0 and lists.null is not None and lists.null.p == 0.001


def test_one_pair_gives_its_own_projections_and_no_null():
    table = words_table([[1, 0], [0, 1]], ["a", "b"])
    found = direction(table, [("a", "b")])
    assert not found.held_out and found.null is None and found.parallelism is None
    assert found.vector.tolist() == pytest.approx([-np.sqrt(0.5), np.sqrt(0.5)])
    assert (found.low_mean, found.high_mean) == pytest.approx((-np.sqrt(0.5), np.sqrt(0.5)))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("king - man + woman", {"king": 1, "man": -1, "woman": 1}),
        ("king−man+woman", {"king": 1, "man": -1, "woman": 1}),
        ("a - (b - (c + d))", {"a": 1, "b": -1, "c": 1, "d": 1}),
        ("2 * (a - 0.5 b) + 3c", {"a": 2, "b": -1, "3c": 1}),
        ("-a + b", {"a": -1, "b": 1}),
        ("'well-known' + \"7\"", {"well-known": 1, "7": 1}),
        ("man : king :: woman : ?", {"woman": 1, "man": -1, "king": 1}),
        ("国王 − 男人 + 女人", {"国王": 1, "男人": -1, "女人": 1}),
        ("a + a", {"a": 2}),
        ("#12 - b", {"#12": 1, "b": -1}),
    ],
)
def test_expressions(text, terms):
    assert dict(parse(text).terms) == terms


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("king -", "expected a word, found the end"),
        ("king - + man", "expected a word, found '+' at character 8"),
        ("king man", "expected an operator or the end, found 'man' at character 6"),
        ("(king", "expected ')', found the end"),
        ("king - king", "which adds up to nothing"),
        ("", "expected a word, found the end"),
        ("a : b", "expected '::', found the end"),
        ("__import__('os')", "expected an operator or the end, found '(' at character 11"),
        ("(" * 60 + "a" + ")" * 60, "expected at most 50 open parentheses"),
        ("a" * 3000, "expected an expression of at most 2,000 characters, found 3,000"),
    ],
)
def test_bad_expressions_say_where(text, message):
    with pytest.raises(UsageError) as error:
        parse(text)
    assert message in error.value.message and "\n" not in error.value.message


def test_unknown_words_get_near_spellings():
    table = words_table(np.eye(4), ["economics", "economy", "cat", "Cat"])
    with pytest.raises(UsageError, match="expected a token that spells 'econmics', found none") as error:
        read_word(table, "econmics")
    assert error.value.cure.startswith("near spellings: economics")
    with pytest.raises(UsageError, match="found an empty text"):
        read_word(table, " ")


def test_a_spelling_of_several_rows_is_refused_with_their_ids():
    table = words_table(np.eye(3), ["king", "king", "cat"])
    with pytest.raises(UsageError, match="expected one row for 'king', found 2 that are spelled so") as error:
        read_word(table, "king")
    assert error.value.cure == "say which: #0, #1"
    assert read_word(table, "#1").ids == (1,)
    with pytest.raises(UsageError, match="expected an id from 0 to 2, found 7"):
        read_word(table, "#7")


def test_a_word_that_cancels_out_or_has_no_direction_is_refused():
    table = words_table([[1, 0], [2, 0], [0, 0]], ["a", "b", "zero"])
    with pytest.raises(UsageError, match="whose words cancel out"):
        analogy(table, "a - b")
    with pytest.raises(UsageError, match="found a zero or non-finite one"):
        analogy(table, "a - zero")


def test_a_lower_cased_list_of_words_answers_for_capitals_and_says_so():
    table = words_table(np.eye(3), ["paris", "France", "x"])
    word = read_word(table, "Paris")
    assert (word.ids, word.is_single, word.note) == ((0,), True, "Paris is not in this table; paris stands for it")
    assert read_word(table, "France").note == ""


@pytest.mark.parametrize(("lowers", "found"), [(True, (0,)), (False, (2, 3))])
def test_a_tokenizer_that_lower_cases_finds_capitals_and_another_does_not(lowers, found):
    """Tokens paris, france, P, aris: an uncased tokenizer makes one token of Paris, a cased one two."""

    class Whole:
        def encode(self, text: str) -> list[int]:
            word = text.strip().lower() if lowers else text.strip()
            return {"paris": [0], "france": [1], "Paris": [2, 3]}[word]

        def decode(self, ids) -> bytes:
            return b""

    names = ["paris", "france", "P", "aris"]
    vocabulary = Vocabulary([n.encode() for n in names], names, np.zeros(4, np.uint8), tokenizer=Whole())
    table = replace(words_table(np.eye(4), names), vocabulary=vocabulary)
    assert read_word(table, "Paris").ids == found
    assert read_word(table, "paris").ids == (0,)


def rungs_of(cosines: dict[str, list[float]]) -> tuple[Table, list[Section]]:
    """A table whose pairs on each rung have these cosines: (1, 0) and (c, √(1 − c²))."""
    rows, words, sections = [], [], []
    for name, values in cosines.items():
        pairs = [(f"{name}{i}a", f"{name}{i}b") for i in range(len(values))]
        rows += [r for c in values for r in ([1.0, 0.0], [c, np.sqrt(1 - c * c)])]
        words += [w for pair in pairs for w in pair]
        sections.append(Section(name, tuple(pairs)))
    return words_table(rows, words), sections


def test_a_ladder_whose_order_is_planted():
    table, sections = rungs_of({"near": [0.9, 0.8], "far": [0.2, 0.1], "odd": [0.5, 0.5], "mixed": [0.9, 0.1]})
    found = ladder(table, sections=[*sections[:3], Section("mixed", (*sections[3].pairs, ("no", "word")))])
    assert [r.mean for r in found.rungs] == pytest.approx([0.85, 0.15, 0.5, 0.5], abs=1e-7)
    assert [(r.pairs, r.missing, r.single) for r in found.rungs] == [(2, 0, 2)] * 3 + [(2, 1, 2)]
    assert (found.rungs[0].low, found.rungs[0].high) == pytest.approx((0.8, 0.9), abs=1e-7)  # two pairs, drawn again
    assert [s.verdict for s in found.steps] == ["held", "reversed", "undecided"]
    assert found.sentence == (
        "The expected order (near > far > odd > mixed) did not hold throughout (differences of mean cosines with 95 % "
        "intervals, 2 pairs a rung). Reversed: far over odd −0.350 (−0.400 to −0.300); too few words to tell: "
        "odd over mixed +0.000 (−0.400 to +0.400)."
    )
    assert found.contradicted
    open_ = ladder(table, sections=[sections[0], sections[3]])
    assert not open_.contradicted and open_.sentence.startswith(
        "Too few words to tell whether the expected order (near > mixed) holds (differences of mean cosines with 95 %"
    )
    most = ladder(table, sections=[sections[0], sections[2], sections[3]])
    assert [s.verdict for s in most.steps] == ["held", "undecided"]
    assert most.sentence.startswith(
        "1 of 2 steps of the expected order (near > odd > mixed) hold and none is reversed; too"
    )
    held = ladder(table, sections=sections[:2])
    assert held.sentence == "The expected order held: near > far, each step beyond its 95 % interval."
    with pytest.raises(UsageError, match="found none on the ladder"):
        ladder(table, sections=[Section("none", (("no", "word"),))])


def test_a_word_of_several_tokens_is_named_with_the_one_that_stands_for_it():
    class Halves:
        def encode(self, text: str) -> list[int]:
            return {"cake": [0, 1], "cat": [2], "dog": [3], "bread": [4]}[text.strip()]

        def decode(self, ids) -> bytes:
            return b""

    names = ["c", "ake", "cat", "dog", "bread"]
    vocabulary = Vocabulary([n.encode() for n in names], names, np.zeros(5, np.uint8), tokenizer=Halves())
    rows = [[1, 0.1, 0], [0, 0, 1], [1, 0, 0], [0.8, 0, 0.6], [0, 1, 0]]
    table = replace(words_table(rows, names), vocabulary=vocabulary)
    sections = [Section("animals", (("cat",), ("dog",))), Section("foods", (("cake",), ("bread",)))]
    found = categories(table, sections)
    assert found.single == 3
    assert {found.shown(m.word): found.shown(m.nearest) for m in found.near_misses} == {
        "cat": "cake (as c)",
        "cake (as c)": "cat",
    }
