"""Near spellings: what a person may have meant by a word that a vocabulary does not have."""

from __future__ import annotations

import difflib

from armillary.table import Kind, Vocabulary

MOST_COMPARED = 20_000


def near_spellings(vocabulary: Vocabulary, text: str, count: int = 3) -> list[str]:
    """Up to `count` tokens spelled like `text`, nearest first: equal but for case, else by matching blocks.

    Only tokens of nearly the same length that begin alike are compared, so that a large vocabulary costs little.
    """
    wanted = text.strip().casefold()
    alike: dict[str, None] = {}
    for raw, kind in zip(vocabulary.raw, vocabulary.kinds.tolist(), strict=True):
        if kind == Kind.NO_TOKEN or abs(len(raw) - len(wanted.encode())) > 3:
            continue
        word = raw.decode("utf-8", "replace").strip()
        if word and word.isprintable() and word.casefold()[:1] == wanted[:1]:
            alike[word] = None
            if len(alike) >= MOST_COMPARED:
                break
    same = [w for w in alike if w.casefold() == wanted]
    folded = {w.casefold(): w for w in reversed(alike)}
    close = difflib.get_close_matches(wanted, list(folded), n=count, cutoff=0.6)
    return list(dict.fromkeys([*same, *(folded[c] for c in close)]))[:count]
