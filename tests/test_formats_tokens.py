"""Vocabularies and tokenizers: bytes, display, own name and kind of tokens; encoders against slow oracles."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import regex

from armillary.errors import UnreadableError, UsageError
from armillary.formats.tokens import TokenList, fit_to_rows, read_vocabulary, tokens_of_gguf
from armillary.formats.tokens.bytelevel import CASED_LETTERS
from armillary.formats.tokens.sentencepiece import AddedTokens
from armillary.formats.tokens.spelling import BYTE_ALPHABET, byte_level
from armillary.formats.vocabularies import vocabulary_facts
from armillary.table import Kind, Vocabulary

HARD = [
    "",
    "king",
    " king",
    "  two  spaces\n\n\ttabs\r\n \n end ",
    "The year 1234567 and 3.14 cost $100,000",
    "don't I'LL we've they'd 'S",
    "café e\u0301 naïve Ærø",
    "שלום العربية עם 123",
    "東京は日本の首都。中文字符",
    "🙂👩\u200d👩\u200d👧 𝔘𝔫𝔦",
    "\x00\x01\x7f\u0085\u2028\ufeff",
    "aaaaaaaaaaaaaaaa abababab",
    "<0x0A> <bos> <s>x</s>",
    "    indented\n        more" + " " * 40,
]

TEXT = "the king and the queen saw 東京 and the 123 kings — don't ask 'why', the café is aaaa   closed 🙂\n\n"


def ggml(model: str, tokens: list[str | bytes], types: list[int] | None = None, **more: Any) -> dict[str, Any]:
    """Keys as a GGUF header holds them."""
    raw = [t.encode() if isinstance(t, str) else t for t in tokens]
    keys: dict[str, Any] = {"tokenizer.ggml.model": model, "tokenizer.ggml.tokens": raw}
    if types is not None:
        keys["tokenizer.ggml.token_type"] = np.array(types, np.int32)
    return keys | {f"tokenizer.ggml.{key}": value for key, value in more.items()}


def vocabulary(keys: dict[str, Any], rows: int | None = None) -> Vocabulary:
    tokens = tokens_of_gguf(keys)
    assert tokens is not None
    return fit_to_rows(tokens, len(tokens.raw) if rows is None else rows)


# --- byte-level BPE -------------------------------------------------------------------------------------------------

CONTRACTIONS = "'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])"
# DeepSeek's letters: those with case in these spans, character by character
SPANS = [(0x41, 0x556), (0x10A0, 0x10C5), (0x13A0, 0x13F5), (0x13F8, 0x13FD), (0x1C90, 0x1CBF), (0x1D00, 0x1D9A),
         (0x1E00, 0x2184), (0x2C00, 0x2CF3), (0xA640, 0xA78E), (0xAB70, 0xABBF), (0xFB00, 0xFF5A), (0x10400, 0x104FB),
         (0x10C80, 0x10CF2), (0x118A0, 0x118DF), (0x1E900, 0x1E943)]  # fmt: skip
CASED = [chr(c) for a, b in SPANS for c in range(a, b + 1)
         if unicodedata.category(chr(c)) in ("Lu", "Ll", "Lt")]  # fmt: skip
ORACLE_SPLITS = {  # written out again from the published tokenizers, one list of passes each
    "gpt-2": [r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"],
    "smollm": [r"\p{N}", r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"],
    "qwen2": [CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"],
    "llama-bpe": [
        CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "deepseek-llm": [
        r"[\r\n]",
        rf"\s?[{''.join(CASED)}]+",
        r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
        r"\s+$",
        "[一-龥ࠀ-一가-\ud7ff]+",
        r"\p{N}+",
    ],
    "default": [
        r"[\p{P}$+<=>^~|]+",
        r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"\p{N}+",
        r"[0-9][0-9][0-9]",
    ],
}


def split(text: str, passes: list[str]) -> list[str]:
    """Each pass cuts every piece into matches and what lies between them."""
    pieces = [text]
    for pattern in passes:
        finer: list[str] = []
        for piece in pieces:
            at = 0
            for match in regex.finditer(pattern, piece, regex.V1):
                finer += [piece[at : match.start()], match[0]]
                at = match.end()
            finer.append(piece[at:])
        pieces = [piece for piece in finer if piece]
    return pieces


def merge_slowly(symbols: list[str], ranks: dict[tuple[str, str], int]) -> list[str]:
    """Merge the leftmost pair of lowest rank until none is left."""
    while True:
        pairs = [(ranks[p], i) for i, p in enumerate(pairwise(symbols)) if p in ranks]
        if not pairs:
            return symbols
        _, i = min(pairs)
        symbols = [*symbols[:i], symbols[i] + symbols[i + 1], *symbols[i + 2 :]]


def printable(text: str) -> list[str]:
    return [BYTE_ALPHABET[b] for b in text.encode()]


def train(count: int) -> tuple[list[str], list[tuple[str, str]]]:
    """A tiny byte-level vocabulary: the 256 bytes and `count` merges of the most frequent pairs of TEXT."""
    pieces = [printable(piece) for piece in split(TEXT, ORACLE_SPLITS["gpt-2"])]
    tokens, merges = list(BYTE_ALPHABET.values()), []
    for _ in range(count):
        counts: dict[tuple[str, str], int] = {}
        for piece in pieces:
            for pair in pairwise(piece):
                counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        tokens.append(best[0] + best[1])
        pieces = [merge_slowly(piece, {best: 0}) for piece in pieces]
    return tokens, merges


TOKENS, MERGES = train(40)


def gpt2_keys(pre: str, extra: Sequence[str] = (), types: Sequence[int] = ()) -> dict[str, Any]:
    merges = [" ".join(pair).encode() for pair in MERGES]
    kinds = [1] * len(TOKENS) + list(types)
    return ggml("gpt2", [*TOKENS, *extra], kinds, pre=pre, merges=merges)


def test_deepseeks_letters_are_the_2729_of_its_list():
    """Letters without case, and those that Unicode has added since or elsewhere, are none of them."""
    from tokenizers import Regex, pre_tokenizers

    letters = pre_tokenizers.Split(Regex(CASED_LETTERS + "+"), "removed")
    assert len(CASED) == 2729
    assert letters.pre_tokenize_str("".join(CASED)) == []
    known = set(CASED)
    others = [chr(c) for c in (*range(0xD800), *range(0xE000, 0x20000)) if chr(c) not in known]
    left = letters.pre_tokenize_str("".join(others))
    assert "".join(piece for piece, _ in left) == "".join(others)


@pytest.mark.parametrize("pre", ORACLE_SPLITS)
def test_byte_level_encoding_equals_a_slow_oracle(pre: str):
    words = vocabulary(gpt2_keys(pre))
    ids = {name: i for i, name in enumerate(TOKENS)}
    ranks = {pair: i for i, pair in enumerate(MERGES)}
    for text in [*HARD, TEXT]:
        pieces = split(text, ORACLE_SPLITS[pre])
        assert "".join(pieces) == text
        whole = pre == "llama-bpe"  # there a piece that is a token is taken whole
        expected = [
            ids[s]
            for piece in pieces
            for s in (
                ["".join(printable(piece))]
                if whole and "".join(printable(piece)) in ids
                else merge_slowly(printable(piece), ranks)
            )
        ]
        assert words.encode(text) == expected
        assert words.decode(expected) == text.encode()


def test_byte_level_tokens_have_bytes_display_and_own_name():
    words = vocabulary(gpt2_keys("gpt-2", ["Ġcrown", "Ċ", "<|end|>", "Ġ plain"], [1, 1, 3, 4]))
    first = len(TOKENS)
    assert [(t.bytes, t.text, t.name, t.kind) for t in map(words.__getitem__, range(first, first + 4))] == [
        (b" crown", "▁crown", "Ġcrown", Kind.NORMAL),
        (b"\n", "␊", "Ċ", Kind.NORMAL),
        (b"<|end|>", "<|end|>", "<|end|>", Kind.CONTROL),
        ("Ġ plain".encode(), "Ġ▁plain", "Ġ plain", Kind.USER_DEFINED),  # added: plain text, not byte-decoded
    ]
    assert words.find("crown") == [first]
    assert words.encode("a<|end|>b")[1] == first + 2
    assert words[BYTE_HALF].bytes == b"\xe6"
    assert words[BYTE_HALF].text == "\\xE6"


BYTE_HALF = TOKENS.index(BYTE_ALPHABET[0xE6])


def test_byte_alphabet_is_a_bijection():
    assert [byte_level(BYTE_ALPHABET[b]) for b in range(256)] == [bytes([b]) for b in range(256)]
    assert BYTE_ALPHABET[0x20] == "Ġ"
    assert BYTE_ALPHABET[0x0A] == "Ċ"
    assert byte_level("a b") == b"a b"  # a space is no letter of the alphabet: plain text
    assert byte_level("東") == "東".encode()


def test_an_unknown_pre_tokenizer_keeps_look_up_and_refuses_to_encode():
    words = vocabulary(gpt2_keys("something-new", ["Ġcrown"], [1]))
    assert words.find("crown") == [len(TOKENS)]
    with pytest.raises(UsageError, match=r"cannot split 'king' .* pre-tokenizer 'something-new' .* not known"):
        words.encode("king")


def test_an_unknown_model_refuses_by_name():
    with pytest.raises(UsageError, match="tokenizer model 'rwkv' of this file is not known"):
        vocabulary(ggml("rwkv", ["a"])).encode("a")


def test_padding_that_a_converter_invented_is_no_token():
    keys = ggml("gpt2", ["a", "[PAD1]", "[PAD9]", "<unused7>", "<|reserved_special_token_0|>"], [1, 5, 5, 4, 3])
    assert [t.kind for t in vocabulary(keys)] == [
        Kind.NORMAL, Kind.NO_TOKEN, Kind.UNUSED, Kind.UNUSED, Kind.UNUSED,
    ]  # fmt: skip


# --- sentencepiece BPE ----------------------------------------------------------------------------------------------

BYTES = [f"<0x{b:02X}>" for b in range(256)]
PIECES = [
    "▁",
    "▁the",
    "he",
    "t",
    "h",
    "e",
    "a",
    "aa",
    "aaa",
    "▁a",
    "k",
    "i",
    "n",
    "g",
    "in",
    "ing",
    "▁k",
    "▁king",
    "th",
    "東",
    "東京",
]


def llama_keys(**more: Any) -> dict[str, Any]:
    tokens: list[str | bytes] = ["<unk>", "<s>", "</s>", *BYTES, *PIECES, "  ", "   ", "<0x0A> ", "<b>", "<bb>"]
    types = [2, 3, 3] + [6] * 256 + [1] * len(PIECES) + [4] * 5
    order = [0.0] * 259 + [-float(i * 7 % 11) for i in range(len(PIECES))] + [0.0] * 5  # ties on purpose
    return ggml("llama", tokens, types, scores=np.array(order, np.float32), **more)


class SlowEncoder:
    """The definition, step by step: added tokens first, then the best pair, the leftmost of equals, until none."""

    def __init__(self, keys: dict[str, Any]) -> None:
        names = [t.decode() for t in keys["tokenizer.ggml.tokens"]]
        types = keys["tokenizer.ggml.token_type"]
        self.ids = {name: i for i, name in enumerate(names)}
        self.scores = keys["tokenizer.ggml.scores"]
        self.added = {name for name, t in zip(names, types, strict=True) if t in (2, 3, 4)}
        longest_first = sorted(self.added, key=len, reverse=True)
        self.pattern = regex.compile("(" + "|".join(map(regex.escape, longest_first)) + ")")

    def encode(self, text: str) -> list[int]:
        return [id for part in self.pattern.split(text) for id in self.part(part)]

    def part(self, part: str) -> list[int]:
        if part in self.added:
            return [self.ids[part]]
        ids, symbols = self.ids, list(part.replace(" ", "▁"))
        while joins := [(-self.scores[ids[a + b]], i) for i, (a, b) in enumerate(pairwise(symbols)) if a + b in ids]:
            i = min(joins)[1]
            symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
        spelled = [[ids[s]] if s in ids else [ids[f"<0x{b:02X}>"] for b in s.encode()] for s in symbols]
        return [id for symbol in spelled for id in symbol]


def test_sentencepiece_encoding_equals_a_slow_oracle():
    keys = llama_keys(add_space_prefix=False)
    words, slow = vocabulary(keys), SlowEncoder(keys)
    for text in [*HARD, TEXT, "the king aaaaaaa thing 東京東", "aab" * 9, "<b><bb><bbb>"]:
        assert words.encode(text) == slow.encode(text)
        assert words.decode(words.encode(text)) == text.encode()


def test_sentencepiece_prefix_is_put_before_a_text_and_taken_away_again():
    words = vocabulary(llama_keys())
    king = words.find("king")[0]
    assert words[king].text == "▁king"
    assert words.encode("king") == [king]
    assert words.encode("<s>king") == [1, king]  # after a control token, as before a text
    assert words.decode([king]) == b"king"
    assert words.decode(words.encode(" king")) == b" king"


def test_a_byte_is_a_byte_only_if_its_type_says_so():
    words = vocabulary(llama_keys())
    newline = 3 + 0x0A
    assert (words[newline].bytes, words[newline].text, words[newline].kind) == (b"\n", "<0x0A>", Kind.BYTE)
    plain = words.names.index("<0x0A> ")
    assert words[plain].bytes == b"<0x0A> "
    typeless = vocabulary(ggml("llama", ["<0x0A>"], [1], scores=np.zeros(1, np.float32)))
    assert (typeless[0].bytes, typeless[0].kind) == (b"<0x0A>", Kind.NORMAL)


def test_runs_of_spaces_are_literal_spaces():
    words = vocabulary(llama_keys(add_space_prefix=False))
    run = words.names.index("   ")
    assert (words[run].bytes, words[run].text, words[run].name) == (b"   ", "▁▁▁", "   ")
    assert words.encode("   ") == [run]


def test_scores_are_kept():
    scores = vocabulary(llama_keys()).scores
    assert scores is not None
    assert scores[259:262].tolist() == [0.0, -7.0, -3.0]


def test_invalid_utf8_tokens_stay_bytes():
    words = vocabulary(ggml("llama", [b"\xff\xfe", "a"], [1, 1], scores=np.zeros(2, np.float32)))
    assert words[0].bytes == b"\xff\xfe"
    assert words[0].text == "\\xFF\\xFE"
    assert words.find(b"\xff\xfe") == [0]


def test_columns_that_do_not_fit_are_refused():
    with pytest.raises(
        UnreadableError, match=r"expected 2 numbers in tokenizer\.ggml\.token_type, one a token, found 1"
    ):
        tokens_of_gguf(ggml("llama", ["a", "b"], [1]))
    with pytest.raises(UnreadableError, match=r"expected strings in tokenizer\.ggml\.tokens, found int"):
        tokens_of_gguf({"tokenizer.ggml.tokens": 3})
    assert tokens_of_gguf({}) is None


def test_a_lone_surrogate_is_refused_as_text():
    for words in (vocabulary(llama_keys()), vocabulary(gpt2_keys("gpt-2"))):
        with pytest.raises(UsageError, match="half of a surrogate pair"):
            words.encode("a\ud800")


def test_added_tokens_match_the_longest_at_each_place():
    added = AddedTokens({"ab": 1, "abc": 2, "bcd": 3, "": 4})
    assert list(added.split("xabcdabx")) == ["x", 2, "d", 1, "x"]
    assert list(added.split("")) == []


# --- unigram and WordPiece inside GGUF --------------------------------------------------------------------------------


def test_unigram_takes_the_most_probable_split():
    tokens: list[str | bytes] = ["<pad>", "</s>", "<unk>", "▁", "▁un", "▁unit", "it", "i", "t", "s", "its"]
    scores = np.array([0, 0, 0, -9, -1, -2, -1.5, -4, -4, -1, -5], np.float32)
    words = vocabulary(ggml("t5", tokens, [3, 3, 2] + [1] * 8, scores=scores, unknown_token_id=2))
    assert [words[i].name for i in words.encode("units")] == ["▁unit", "s"]  # −3 beats −1−1.5−1 and −1−5
    assert words.decode(words.encode("units")) == b"units"


def test_bert_gets_its_own_names_back():
    words = vocabulary(ggml("bert", ["[UNK]", "[CLS]", "▁king", "▁walk", "ing", "▁[", "▁]"], [3, 3, 1, 1, 1, 1, 1]))
    assert [(t.bytes, t.text, t.name) for t in map(words.__getitem__, (2, 4))] == [
        (b"king", "king", "king"),
        (b"ing", "##ing", "##ing"),
    ]
    assert words.encode("King walking") == [2, 3, 4]
    assert words.decode([2, 3, 4]) == b"king walking"


# --- files beside a table -----------------------------------------------------------------------------------------------


def library_json(folder: Path, model: dict[str, Any], added: Sequence[dict[str, Any]] = (), **more: Any) -> Path:
    path = folder / "tokenizer.json"
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    value: dict[str, Any] = {"version": "1.0", "truncation": None, "padding": None, "post_processor": None}
    value |= {"normalizer": None, "pre_tokenizer": None, "decoder": None, "model": model} | more
    value["added_tokens"] = [flags | entry for entry in added]
    path.write_text(json.dumps(value))
    return folder


WORDPIECE = {"[PAD]": 0, "[UNK]": 1, "king": 2, "walk": 3, "##ing": 4, "[unused1]": 5, "##": 6}


def test_a_tokenizer_that_pads_and_cuts_does_neither(tmp_path: Path):
    pad = {
        "strategy": {"Fixed": 128},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    cut = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": WORDPIECE,
    }
    specials = [{"id": 0, "content": "[PAD]", "special": True}, {"id": 1, "content": "[UNK]", "special": True}]
    folder = library_json(tmp_path, model, specials, padding=pad, truncation=cut, pre_tokenizer={"type": "Whitespace"})
    words = read_vocabulary(folder, 7)
    assert words.encode("king walking king") == [2, 3, 4, 2]
    assert words.decode([2, 3, 4, 2]) == b"king walking king"
    assert [(t.bytes, t.text, t.name, t.kind) for t in list(words)[2:]] == [
        (b"king", "king", "king", Kind.NORMAL),
        (b"walk", "walk", "walk", Kind.NORMAL),
        (b"ing", "##ing", "##ing", Kind.NORMAL),
        (b"[unused1]", "[unused1]", "[unused1]", Kind.UNUSED),
        (b"##", "##", "##", Kind.NORMAL),
    ]
    assert words[0].kind is Kind.CONTROL


def test_byte_level_library_file(tmp_path: Path):
    model = {"type": "BPE", "vocab": {name: i for i, name in enumerate(TOKENS)}, "merges": [list(m) for m in MERGES]}
    step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    added = [{"id": len(TOKENS), "content": "Ġnew", "special": False}]
    words = read_vocabulary(library_json(tmp_path, model, added, pre_tokenizer=step, decoder=step), len(TOKENS) + 1)
    reference = vocabulary(gpt2_keys("gpt-2"))
    for text in [*HARD, TEXT]:
        assert words.encode(text) == reference.encode(text)
        assert words.decode(words.encode(text)) == text.encode()
    assert words[len(TOKENS)].bytes == "Ġnew".encode()  # added tokens are plain text
    assert words[TOKENS.index("Ġ")].bytes == b" "


@pytest.mark.parametrize("fallback", [True, False])
def test_bytes_in_a_library_file_need_byte_fallback(tmp_path: Path, fallback: bool):
    vocab = {name: i for i, name in enumerate(["<unk>", *BYTES, "▁", "▁k"])}
    model = {"type": "BPE", "vocab": vocab, "merges": [], "byte_fallback": fallback, "unk_token": "<unk>"}
    normalizer = {
        "type": "Sequence",
        "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ],
    }
    words = read_vocabulary(library_json(tmp_path, model, normalizer=normalizer), len(vocab))
    assert words[1 + 0x0A].bytes == (b"\n" if fallback else b"<0x0A>")
    assert words[1 + 0x0A].kind is (Kind.BYTE if fallback else Kind.NORMAL)
    assert words[258].bytes == b" k"
    if fallback:
        assert words.decode(words.encode("\n é")) == "\n é".encode()


def test_unigram_library_file_keeps_scores(tmp_path: Path):
    model = {
        "type": "Unigram",
        "unk_id": 0,
        "vocab": [["<unk>", 0.0], ["▁king", -1.5], ["s", -2.5]],
        "byte_fallback": False,
    }
    step = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    words = read_vocabulary(library_json(tmp_path, model, pre_tokenizer=step, decoder=step), 3)
    assert words.scores is not None
    assert words.scores.tolist() == [0.0, -1.5, -2.5]
    assert words.encode("kings") == [1, 2]
    assert words.decode([1, 2]) == b"kings"


def test_ids_are_joined_and_holes_and_padding_told_apart(tmp_path: Path):
    model = {"type": "WordLevel", "vocab": {"a": 0, "b": 3, "c": 9, "d": 10**15}, "unk_token": "a"}
    words = read_vocabulary(library_json(tmp_path, model), 6)
    assert [t.kind for t in words] == [
        Kind.NORMAL,
        Kind.NO_TOKEN,
        Kind.NO_TOKEN,
        Kind.NORMAL,
        Kind.NO_TOKEN,
        Kind.NO_TOKEN,
    ]
    assert words[1].text == "⟨no token 1⟩"
    assert [(t.id, t.name) for t in words.beyond] == [(9, "c"), (10**15, "d")]
    assert vocabulary_facts(words) == {
        "tokens": 4, "padded_rows": 2, "holes": 2, "tokens_without_row": 2, "duplicate_names": 0,
    }  # fmt: skip
    assert words.decode([3, 9, 10**15]) == b"bcd"
    with pytest.raises(UsageError, match="found 4"):
        words.decode([4])


def test_duplicate_words_keep_every_row():
    tokens = TokenList([b"x", b"y", b"x", b"x"], ["x", "y", "x", "x"], np.zeros(4, np.uint8))
    words = fit_to_rows(tokens, 4)
    assert words.find("x") == [0, 2, 3]
    assert vocabulary_facts(words)["duplicate_names"] == 2


@pytest.mark.parametrize("config", [None, {"do_lower_case": False}])
def test_vocab_txt(tmp_path: Path, config: dict[str, Any] | None):
    (tmp_path / "vocab.txt").write_bytes(b"[UNK]\r\n[CLS]\r\nking\r\nwalk\r\n##ing\r\n")
    if config:
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    words = read_vocabulary(tmp_path, 5)
    assert words.encode("walking King") == [3, 4, 0 if config else 2]
    assert words[4].bytes == b"ing"
    assert words[1].kind is Kind.CONTROL


def test_vocab_json_with_merges(tmp_path: Path):
    (tmp_path / "vocab.json").write_text(json.dumps({name: i for i, name in enumerate([*TOKENS, "<|end|>"])}))
    (tmp_path / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in MERGES))
    words = read_vocabulary(tmp_path, len(TOKENS) + 1)
    reference = vocabulary(gpt2_keys("gpt-2"))
    for text in [*HARD, TEXT]:
        assert words.encode(text) == reference.encode(text)
    assert words[len(TOKENS)].kind is Kind.CONTROL


def test_a_folder_without_a_vocabulary_lists_what_was_tried(tmp_path: Path):
    with pytest.raises(
        UnreadableError, match=r"found none of tokenizer\.json, vocab\.json with merges\.txt, vocab\.txt"
    ):
        read_vocabulary(tmp_path, 1)


BAD_JSON = {
    "none": ("{", "expected JSON"),
    "deep": ("[" * 100_000, "expected JSON"),
    "other": ('{"a": 1}', "found other JSON"),
    "ids": ('{"model": {"vocab": {"a": -1}}}', "a vocabulary of names and ids"),
    "pairs": ('{"model": {"vocab": [["a"]]}}', "a vocabulary of names and ids"),
    "added": ('{"model": {"vocab": {"a": 0}}, "added_tokens": [{"id": 1}]}', "id and content of an added token"),
}


@pytest.mark.parametrize("name", BAD_JSON)
def test_bad_tokenizer_files_are_named(tmp_path: Path, name: str):
    text, message = BAD_JSON[name]
    (tmp_path / "tokenizer.json").write_text(text)
    with pytest.raises(UnreadableError, match=message):
        read_vocabulary(tmp_path, 1)


def test_near_spellings():
    words = Vocabulary.of_words([" king", "kings", "ring", "queen", "kin", "東京", "King"])
    assert words.near("kinf") == ["king", "kin"]
    assert words.near("quen") == ["queen"]
    assert words.near("zebra") == []


@pytest.mark.parametrize(
    "part",
    [
        {"added_tokens": 3},
        {"added_tokens": [{"id": -3, "content": "y"}]},
        {"added_tokens": [{"id": 2**80, "content": "y"}]},
        {"normalizer": {"type": "Sequence", "normalizers": 3}},
        {"decoder": {"type": ["ByteLevel"]}},
        {"model": {"type": "BPE", "vocab": {"a": 2**70}, "merges": []}},
        {"model": {"type": "Unigram", "vocab": [["a", "x"]]}},
    ],
)
def test_a_tokenizer_file_of_other_parts_is_refused(tmp_path: Path, part: dict[str, Any]):
    value = {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, **part}
    (tmp_path / "tokenizer.json").write_text(json.dumps(value))
    with pytest.raises(UnreadableError, match=r"tokenizer\.json: expected"):
        read_vocabulary(tmp_path, 1)


@pytest.mark.parametrize(
    "model",
    [
        {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]},  # the library panics
        {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "none"},  # and refuses when it meets another word
    ],
)
def test_what_the_library_cannot_use_is_one_line(tmp_path: Path, model: dict[str, Any]):
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": model}))
    with pytest.raises(UnreadableError, match="the tokenizers library can use") as caught:
        read_vocabulary(tmp_path, len(model["vocab"])).encode("zzz")
    assert "\n" not in caught.value.message
