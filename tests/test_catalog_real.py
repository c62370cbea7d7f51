"""What `make data` brought is what the packages say it is."""

from __future__ import annotations

import json

import numpy as np
import pytest

from armillary import catalog
from armillary.formats import open_table

pytestmark = pytest.mark.real


@pytest.mark.parametrize("name", [name for name, entry in catalog.ENTRIES.items() if entry.is_table])
def test_every_table_is_here(name: str) -> None:
    assert catalog.resolve(f"demo:{name}").exists()


def test_the_parts_of_gemma_are_one_gguf() -> None:
    path = catalog.resolve("demo:gemma3")
    assert path.stat().st_size == 3 * 63_963_136 + 61_223_616
    assert path.read_bytes()[:4] == b"GGUF"


@pytest.mark.parametrize(
    ("name", "shape", "word", "near"),
    [
        ("glove", (400_000, 50), "king", {"prince", "queen"}),
        ("fasttext-fr", (20_000, 300), "roi", {"prince", "monarque", "empereur"}),
        ("chive-ja", (20_000, 300), "猫", {"子猫", "犬"}),
    ],
)
def test_words_stand_beside_their_own_rows(name: str, shape: tuple[int, int], word: str, near: set[str]) -> None:
    table = open_table(catalog.resolve(f"demo:{name}"))
    assert table.shape == shape
    rows = table.rows(range(len(table)))
    words = [token.decode() for token in table.vocabulary.raw]
    directions = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    order = np.argsort(-(directions @ directions[words.index(word)]))[:8]
    assert near <= {words[i] for i in order}


def test_corpora_hold_what_their_packages_say() -> None:
    glosses = catalog.data_path("corpus-wordnet").read_text("utf-8").splitlines()
    assert len(glosses) == 117_659  # synsets of WordNet 3.0
    assert glosses[0].startswith("(usually followed by `to') having the necessary means or skill")
    words = len(catalog.data_path("corpus-gcide").read_text("utf-8").split())
    assert words > 4_000_000


def test_help_pages_have_the_same_paths_in_both_languages() -> None:
    pages = {
        name: {
            record["path"]: record
            for record in map(json.loads, catalog.data_path(name).read_text("utf-8").splitlines())
        }
        for name in ("help-en", "help-zh")
    }
    assert set(pages["help-en"]) == set(pages["help-zh"])
    assert pages["help-en"]["scalc/guide/finding.html"]["title"] == "Finding and Replacing in Calc"


@pytest.mark.parametrize(
    "part", ["hyperhyper/en/ws/bruni_men.tsv", "pwe/SimVerb-3500.tsv", "gensim/questions-words.txt"]
)
def test_evaluation_sets(part: str) -> None:
    assert catalog.data_path(f"evaluation/{part}").stat().st_size > 0
