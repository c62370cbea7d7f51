"""Drift, senses, the permuted sentence and the cone by layer, against naive loops and planted geometry."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from armillary.errors import UnreadableError, UsageError
from armillary.lens import LanguageModel, States, model_of
from armillary.lens.cone import cone_by_layer, geometry_by_layer, neighbors, overlap, shuffled
from armillary.lens.drift import anisotropy, drift, intra_sentence, positions_of, word_states
from armillary.lens.framing import Framing
from armillary.lens.permuted import permuted
from armillary.lens.senses import separation
from armillary.lens.states import table_of
from armillary.lens.texts import built_in_senses, paragraphs, read_senses
from armillary.table import Kind, Token, Vocabulary
from lens_models import LAYERS, network, table_for, vocabulary

SENTENCES = ["w5 w9 w7", "w8 w9", "w6 w9 w5 w11"]


@pytest.fixture(scope="session")
def llama() -> LanguageModel:
    made = network("llama")
    return model_of(made, table_for(made), framing=Framing((1,), (), 1))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a.astype(float), b.astype(float)
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def naive_mean(rows: list[np.ndarray]) -> float:
    return float(np.mean([cosine(a, b) for a, b in combinations(rows, 2)]))


def test_drift_is_what_the_loops_say(llama: LanguageModel) -> None:
    base = llama.states_of(["w12 w13 w14", "w20 w21"])
    found = drift(llama, SENTENCES, "w9", baseline=base)
    states = llama.states_of(SENTENCES)
    places = [2, 2, 2]  # after <s> and one word
    for layer in range(LAYERS + 1):
        words = [s.layers[layer, p] for s, p in zip(states, places, strict=True)]
        for i in range(3):
            for j in range(3):
                assert found.cosines[layer, i, j] == pytest.approx(cosine(words[i], words[j]), abs=1e-6)
        assert found.self_similarity[layer] == pytest.approx(naive_mean(words), abs=1e-6)
        rest = [s.layers[layer, i] for s in base for i in range(1, len(s))]
        every = [s.layers[layer, i] for s in base for i in range(len(s))]
        assert found.anisotropy[layer] == pytest.approx(naive_mean(rest), abs=1e-6)
        assert found.anisotropy_with_first[layer] == pytest.approx(naive_mean(every), abs=1e-6)
        inside = [np.mean([cosine(r, s.layers[layer, 1:].mean(0)) for r in s.layers[layer, 1:]]) for s in states]
        assert found.intra[layer] == pytest.approx(np.mean(inside), abs=1e-5)
    np.testing.assert_allclose(found.cosines[0], 1.0)  # one row of the table, whatever stands around it
    assert found.self_similarity[LAYERS] < 0.999
    columns = found.columns()
    assert columns["above_baseline_cosine"][2] == pytest.approx(found.self_similarity[2] - found.anisotropy[2])


@pytest.mark.long
def test_one_context_has_no_self_similarity(llama: LanguageModel) -> None:
    found = drift(llama, SENTENCES[:1], "w9", baseline=llama.states_of(SENTENCES))
    assert np.isnan(found.self_similarity).all()
    with pytest.raises(UsageError, match="expected at least one sentence"):
        drift(llama, [], "w9")
    with pytest.raises(UsageError, match="expected the word 'w60' in each sentence, found none in 'w5 w9 w7'"):
        drift(llama, SENTENCES, "w60", baseline=llama.states_of(SENTENCES))


class Pieces:
    """Tokens as bytes, joined; the text is given as pieces parted by |."""

    def __init__(self, raw: list[bytes]) -> None:
        self.raw = raw

    def encode(self, text: str) -> list[int]:
        return [self.raw.index(piece.encode()) for piece in text.split("|")]

    def decode(self, ids: list[int]) -> bytes:
        return b"".join(self.raw[i] for i in ids)


def test_a_word_is_found_across_tokens_and_not_inside_another() -> None:
    raw = [
        b"<s>",
        b"The",
        b" river",
        b" ban",
        b"k",
        b"s",
        b" of",
        b" Bank",
        "é".encode()[:1],
        "é".encode()[1:],
        b" bank",
    ]
    kinds = np.zeros(len(raw), np.uint8)
    kinds[0] = Kind.CONTROL
    words = Vocabulary(raw, [r.decode("latin1") for r in raw], kinds, tokenizer=Pieces(raw))

    def at(ids: list[int], word: str) -> list[int]:
        return positions_of(States(tuple(words[i] for i in ids), np.zeros((1, len(ids), 2), "f4")), words, word)

    assert at([0, 1, 2, 3, 4], "bank") == [3, 4]  # two tokens
    assert at([0, 1, 3, 4, 5, 6, 10], "bank") == [6]  # "banks" is another word
    assert at([0, 1, 7], "bank") == [2]  # upper case
    assert at([0, 8, 9, 10], "bank") == [3]  # after a character cut into two tokens
    with pytest.raises(UsageError):
        at([0, 1, 3, 4, 5], "bank")


def test_pooling(llama: LanguageModel) -> None:
    two = Vocabulary(
        [b"", b"ri", b"ver", b"x"],
        ["", "ri", "ver", "x"],
        np.zeros(4, np.uint8),
        tokenizer=Pieces([b"", b"ri", b"ver", b"x"]),
    )
    states = States(tuple(two[i] for i in (1, 2)), np.arange(8, dtype="f4").reshape(2, 2, 2))

    class Fixed:
        table = type("T", (), {"vocabulary": two})

        def states_of(self, texts: list[str], progress: object = None) -> list[States]:
            return [states for _ in texts]

    mean, _ = word_states(Fixed(), ["ri|ver"], "river")  # pyright: ignore[reportArgumentType]
    first, _ = word_states(Fixed(), ["ri|ver"], "river", pool="first")  # pyright: ignore[reportArgumentType]
    np.testing.assert_array_equal(mean[0], [[1, 2], [5, 6]])
    np.testing.assert_array_equal(first[0], [[0, 1], [4, 5]])


def test_special_tokens_are_no_occurrences() -> None:
    control = Token.of(1, b"<s>", "<s>", Kind.CONTROL)
    plain = [Token.of(i, b"x", "x", Kind.NORMAL) for i in (5, 6)]
    rows = np.array([[[1, 0], [0, 1], [0, 1], [1, 0]]], "f4")
    states = States((control, *plain, control), rows)
    assert anisotropy([states]).tolist() == [1.0]
    assert anisotropy([states], first=True)[0] == pytest.approx(1 / 3)
    assert intra_sentence([states]).tolist() == [1.0]


def test_planted_senses_are_found_and_chance_is_not() -> None:
    rng = np.random.default_rng(5)
    labels = np.repeat([0, 1], 20)
    noise = rng.normal(size=(40, 4, 50))
    planted = noise.copy()
    planted[:20, 2:, 0] += 9.0  # from layer 2 on, each sense has its direction
    planted[20:, 2:, 1] += 9.0
    found = separation("w", ("a", "b"), planted, labels)
    assert found.separates and found.p == pytest.approx(1 / 1001) and found.sentences == 40
    assert found.low[3] > 0.4 and found.low[0] < 0 < found.high[0]
    unit = planted[:, 3] / np.linalg.norm(planted[:, 3], axis=1, keepdims=True)
    pairs = list(combinations(range(40), 2))
    same = np.mean([unit[i] @ unit[j] for i, j in pairs if labels[i] == labels[j]])
    other = np.mean([unit[i] @ unit[j] for i, j in pairs if labels[i] != labels[j]])
    assert found.within[3] == pytest.approx(same) and found.between[3] == pytest.approx(other)
    assert found.value == pytest.approx(found.difference[2:].mean())
    nothing = separation("w", ("control a", "control b"), noise, labels)
    assert not nothing.separates and nothing.p > 0.05 and nothing.is_control


def test_false_alarms_of_the_interval_are_as_rare_as_they_should_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armillary.lens.senses.BOOTSTRAPS", 200)
    rng = np.random.default_rng(6)
    labels = np.repeat([0, 1], 12)
    alarms = sum(separation("w", ("a", "b"), rng.normal(size=(24, 2, 20)), labels).separates for _ in range(40))
    assert alarms <= 4  # 1 expected at 2.5 %; more than 4 has a chance under 0.4 %


def test_a_permuted_sentence_has_one_static_mean_and_other_states(llama: LanguageModel) -> None:
    found = permuted(llama, "w5 w9 w7 w30", "w5 w30 w7 w9")
    assert found.static_difference < 1e-7
    np.testing.assert_allclose(found.cosines[0], 1.0)
    np.testing.assert_allclose(found.moved[0], 1.0)
    assert found.moved[LAYERS] < 0.999
    one, other = (llama.states(t).at(2).astype(float) for t in ("w5 w9 w7 w30", "w5 w30 w7 w9"))
    pairs = [(0, 0), (1, 1), (2, 4), (3, 3), (4, 2)]
    assert found.moved[2] == pytest.approx(np.mean([cosine(one[i], other[j]) for i, j in pairs]))
    with pytest.raises(UsageError, match="the same tokens in another order"):
        permuted(llama, "w5 w9", "w5 w8")


def test_the_built_in_sentences_are_what_they_say() -> None:
    senses = built_in_senses()
    assert list(senses) == ["bank", "bat", "spring", "light", "seal", "bow", "bread"]
    for word, groups in senses.items():
        assert [len(lines) for lines in groups.values()] == [20, 20]
        lines = [line for group in groups.values() for line in group]
        assert len(set(lines)) == 40
        assert all(line.rstrip(".").replace(",", "").split().count(word) == 1 for line in lines)
    assert [sense.startswith("control") for sense in senses["bread"]] == [True, True]
    assert len(paragraphs()) == 14 and all(len(p.split()) > 40 for p in paragraphs())


def test_senses_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "senses.txt"
    file.write_text("# a comment of several words\n# pen: tool\nA pen.\nThe pen.\n\n# pen: fold\nOne pen.\nTwo pen.\n")
    assert read_senses(file) == {"pen": {"tool": ("A pen.", "The pen."), "fold": ("One pen.", "Two pen.")}}
    for text, message in (
        ("A pen.", "line 1: expected '# word: sense' before a sentence"),
        ("# pen: tool\nA pen.\nThe pen.\n", "two senses of 'pen' or more"),
        ("", "expected senses of a word, found none"),
    ):
        file.write_text(text)
        with pytest.raises(UnreadableError, match=message):
            read_senses(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableError, match="expected a text in"):
        paragraphs(file)
    file.write_text("\n\n")
    with pytest.raises(UsageError, match=r"expected a text in .* found none"):
        paragraphs(file)


def test_the_cone_by_layer_is_what_the_loops_say(llama: LanguageModel) -> None:
    texts = ["w5 w9 w7 w30 w31 w32 w33", "w8 w9 w40 w41 w42 w43", "w50 w51 w52 w53"]
    found = cone_by_layer(llama, texts, k=3)
    states = llama.states_of(texts)
    before: list[set[int]] = []
    for layer, measured in enumerate(found.layers):
        rows = [s.layers[layer, i].astype(float) for s in states for i in range(1, len(s))]
        assert measured.mean_cosine == pytest.approx(naive_mean(rows), abs=1e-7)  # the states of two runs, in float32
        values = np.linalg.eigvalsh(np.cov(np.array(rows).T, bias=True))
        assert measured.participation_ratio == pytest.approx(values.sum() ** 2 / (values**2).sum())
        assert measured.mean_norm == pytest.approx(np.mean([np.linalg.norm(r) for r in rows]))
        lists = [
            set(sorted((j for j in range(len(rows)) if j != i), key=lambda j: -cosine(rows[i], rows[j]))[:3])
            for i in range(len(rows))
        ]
        shared = np.mean([len(a & b) / 3 for a, b in zip(before, lists, strict=True)]) if before else None
        assert measured.overlap == (None if shared is None else pytest.approx(shared))
        before = lists
        unit = np.array([r / np.linalg.norm(r) for r in rows])
        parts = (unit.sum(0) ** 2 - (unit**2).sum(0)) / (17 * 16)
        told = parts.sum() > 4 * np.sqrt(2 / (32 * 17 * 16))  # else the mean is chance, and has no shares
        assert measured.rogue_coordinate == (parts.argmax() if told else None)
        assert measured.rogue_share == (pytest.approx(parts.max() / parts.sum()) if told else None)
        assert measured.intrinsic is None and measured.intrinsic_random is None  # 17 states have no 20 nearest
    assert [layer.rogue_share is None for layer in found.layers] == [True, False, False, False]
    assert found.positions == 17 and len(found.shuffled) == LAYERS + 1
    assert found.layers != found.shuffled
    with pytest.raises(UsageError, match="expected at least 12 positions, found 7"):
        cone_by_layer(llama, texts[:1])


def test_intrinsic_dimension_by_layer_is_levina_and_bickels(llama: LanguageModel) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.integers(3, 60, 12)) for _ in range(6)]
    found = cone_by_layer(llama, texts, k=3)
    states = llama.states_of(texts)
    for layer, measured in enumerate(found.layers):
        rows = np.unique([s.layers[layer, i].astype(float) for s in states for i in range(1, len(s))], axis=0)
        distances = np.sort(np.linalg.norm(rows[:, None] - rows[None], axis=2), axis=1)[:, 1:21]
        inverse = [np.mean([np.log(r[19] / r[j]) for j in range(19)]) for r in distances]
        assert measured.intrinsic == pytest.approx(1 / np.mean(inverse), rel=1e-4)
        assert measured.intrinsic_random is not None and measured.intrinsic < measured.intrinsic_random
    assert len(rows) > len(found.layers) + 20


def test_shuffling_keeps_the_words_and_the_lengths() -> None:
    texts = ["a b c d e", "f g", "h i j k l m n"]
    mixed = shuffled(texts, seed=1)
    assert [len(t.split()) for t in mixed] == [5, 2, 7] and mixed != texts
    assert sorted(" ".join(mixed).split()) == sorted(" ".join(texts).split())
    assert mixed == shuffled(texts, seed=1) != shuffled(texts, seed=2)


def test_overlap_of_neighbour_lists() -> None:
    assert overlap(np.array([[1, 2], [0, 2]]), np.array([[2, 1], [2, 3]])) == 0.75
    assert neighbors(np.array([[1, 0], [2, 0], [0, 1.0], [1, 1]]), 2).tolist() == [[1, 3], [0, 3], [3, 0], [0, 1]]


def test_states_become_a_table(llama: LanguageModel) -> None:
    texts = llama.states_of(["w5 w9", "w9"])
    table = table_of(texts, 2)
    assert table.shape == (5, 32) and [t.text for t in table.vocabulary] == ["<s>", "w5", "w9", "<s>", "w9"]
    assert table.find("w9") == [2, 4] and table.provenance.tensor == "layer 2"
    np.testing.assert_array_equal(table.row(4), texts[1].at(2)[1])
    np.testing.assert_array_equal(texts[0].table(2).row(1), texts[0].at(2)[1])
    with pytest.raises(UsageError, match="at least one text"):
        table_of([], 0)
    geometry_by_layer(texts, k=1)
    assert len(vocabulary()) == 64
