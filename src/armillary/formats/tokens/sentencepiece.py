"""Sentencepiece's BPE with scores, as GGUF stores it for Llama and Gemma: the encoder, in a heap of merges.

Of all neighbouring pairs whose join is a token, the one with the highest score is joined first, the leftmost of equals
(Kudo and Richardson, 2018). What is no token in the end is spelled in byte tokens. User-defined and control tokens are
matched first, the longest at each place; they never take part in a merge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from armillary.errors import UsageError
from armillary.formats.tokens.library import Spelled
from armillary.table import Kind

_MARK = "▁"


class AddedTokens:
    """Tokens that are cut out of a text before anything else, the longest at each place."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = {text: id for text, id in ids.items() if text}
        lengths: dict[str, set[int]] = {}
        for text in self._ids:
            lengths.setdefault(text[0], set()).add(len(text))
        self._lengths = {first: sorted(some, reverse=True) for first, some in lengths.items()}

    def split(self, text: str) -> Iterator[str | int]:
        """The parts of a text in order: an id for an added token, a string for what lies between."""
        start = at = 0
        while at < len(text):
            lengths = self._lengths.get(text[at])
            length = self._match(text, at, lengths) if lengths else 0
            if not length:
                at += 1
                continue
            if start < at:
                yield text[start:at]
            yield self._ids[text[at : at + length]]
            start = at = at + length
        if start < len(text):
            yield text[start:]

    def _match(self, text: str, at: int, lengths: Sequence[int]) -> int:
        return next((n for n in lengths if text[at : at + n] in self._ids), 0)


class SentencePieceBPE:
    """Encoder over the columns of a GGUF vocabulary; `prefix_space` as its key `add_space_prefix` says."""

    def __init__(
        self,
        names: Sequence[str],
        kinds: np.ndarray,
        scores: np.ndarray,
        spelled: Spelled,
        *,
        prefix_space: bool,
        unknown: int | None,
    ) -> None:
        self._names = names
        self._kinds = kinds
        self._scores = scores
        self._spelled = spelled
        self._prefix_space = prefix_space
        self._unknown = unknown

    @cached_property
    def _ids(self) -> dict[str, int]:
        return dict(zip(reversed(self._names), range(len(self._names) - 1, -1, -1), strict=True))  # first id wins

    @cached_property
    def _rank(self) -> list[float]:
        return (-self._scores.astype(np.float64)).tolist()

    @cached_property
    def _added(self) -> AddedTokens:
        chosen = np.flatnonzero(np.isin(self._kinds, (Kind.CONTROL, Kind.USER_DEFINED, Kind.UNUSED)))
        return AddedTokens({self._names[i]: i for i in reversed(chosen.tolist())})

    @cached_property
    def _byte_ids(self) -> dict[int, int]:
        ids = np.flatnonzero(self._kinds == Kind.BYTE).tolist()
        return {int(self._names[i][3:5], 16): i for i in ids}

    def encode(self, text: str) -> list[int]:
        """Ids of the text's tokens, no special token added; UsageError for text that is no Unicode."""
        ids: list[int] = []
        after_control = True
        for part in self._added.split(text):
            if isinstance(part, int):
                ids.append(part)
                after_control = self._kinds[part] == Kind.CONTROL
                continue
            prefix = _MARK if self._prefix_space and after_control else ""
            ids += self._merge(prefix + part.replace(" ", _MARK))
            after_control = False
        return ids

    def decode(self, ids: Sequence[int]) -> bytes:
        """Bytes that the ids stand for; may be cut UTF-8."""
        return self._spelled.decode(ids)

    def _merge(self, text: str) -> list[int]:
        """The symbols of one part after all merges, as ids."""
        known, rank, size = self._ids, self._rank, len(text)
        symbols: list[str] = list(text)
        after = list(range(1, size + 1))
        before = list(range(-1, size - 1))
        heap: list[tuple[float, int, int, str]] = []
        for left in range(size - 1):
            joined = text[left : left + 2]
            if joined in known:
                heap.append((rank[known[joined]], left, left + 1, joined))
        heapify(heap)
        while heap:
            _, left, right, joined = heappop(heap)
            if after[left] != right or not symbols[right] or symbols[left] + symbols[right] != joined:
                continue  # one of the two has been merged since
            symbols[left], symbols[right] = joined, ""
            follows = after[left] = after[right]
            if follows < size:
                before[follows] = left
                longer = joined + symbols[follows]
                if longer in known:
                    heappush(heap, (rank[known[longer]], left, follows, longer))
            if (leads := before[left]) >= 0:
                longer = symbols[leads] + joined
                if longer in known:
                    heappush(heap, (rank[known[longer]], leads, left, longer))
        return [id for symbol in symbols if symbol for id in self._spell(symbol)]

    def _spell(self, symbol: str) -> list[int]:
        if (id := self._ids.get(symbol)) is not None:
            return [id]
        try:
            raw = symbol.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                "expected text, found half of a surrogate pair in it", "look the bytes up instead"
            ) from error
        if all(byte in self._byte_ids for byte in raw):
            return [self._byte_ids[byte] for byte in raw]
        if self._unknown is None:
            raise UsageError(f"expected a token for {symbol!r}, found none, nor byte tokens, nor an unknown token")
        return [self._unknown]
