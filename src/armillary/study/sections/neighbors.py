"""The neighbours of a few words, so that a reader sees what near means in this table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import cosine, count
from armillary.report import Column, Section
from armillary.study.sections.part import Part, table_of
from armillary.table import Kind, Table

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = True
WORDS = ("king", "water", "seven", "Paris", "music", "because", "run", "blue", "doctor", "国", "猫", "maison")
FEWEST, SHOWN = 6, 5


def compose(study: Study, scanned: bool) -> Part | None:
    """Neighbours of words that most vocabularies have; of rows spread over the table where it has too few of them."""
    scan = study.scan()
    if not scan.k:
        return None
    place = {int(id): p for p, id in enumerate(scan.ids.tolist())}
    ids = [found[0] for word in WORDS if (found := study.table.find(word)) and found[0] in place]
    if len(ids) < FEWEST:
        ids += _spread(study.table, scan.ids, FEWEST - len(ids))
    columns = [
        Column(name="word", label="word"),
        *(Column(name=f"n{r}", label=str(r)) for r in range(1, min(SHOWN, scan.k) + 1)),
    ]
    rows = []
    for id in dict.fromkeys(ids):
        near, values = scan.neighbors[place[id]][:SHOWN], scan.similarities[place[id]][:SHOWN]
        cells = [f"{study.table.token(int(i)).text}  {cosine(float(v))}" for i, v in zip(near, values, strict=True)]
        rows.append([study.table.token(id).text, *cells])
    section = Section(
        id="neighbors",
        title="Neighbours of a few words",
        sentences=[
            "The nearest rows with their cosine, by cosine in the raw space, exact.",
            f"Searched: all {count(len(scan.ids))} kept rows.",
        ],
        tables=[table_of("neighbors-table", "Nearest rows", columns, rows)],
        how="No centring and no other repair; armillary neighbors MODEL WORD shows any other word.",
    )
    return Part(section)


def _spread(table: Table, ids: np.ndarray, most: int) -> list[int]:
    """Rows from all over the table: words rather than signs, and what stands for text rather than what does not."""
    normal = ids[table.vocabulary.kinds[ids] == Kind.NORMAL]
    words = [int(i) for i in normal.tolist() if _is_word(table.token(int(i)).text)]
    chosen = np.array(words if len(words) >= most else normal if len(normal) >= most else ids)
    return chosen[np.linspace(0, len(chosen) - 1, min(most, len(chosen))).astype(int)].tolist()


def _is_word(text: str) -> bool:
    letters = text.removeprefix("▁")
    return letters.isalpha() and (len(letters) > 2 or not letters.isascii())
