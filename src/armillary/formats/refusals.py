"""Kinds of file that are recognised only to be refused by name, each with its cure."""

from __future__ import annotations

import re

from armillary.errors import UnreadableError
from armillary.formats.source import Source
from armillary.formats.tokens.sentencepiece_model import is_sentencepiece

# (pattern on the first bytes, what it is, what to do)
_REFUSED: tuple[tuple[bytes, str, str], ...] = (
    (rb"version https://git-lfs\.github\.com/", "a Git LFS pointer, not the file itself", "run git lfs pull there"),
    (rb"(?i)\s*(<!doctype html|<html|<head)", "an HTML page, not the file itself", "download the raw file instead"),
    (rb"<\?xml", "an XML document", "give the file with the vectors"),
    (rb"PK(\x03\x04|\x05\x06)", "a zip archive without a table", "give the file with the vectors"),
    (rb"FEA1", "a Feather file of version 1", "save it again as Feather 2 or Parquet"),
    (rb"BZh[1-9]", "a bzip2 file", "unpack it first"),
    (rb"\xfd7zXZ\x00", "an xz file", "unpack it first"),
    (rb"\x28\xb5\x2f\xfd", "a zstd file", "unpack it first"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (rb"\x80[\x02-\x05][\x8a\x95}\]cX(]", "a Python pickle", "pickles can run code and are never loaded; convert it"),
    (rb"\x93NUMPY", "an npy file of a kind that is not read", ""),
    (rb"\x89HDF\r\n", "an HDF5 file", "convert it to safetensors or npy first"),
    (rb"%PDF", "a PDF document", "give the file with the vectors"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8", "a picture", "give the file with the vectors"),
    (rb"\xff\xfe|\xfe\xff", "UTF-16 text", "convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8"),
)
MOST_WORDS = 2  # in a line of a word list
_TOKENIZER = re.compile(rb'\s*\{[\s\S]*"(added_tokens|pre_tokenizer|vocab)"\s*:')  # of the tokenizers library


def _is_text_without_numbers(head: bytes) -> bool:
    """Whether a file is lines of text, each of a word or two: names of rows, and no rows."""
    try:
        lines = head[: head.rfind(b"\n") + 1].decode().splitlines()  # the last may be cut, inside a character too
    except UnicodeDecodeError:
        return False
    return len(lines) > 1 and all(line.isprintable() and len(line.split()) <= MOST_WORDS for line in lines)


def named_refusal(head: bytes) -> tuple[str, str] | None:
    """What the first bytes say a file is, and the cure; None if it is no kind known to be unreadable."""
    for pattern, what, cure in _REFUSED:
        if re.match(pattern, head, re.DOTALL):
            return what, cure
    return None


def refuse_known(source: Source) -> None:
    """UnreadableError by name if the content is a known kind that is not read, or there is no content."""
    if source.is_folder:
        return
    if source.size == 0:
        raise UnreadableError(f"expected an embedding table, found an empty file: {source.name}", "copy it again")
    if is_sentencepiece(source.head) or _TOKENIZER.match(source.head):
        raise UnreadableError(
            f"expected an embedding table, found a vocabulary without rows: {source.name}",
            f"name the table, and this file with --tokens {source.path.name}",
        )
    found = named_refusal(source.head)
    if found:
        raise UnreadableError(f"expected an embedding table, found {found[0]}: {source.name}", found[1])
    if _is_text_without_numbers(source.head):
        raise UnreadableError(
            f"expected an embedding table, found a list of words without vectors: {source.name}",
            f"a word list names the rows of an array: give that, and this file with --tokens {source.path.name}",
        )
