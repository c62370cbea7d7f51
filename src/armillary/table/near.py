"""Near spellings: what a person who typed an unknown word may have meant.

Fast on a vocabulary of 262,144: the edit distance is only computed where length and letters allow a small one.
"""

from __future__ import annotations

from collections.abc import Iterable

from armillary.table.token import to_bytes

_FARTHEST = 2


def near_spellings(text: str, words: Iterable[bytes], n: int) -> list[str]:
    """At most n words within two edits of `text`, case and spaces around ignored; nearest first, then in order.

    The distance is the number of bytes inserted, deleted or replaced (Levenshtein, 1966).
    """
    return list(_distances(text, words, n))


def nearest_spellings(text: str, words: Iterable[bytes], n: int) -> list[str]:
    """Those of `near_spellings` that are no farther than the nearest of them."""
    found = _distances(text, words, n)
    return [word for word, distance in found.items() if distance == min(found.values())]


def _distances(text: str, words: Iterable[bytes], n: int) -> dict[str, int]:
    """The n nearest words and their distances, nearest first."""
    wanted = to_bytes(text.strip().lower())
    farthest = min(_FARTHEST, max(1, len(wanted) // 3))
    letters = set(wanted)
    found: dict[bytes, int] = {}
    for word in words:
        if abs(len(word) - len(wanted)) > farthest + 1:  # one more for a leading space
            continue
        bare = word.strip().lower()
        if bare and bare not in found and len(letters.symmetric_difference(bare)) <= 2 * farthest:
            distance = edit_distance(wanted, bare)
            if distance <= farthest:
                found[bare] = distance
    nearest = sorted(found, key=found.__getitem__)[:n]
    return {word.decode("utf-8", "replace"): found[word] for word in nearest}


def edit_distance(first: bytes, second: bytes) -> int:
    """The number of bytes inserted, deleted or replaced to turn one into the other."""
    above = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        line = [i]
        for j, b in enumerate(second, 1):
            line.append(min(above[j] + 1, line[j - 1] + 1, above[j - 1] + (a != b)))
        above = line
    return above[-1]
