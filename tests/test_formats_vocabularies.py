"""llama.cpp's own vocabularies and the ids it expects: what is shown and what is encoded."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from armillary import catalog
from armillary.formats.gguf import GGUFFile
from armillary.formats.tokens import fit_to_rows, tokens_of_gguf
from armillary.table import Kind, Vocabulary, visible

pytestmark = [pytest.mark.slow, pytest.mark.real]

NAMES = {  # name: tokens, as general knowledge of each model has it
    "aquila": 100_008,
    "baichuan": 64_000,
    "bert-bge": 30_522,
    "command-r": 256_000,
    "deepseek-coder": 32_256,
    "deepseek-llm": 102_400,
    "falcon": 65_024,
    "gemma-4": 262_144,
    "gpt-2": 50_257,
    "gpt-neox": 50_432,
    "llama-bpe": 128_256,
    "llama-spm": 32_000,
    "mpt": 50_432,
    "nomic-bert-moe": 250_048,
    "phi-3": 32_064,
    "qwen2": 151_936,
    "qwen35": 151_936,
    "refact": 49_216,
    "starcoder": 49_152,
}
WITHOUT_IDS = {"aquila", "baichuan", "gpt-neox", "nomic-bert-moe"}


def path(name: str) -> Path:
    return catalog.data_path("vocabularies") / f"ggml-vocab-{name}.gguf"


@cache
def vocabulary(name: str) -> Vocabulary:
    tokens = tokens_of_gguf(GGUFFile.open(path(name)).keys)
    assert tokens is not None
    return fit_to_rows(tokens, len(tokens.raw))


def expected(name: str) -> list[tuple[str, list[int]]]:
    """Texts and the ids that llama.cpp's tests hold them against."""
    texts = path(name).with_suffix(".gguf.inp").read_bytes().decode().split("\n__ggml_vocab_test__\n")
    lines = path(name).with_suffix(".gguf.out").read_text().split("\n")
    lines = lines[: len(texts)] if lines[len(texts) :] == [""] else lines
    return [(text, [int(id) for id in line.split()]) for text, line in zip(texts, lines, strict=True)]


def test_every_vocabulary_that_is_there_is_listed_here() -> None:
    found = {p.name.removeprefix("ggml-vocab-").removesuffix(".gguf") for p in path("gpt-2").parent.glob("*.gguf")}
    assert found == set(NAMES)
    assert {name for name in NAMES if not path(name).with_suffix(".gguf.inp").exists()} == WITHOUT_IDS


@pytest.mark.parametrize("name", NAMES)
def test_every_token_is_shown_in_visible_characters_and_keeps_its_bytes(name: str) -> None:
    words = vocabulary(name)
    assert len(words) == NAMES[name]
    for token in words:
        if token.kind is Kind.NORMAL and not token.name.startswith("##"):
            assert token.text == visible(token.bytes)
        assert token.text.isprintable()
        assert not re.search(r"\s", token.text)


@pytest.mark.parametrize("name", sorted(set(NAMES) - WITHOUT_IDS - {"bert-bge"}))
def test_expected_ids_spell_the_text(name: str) -> None:
    """The bytes of the ids that llama.cpp expects are the text; WordPiece lowers and drops, so it is left out."""
    words = vocabulary(name)
    for text, ids in expected(name):
        spelled = b"".join(words[i].bytes for i in ids)
        assert spelled in (text.encode(), b" " + text.encode())  # some put a space before a text


@pytest.mark.parametrize("name", sorted(set(NAMES) - WITHOUT_IDS))
def test_texts_encode_to_the_expected_ids(name: str) -> None:
    words, pairs = vocabulary(name), expected(name)
    assert len(pairs) >= 46
    assert [words.encode(text) for text, _ in pairs] == [ids for _, ids in pairs]
