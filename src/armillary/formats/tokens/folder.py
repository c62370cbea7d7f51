"""Where a model keeps its vocabulary: the known layouts, as data, tried in order.

A failure lists everything that was tried.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from armillary.errors import UnreadableError
from armillary.formats.tokens.sentencepiece_model import is_sentencepiece, tokens_of_sentencepiece
from armillary.formats.tokens.tokenizer_json import is_tokenizer_json, read_json, tokens_of_tokenizer_json
from armillary.formats.tokens.tokenlist import TokenList, fit_to_rows
from armillary.formats.tokens.vocab_files import tokens_of_vocab_and_merges, tokens_of_vocab_txt
from armillary.table import Vocabulary


def tokens_of_json_file(path: Path) -> TokenList:
    """The token list of a `tokenizer.json`, whatever its name; UnreadableError for other JSON."""
    value = read_json(path)
    if not is_tokenizer_json(value):
        raise UnreadableError(f"{path.name}: expected a file of the tokenizers library, found other JSON")
    return tokens_of_tokenizer_json(value, path)


LAYOUTS: tuple[tuple[tuple[str, ...], Callable[[Path], TokenList]], ...] = (
    (("tokenizer.json",), tokens_of_json_file),
    (("vocab.json", "merges.txt"), tokens_of_vocab_and_merges),
    (("vocab.txt",), tokens_of_vocab_txt),
    (("tokenizer.model",), tokens_of_sentencepiece),
    (("sentencepiece.bpe.model",), tokens_of_sentencepiece),
    (("spiece.model",), tokens_of_sentencepiece),
)


def has_vocabulary(folder: Path) -> bool:
    """Whether a folder holds one of the known layouts."""
    return any(all((folder / name).is_file() for name in names) for names, _ in LAYOUTS)


def read_vocabulary(source: Path, rows: int) -> Vocabulary:
    """The vocabulary of a tokenizer in a folder or a file, laid against `rows` rows.

    A file is a `tokenizer.json`, a sentencepiece model or a `vocab.txt`; plain lists of words are read by `token_files.read_tokens`.
    UnreadableError names what is wrong with a file, or lists the layouts that were tried in a folder.
    """
    try:
        return fit_to_rows(_read_folder(source) if source.is_dir() else _read_file(source), rows)
    except OSError as error:
        raise UnreadableError(f"{source} cannot be read: {error.strerror}", "check its permissions") from error


def _read_folder(folder: Path) -> TokenList:
    for names, read in LAYOUTS:
        if all((folder / name).is_file() for name in names):
            return read(folder / names[0])
    tried = ", ".join(" with ".join(names) for names, _ in LAYOUTS)
    raise UnreadableError(
        f"expected a vocabulary in {folder}, found none of {tried}", "name one with --tokens FILE (txt, json, parquet)"
    )


def _read_file(path: Path) -> TokenList:
    if path.name == "vocab.txt":
        return tokens_of_vocab_txt(path)
    if path.name == "vocab.json" and path.with_name("merges.txt").is_file():
        return tokens_of_vocab_and_merges(path)
    with path.open("rb") as file:
        head = file.read(256)
    return tokens_of_sentencepiece(path) if is_sentencepiece(head) else tokens_of_json_file(path)
