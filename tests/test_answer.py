"""How results read: numbers against written-out expectations, tables against counted cells."""

from __future__ import annotations

import math

import pytest

from armillary.answer import (
    aligned,
    cell_width,
    cosine,
    count,
    interval,
    isolated,
    number,
    percent,
    quoted,
    seconds,
    size,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.012, "0.0120"), (12.3456, "12.3"), (1234.5, "1,234"), (9.999, "10.0"), (0.0099996, "0.0100"),
        (-0.5, "−0.500"), (4.1e-7, "4.10×10⁻⁷"), (9_999_999.0, "1.00×10⁷"), (0.0, "0"), (262144, "262,144"),
        (math.nan, "—"), (None, "—"), (math.inf, "∞"), (-math.inf, "−∞"), (99.97, "100"), (5e-324, "4.94×10⁻³²⁴"),
    ],
)  # fmt: skip
def test_numbers_have_three_significant_digits(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.87, "0.870"), (0.99996, "0.99996"), (1.0, "1"), (-1.0, "−1"), (1 - 1e-9, "0.999999999"), (-1e-5, "0.000")],
)
def test_a_cosine_is_never_rounded_to_one(value, text):
    assert cosine(value) == text


def test_intervals_percentages_durations_sizes():
    assert interval(0.20461, 0.00031) == "0.2046 ± 0.0003"
    assert interval(0.2046, 0.07) == "0.20 ± 0.07"
    assert interval(0.0, 3.1e-6) == "0 ± 3×10⁻⁶"
    assert percent(0.62578) == "62.6 %"
    assert (seconds(0.04), seconds(3.21), seconds(725), seconds(7800)) == ("40 ms", "3.2 s", "12 min 5 s", "2 h 10 min")
    assert (size(65536), size(335_000_000)) == ("65,536 bytes", "335 MB")
    assert count(-1234567) == "−1,234,567"


def test_columns_stay_aligned_for_wide_combining_and_right_to_left_tokens():
    tokens = ["▁king", "東京", "שלום", "é", "👍", "␀␇"]
    lines = aligned([[token, "1.00"] for token in tokens], ["left", "right"]).splitlines()
    assert {cell_width(line) for line in lines} == {cell_width("▁king  1.00")}


def test_right_to_left_cells_stand_in_an_isolate_only_when_asked():
    assert isolated("שלום") == "\u2068שלום\u2069"
    assert isolated("king 東京") == "king 東京"
    assert "\u2068" in aligned([["שלום", "1"]], ["left", "right"], isolate=True)
    assert "\u2068" not in aligned([["שלום", "1"]], ["left", "right"])


def test_a_long_cell_is_cut_with_an_ellipsis_by_cells_not_characters():
    assert aligned([["東" * 30]], ["left"], widest=11) == "東" * 5 + "…"


def test_a_token_is_quoted_and_what_stands_for_none_is_not():
    assert [quoted(text) for text in ("]):", "⟨empty⟩", "#42", "#", "⟨a")] == ["“]):”", "⟨empty⟩", "#42", "“#”", "“⟨a”"]
