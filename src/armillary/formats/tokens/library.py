"""A tokenizer of the `tokenizers` library behind our protocol, built when the first text is encoded.

Padding and truncation are switched off and no special token is added: a published tokenizer may do all three (MiniLM's
pads every text to 128). Decoding does not ask the library, which hands out text and so cannot say half a character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from armillary.errors import UnreadableError, UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer as LibraryModel


class Spelled:
    """Ids to bytes: the tokens' bytes, joined.

    `prefixed`: the tokenizer puts a space before a text, which decoding takes away again. `continues`: for WordPiece,
    by id, whether a token continues a word; a space is put before each that does not, except the first.
    """

    def __init__(
        self,
        raw: Sequence[bytes],
        ids: np.ndarray | None = None,
        *,
        prefixed: bool = False,
        continues: Callable[[int], bool] | None = None,
    ) -> None:
        self._raw = raw
        self._ids = ids
        self._prefixed = prefixed
        self._continues = continues

    @cached_property
    def _position(self) -> dict[int, int]:
        return {} if self._ids is None else {id: i for i, id in enumerate(self._ids.tolist())}

    def decode(self, ids: Sequence[int]) -> bytes:
        """Bytes of these ids in order; UsageError for an id that is no token."""
        places = [self._place(int(id)) for id in ids]
        pieces = [self._raw[place] for place in places]
        if self._continues is not None:
            apart = [i > 0 and not self._continues(place) for i, place in enumerate(places)]
            return b"".join(b" " + piece if space else piece for piece, space in zip(pieces, apart, strict=True))
        text = b"".join(pieces)
        return text.removeprefix(b" ") if self._prefixed else text

    def _place(self, id: int) -> int:
        place = self._position.get(id, -1) if self._ids is not None else id
        if not 0 <= place < len(self._raw):
            raise UsageError(f"expected ids of tokens, found {id:,}, which is none of {len(self._raw):,}")
        return place


class LibraryTokenizer:
    """`make` gives the library's tokenizer; `spelled` turns ids into bytes."""

    def __init__(self, make: Callable[[], LibraryModel], spelled: Spelled, source: str) -> None:
        self._make = make
        self._spelled = spelled
        self._source = source

    @cached_property
    def _model(self) -> LibraryModel:
        with self._refusals():
            model = self._make()
        model.no_padding()
        model.no_truncation()
        return model

    def encode(self, text: str) -> list[int]:
        """Ids of the text's tokens, no special token added; UsageError for text that is no Unicode."""
        model = self._model
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                "expected text, found half of a surrogate pair in it", "look the bytes up instead"
            ) from error
        with self._refusals():
            return list(model.encode(text, add_special_tokens=False).ids)

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """The library raises bare Exception for a file it cannot use, and panics (a BaseException) on some."""
        try:
            yield
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            found = " ".join(str(error).split())
            raise UnreadableError(
                f"expected a tokenizer the tokenizers library can use in {self._source}, found: {found}",
                "tokens can still be found by their text",
            ) from error

    def decode(self, ids: Sequence[int]) -> bytes:
        """Bytes that the ids stand for; may be cut UTF-8."""
        return self._spelled.decode(ids)
