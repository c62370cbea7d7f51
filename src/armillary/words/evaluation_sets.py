"""Evaluation sets: which there are, and how their files are read.

The files come with the data set `evaluation` of the catalog (`armillary fetch evaluation`) or from a user. A
similarity file has two words and a score a line; an analogy file four words a line, under `: relation` lines or with
one relation for the whole file. Comments start with #; tabs or spaces separate.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from armillary.errors import UnreadableError
from armillary.words.lists import read_text

Question = tuple[str, str, str, str]


@dataclass(frozen=True)
class EvaluationSet:
    """A set by name: its file in the data set `evaluation`, its language and kind (similarity or analogy).

    `names`: its words are names that the file writes in lower case; they are asked for with their capital.
    """

    name: str
    file: str
    language: str
    kind: str
    names: bool = False


SETS = (
    EvaluationSet("MEN", "hyperhyper/en/ws/bruni_men.tsv", "en", "similarity"),
    EvaluationSet("WS353", "gensim/wordsim353.tsv", "en", "similarity"),
    EvaluationSet("WS353-distinct", "hyperhyper/en/ws/ws353.tsv", "en", "similarity"),  # 348: repeated pairs left out
    EvaluationSet("WS353-sim", "pwe/WS-353-SIM.tsv", "en", "similarity"),
    EvaluationSet("WS353-rel", "pwe/WS-353-REL.tsv", "en", "similarity"),
    EvaluationSet("SimLex", "gensim/simlex999.txt", "en", "similarity"),
    EvaluationSet("SimVerb", "pwe/SimVerb-3500.tsv", "en", "similarity"),
    EvaluationSet("RW", "pwe/RW-STANFORD.tsv", "en", "similarity"),
    EvaluationSet("MTurk-287", "pwe/MTurk-287.tsv", "en", "similarity"),
    EvaluationSet("MTurk-771", "pwe/MTurk-771.tsv", "en", "similarity"),
    EvaluationSet("RG-65", "pwe/RG-65.tsv", "en", "similarity"),
    EvaluationSet("MC-30", "pwe/MC-30.tsv", "en", "similarity"),
    EvaluationSet("YP-130", "pwe/YP-130.tsv", "en", "similarity"),
    EvaluationSet("Gur350", "hyperhyper/de/ws/gur350.tsv", "de", "similarity"),
    EvaluationSet("Gur65", "hyperhyper/de/ws/gur65.tsv", "de", "similarity"),
    EvaluationSet("ZG222", "hyperhyper/de/ws/zg222.tsv", "de", "similarity"),
    EvaluationSet("SimLex-de", "hyperhyper/de/ws/simlex999.tsv", "de", "similarity"),
    EvaluationSet("Google", "gensim/questions-words.txt", "en", "analogy"),
    EvaluationSet("MSR", "hyperhyper/en/analogy/msr.tsv", "en", "analogy"),
    EvaluationSet("Google-de", "hyperhyper/de/analogy/google.tsv", "de", "analogy"),
    EvaluationSet("Capitals-fr", "hyperhyper/fr/analogy/capitals.tsv", "fr", "analogy", names=True),
)


def read_similarity(path: Path, lower: bool = False) -> list[tuple[str, str, float]]:
    """(word, word, score) of every line, lower-cased on request; a first line of titles is left out.

    UnreadableError names a bad line.
    """
    pairs = []
    for number, cells in _lines(path):
        if len(cells) < 3:
            raise UnreadableError(
                f"expected two words and a score in line {number} of {path}, found {len(cells)} cells"
            )
        try:
            a, b = (cell.lower() if lower else cell for cell in cells[:2])
            pairs.append((a, b, float(cells[2])))
        except ValueError as error:
            if pairs:
                raise UnreadableError(f"expected a score in line {number} of {path}, found {cells[2]!r}") from error
    if not pairs:
        raise UnreadableError(f"expected pairs of words with scores in {path}, found none")
    return pairs


def read_analogies(path: Path, names: bool = False) -> dict[str, list[Question]]:
    """Questions by relation, in the order of the file; without `: relation` lines all under the file's name.

    `names`: every word is given a capital.
    """
    relations: dict[str, list[Question]] = {}
    name = path.stem
    for number, cells in _lines(path):
        if cells[0] == ":":
            name = " ".join(cells[1:])
        elif len(cells) == 4:
            if cells != ["a", "a_prime", "b", "b_prime"]:
                a, b, c, d = (cell[:1].upper() + cell[1:] if names else cell for cell in cells)
                relations.setdefault(name, []).append((a, b, c, d))
        else:
            raise UnreadableError(f"expected four words in line {number} of {path}, found {len(cells)}")
    if not relations:
        raise UnreadableError(f"expected analogy questions in {path}, found none")
    return relations


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    lines = enumerate(read_text(path).splitlines(), 1)
    split = ((n, line.split("\t") if "\t" in line else line.split()) for n, line in lines if not line.startswith("#"))
    return [(n, [c.strip() for c in cells]) for n, cells in split if any(c.strip() for c in cells)]
