"""Pairs of rows that belong together: from a file, from case and space variants, or from neighbours."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.scan.result import Scan
from armillary.shapes import Int64
from armillary.table import Kind, Table


def variant_pairs(table: Table) -> Int64[np.ndarray, "p 2"]:
    """Tokens that spell one word but for case and surrounding space, each with the next of its word by id."""
    words: dict[str, list[int]] = {}
    for id in np.flatnonzero(table.vocabulary.kinds == Kind.NORMAL).tolist():
        word = table.vocabulary.raw[id].decode("utf-8", "replace").strip().casefold()
        if word and "\ufffd" not in word:
            words.setdefault(word, []).append(id)
    return _array([pair for ids in words.values() for pair in pairwise(ids)])


def neighbour_pairs(scan: Scan) -> Int64[np.ndarray, "p 2"]:
    """Rows that are each other's nearest, cosines below 1 alone; each row is in one pair at most."""
    if not scan.k:
        return _array([])
    nearest = np.searchsorted(scan.ids, scan.neighbors[:, 0])
    here = np.arange(len(nearest))
    mutual = (nearest[nearest] == here) & (here < nearest) & (scan.similarities[:, 0] < 1.0)
    return np.stack([scan.ids[here[mutual]], scan.ids[nearest[mutual]]], 1)


def read_pairs(path: str | Path, table: Table) -> tuple[Int64[np.ndarray, "p 2"], int]:
    """(pairs of ids, lines left out because a word is no single row): two words a line, by tab or else by space."""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"expected a text file of pairs at {path}, found: {error}", "two words a line") from error
    pairs, lost = [], 0
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = [word.strip() for word in (line.split("\t") if "\t" in line else line.split())]
        if len(words) != 2:
            raise UnreadableError(f"expected two words in line {number} of {path}, found {len(words)}")
        ids = [table.find(word)[:1] for word in words]
        if all(ids) and ids[0] != ids[1]:
            pairs.append((ids[0][0], ids[1][0]))
        else:
            lost += 1
    if not pairs:
        raise UsageError(f"expected pairs of words of this table in {path}, found none", "two words a line")
    return _array(pairs), lost


def _array(pairs: list[tuple[int, int]]) -> Int64[np.ndarray, "p 2"]:
    return np.array(pairs, np.int64).reshape(-1, 2)
