"""Vocabularies of two and one plain files: BERT's `vocab.txt`, and the `vocab.json` with `merges.txt` of GPT-2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.tokens.bytelevel import byte_level_tokenizer
from armillary.formats.tokens.library import LibraryTokenizer, Spelled
from armillary.formats.tokens.spelling import byte_level, kind_by_name, plain, wordpiece
from armillary.formats.tokens.tokenizer_json import read_json
from armillary.formats.tokens.tokenlist import TokenList
from armillary.formats.tokens.wordpiece import looks_lowercase, wordpiece_tokenizer
from armillary.table import Kind

_BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def tokens_of_vocab_txt(path: Path) -> TokenList:
    """BERT's `vocab.txt`: a WordPiece token a line, ids in order."""
    lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n").split(b"\n")
    names = [line.removesuffix(b"\r").decode("utf-8", "surrogateescape") for line in lines]
    special = [name for name in _BERT_SPECIAL if name in set(names)]
    kinds = np.array([Kind.CONTROL if name in special else kind_by_name(name, Kind.NORMAL) for name in names], np.uint8)
    raw = [wordpiece(name) for name in names]
    config = path.with_name("tokenizer_config.json")
    said = read_json(config).get("do_lower_case") if config.is_file() else None
    lowercase = said if isinstance(said, bool) else looks_lowercase(names)
    spelled = Spelled(raw, continues=lambda i: names[i].startswith("##"))
    tokenizer = LibraryTokenizer(
        lambda: wordpiece_tokenizer(names, lowercase=lowercase, added=special), spelled, path.name
    )
    return TokenList(raw, names, kinds, tokenizer=tokenizer)


def tokens_of_vocab_and_merges(path: Path) -> TokenList:
    """GPT-2's `vocab.json` with `merges.txt` beside it: byte-level BPE."""
    by_name = read_json(path)
    if not isinstance(by_name, dict) or not all(type(id) is int and 0 <= id < 2**63 for id in by_name.values()):
        raise UnreadableError(f"{path.name}: expected a map from token to id, found other JSON")
    names, ids = list(by_name), np.array(list(by_name.values()), np.int64)
    special = [name for name in names if name.startswith("<") and name.endswith(">") and len(name) > 2]
    chosen = set(special)
    kinds = np.array([Kind.CONTROL if name in chosen else kind_by_name(name, Kind.NORMAL) for name in names], np.uint8)
    raw = [plain(name) if name in chosen else byte_level(name) for name in names]

    def make() -> Any:
        lines = path.with_name("merges.txt").read_text("utf-8").split("\n")
        pairs = [(left, right) for left, _, right in (line.partition(" ") for line in lines) if left and right]
        pairs = pairs[1:] if pairs[:1] and pairs[0][0] == "#version:" else pairs
        return byte_level_tokenizer(by_name, pairs, "gpt-2", special)

    return TokenList(raw, names, kinds, ids, tokenizer=LibraryTokenizer(make, Spelled(raw, ids), path.name))
