"""Tokens, vocabulary, rows and row facts, on tables small enough to see."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import pytest

import armillary as arm
from armillary.errors import UsageError
from armillary.table import ArrayRows, Kind, Table, Vocabulary, unused_or_normal, visible


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b" the", "▁the"),
        (b"\n\t\x00\x7f", "␊␉␀␡"),
        (b"caf\xc3", "caf\\xC3"),
        ("\u202ex".encode(), "\\u{202E}x"),
        ("\u2028".encode(), "\\u{2028}"),
        ("\u00a0".encode(), "\\u{00A0}"),
        ("东京".encode(), "东京"),
        (b"<b>", "<b>"),
        (b"", ""),
    ],
)
def test_visible_shows_every_byte(raw: bytes, shown: str) -> None:
    assert visible(raw) == shown


def test_kinds_have_names_and_codes() -> None:
    labels = ["normal", "byte", "control", "user-defined", "unused", "no-token"]
    assert [k.label for k in Kind] == labels
    assert [Kind.from_label(name) for name in labels] == list(range(6))
    with pytest.raises(ValueError, match="no kind named 'odd'; there are normal, byte"):
        Kind.from_label("odd")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("<unused12>", Kind.UNUSED),
        ("[unused0]", Kind.UNUSED),
        ("<|reserved_special_token_3|>", Kind.UNUSED),
        ("unused", Kind.NORMAL),
        ("[CLS]", Kind.NORMAL),
        ("", Kind.NORMAL),
    ],
)
def test_unused_is_told_by_name(name: str, kind: Kind) -> None:
    assert unused_or_normal(name) is kind


def test_find_gives_leading_space_first_then_bare_then_names() -> None:
    words = Vocabulary.of_words(["king", " king", "king", "▁queen"])
    for _ in range(10):  # the first questions read the words through, later ones an index
        assert words.find("king") == [1, 0, 2]
        assert words.find(b"king") == [1, 0, 2]
        assert words.find("▁king") == [1]
        assert words.find("▁queen") == [3]
        assert words.find("nothing") == []


def test_rows_without_token_are_not_found() -> None:
    kinds = np.array([Kind.NORMAL, Kind.NO_TOKEN], np.uint8)
    words = Vocabulary([b"", b""], ["", ""], kinds)
    for _ in range(10):
        assert words.find("") == [0]
    assert words[1].text == "⟨no token 1⟩"
    assert words[0].text == "⟨empty⟩"
    with pytest.raises(IndexError, match="ids run from 0 to 1"):
        words[2]


def test_row_facts() -> None:
    tiny = np.float32(1e-45)  # the smallest denormal: its square is no zero in float64
    rows = np.array(
        [[1, 0], [0, 0], [1, -0.0], [np.nan, 0], [np.inf, 0], [tiny, 0], [-0.0, 0], [np.nan, 0], [0, 1], [1, 0]],
        np.float32,
    )
    facts = Table.from_array(rows).row_facts
    assert facts.zero.tolist() == [1, 6]
    assert facts.non_finite.tolist() == [3, 4, 7]
    assert facts.equal_groups == ((0, 2, 9),)
    assert facts.equal_rows == 2
    assert facts.norms[5] == float(tiny)
    assert facts.norms[[0, 8]].tolist() == [1.0, 1.0]
    assert facts.sha256 == hashlib.sha256(struct.pack("<20f", *rows.ravel().tolist())).hexdigest()


def test_a_signalling_nan_is_a_non_finite_row() -> None:
    rows = np.array([[0x7F800001, 0], [0, 0x3F800000]], np.uint32).view(np.float32)
    assert Table.from_array(rows).row_facts.non_finite.tolist() == [0]


def test_rows_that_share_a_key_are_told_apart_by_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    from armillary.table import row_pass

    monkeypatch.setattr(row_pass, "_row_keys", lambda block, _: np.zeros(len(block), np.uint64))
    facts = Table.from_array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 1.0], [3.0, 3.0]]).row_facts
    assert facts.equal_groups == ((0, 2), (1, 3))


@pytest.mark.parametrize("count", [1, 7, 8, 9, 24])
def test_facts_do_not_depend_on_blocks(count: int) -> None:
    rows = np.random.default_rng(3).standard_normal((count, 3)).astype(np.float32)
    rows[-1] = rows[0]
    table = Table.from_array(rows)
    from armillary.table.row_pass import measure_rows

    seen: list[tuple[int, int]] = []
    facts = measure_rows(table.vectors, table.blocks(8), lambda done, total: seen.append((done, total)))
    assert facts.sha256 == table.row_facts.sha256 == hashlib.sha256(rows.astype("<f4").tobytes()).hexdigest()
    assert facts.equal_groups == table.row_facts.equal_groups == (((0, count - 1),) if count > 1 else ())
    assert seen[-1] == (count, count)
    np.testing.assert_array_equal(facts.norms, np.sqrt((rows.astype(np.float64) ** 2).sum(1)))


def test_no_row_one_row_one_column() -> None:
    empty = Table.from_array(np.zeros((0, 4), np.float32))
    assert (len(empty), empty.row_facts.equal_groups, list(empty.blocks())) == (0, (), [])
    assert empty.row_facts.sha256 == hashlib.sha256(b"").hexdigest()
    one = Table.from_array([[2.0]])
    assert (one.shape, one.row(0).tolist(), one.row_facts.norms.tolist()) == ((1, 1), [2.0], [2.0])


def test_float64_loss_is_the_largest_relative_one() -> None:
    exact = 1.0 + 2.0**-25  # halfway below the next float32: rounds to 1
    facts = Table.from_array(np.array([[1.0, 0.0], [exact, 4.0], [1e300, 1.0]])).row_facts
    assert facts.relative_loss == 2.0**-25 / exact
    assert facts.non_finite.tolist() == [2]  # beyond float32: infinite, and reported as such
    assert Table.from_array(np.ones((2, 2), np.float16)).row_facts.relative_loss == 0.0


def test_float16_norms_do_not_overflow() -> None:
    facts = Table.from_array(np.full((1, 4), 60000, np.float16)).row_facts
    assert facts.norms.tolist() == [2.0 * float(np.float16(60000))]


def test_rows_are_handed_out_as_copies_and_never_written() -> None:
    array = np.arange(6, dtype=np.float32).reshape(3, 2)
    array.flags.writeable = False
    table = Table.from_array(array)
    taken = table.rows([2, 0, 2])
    assert taken.tolist() == [[4, 5], [0, 1], [4, 5]]
    taken[:] = 9
    assert table.row(2).tolist() == [4, 5]
    assert ArrayRows(np.asfortranarray(array)).block(0, 3).flags.c_contiguous


def test_a_torch_weight_is_read_and_not_changed() -> None:
    torch = pytest.importorskip("torch")
    layer = torch.nn.Embedding(5, 3)
    before = layer.weight.detach().clone()
    table = Table.from_array(layer.weight, ["a", "b", "c", "d", "e"])
    np.testing.assert_array_equal(table.rows(range(5)), before.numpy())
    assert table.row_facts.non_finite.size == 0
    assert torch.equal(layer.weight, before)
    assert layer.weight.requires_grad
    half = Table.from_array(torch.tensor([[1.5, -2.0]], dtype=torch.bfloat16))
    assert half.row(0).tolist() == [1.5, -2.0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros(3), r"expected a two-dimensional array of numbers, found shape \(3,\) of float64"),
        (np.zeros((2, 0)), r"found shape \(2, 0\)"),
        (np.array([["a"]]), "of <U1"),
        (np.zeros((1, 1), complex), "of complex128"),
        (np.zeros((1, 1), bool), "of bool"),
    ],
)
def test_what_is_no_table(rows: np.ndarray, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Table.from_array(rows)


def test_errors_of_a_table() -> None:
    with pytest.raises(UsageError, match="expected 2 tokens, one a row, found 1"):
        Table.from_array(np.zeros((2, 2)), ["a"])
    table = Table.from_array(np.zeros((2, 2)), ["a", "b"])
    with pytest.raises(UsageError, match="expected an id from 0 to 1, found 2"):
        table.row(2)
    with pytest.raises(UsageError, match="expected an id from 0 to 1, found -1"):
        table.row(-1)
    with pytest.raises(UsageError, match="a table of 2 rows needs as many tokens, found 3"):
        Table(table.vectors, Vocabulary.of_ids(3), table.provenance, table.load_report)
    with pytest.raises(UsageError, match="cannot split 'a' into tokens"):
        table.vocabulary.encode("a")


def test_half_of_a_surrogate_pair_is_bytes_like_any_other() -> None:
    vocabulary = Vocabulary.of_words(["king", "\ud800", "\udcff"])
    assert [token.text for token in vocabulary] == ["king", "\\xED\\xA0\\x80", "\\xFF"]
    assert vocabulary.find("\ud800") == [1]
    assert vocabulary.near("\ud800") == ["\ufffd" * 3]


@pytest.mark.parametrize("mapped", [False, True])
def test_rows_that_float32_cannot_hold_are_told_from_broken_ones(tmp_path, mapped: bool) -> None:
    rows = np.random.default_rng(0).standard_normal((9, 4))
    rows[2] *= 1e300  # finite as stored, infinite as read
    rows[3] *= 1e-310  # not zero as stored, zero as read
    rows[4, 0] = 1e-310  # one number rounds to zero; the row keeps its direction
    rows[5], rows[6, 1], rows[7, 2] = 0.0, np.nan, np.inf
    np.save(tmp_path / "wide.npy", rows)
    table = arm.open(tmp_path / "wide.npy", cache=False).table if mapped else Table.from_array(rows)
    facts = table.row_facts
    assert facts.outside.tolist() == [2, 3]
    assert (facts.zero.tolist(), facts.non_finite.tolist()) == ([3, 5], [2, 6, 7])
    narrow = Table.from_array(rows[[0, 1, 4, 5, 6, 7]].astype(np.float32)).row_facts
    assert narrow.outside.tolist() == [] and narrow.zero.tolist() == [3]
