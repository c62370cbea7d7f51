"""The language of analogies: `king - man + woman`, `2 * (a - b) + c`, `man : king :: woman : ?`.

    question    = word ":" word "::" word [":" "?"]  |  sum
    sum         = ["-"] product { ("+" | "-") product }
    product     = { number ["*"] } ( word | "(" sum ")" )

A word is a run of characters that are no operator and no space; quotes make anything a word ("well-known", '7').
Minus may be written - or − or –, times * or · or ×. A parser of its own: nothing is evaluated as code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from armillary.errors import UsageError

MOST_CHARACTERS = 2_000
DEEPEST = 50

_MINUS = "-−–"
_TIMES = "*·×"
_TOKEN = re.compile(
    rf"""\s*(?:(?P<number>\d+(?:\.\d+)?(?![^\s()+:{_TIMES}{re.escape(_MINUS)}]))
    |(?P<quoted>"[^"]*"|'[^']*'|“[^”]*”|「[^」]*」)
    |(?P<operator>::|[+:()?{_TIMES}{re.escape(_MINUS)}])
    |(?P<word>[^\s()+:?{_TIMES}{re.escape(_MINUS)}]+))""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Expression:
    """A sum of words. `terms`: (word, coefficient) in the order typed, a word that recurs merged into its first.

    `base`: the word whose own neighbours are the baseline: the one after `::`, else the first one added.
    """

    text: str
    terms: tuple[tuple[str, float], ...]
    base: str

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for word, _ in self.terms)

    @property
    def rest(self) -> str:
        """What is done to the base, as people write it: − man + woman; its own coefficient where that is not 1."""
        own = dict(self.terms).get(self.base, 1.0)
        parts = [f"{'−' if c < 0 else '+'} {_times(c)}{w}" for w, c in self.terms if w != self.base]
        return " ".join([*([f"{own:g} times"] if own != 1 else []), *parts]) or "nothing"


def _times(coefficient: float) -> str:
    return "" if abs(coefficient) == 1 else f"{abs(coefficient):g}·"


def parse(text: str) -> Expression:
    """The sum a text stands for; UsageError says at which character it stops making sense."""
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"expected an expression of at most {MOST_CHARACTERS:,} characters, found {len(text):,}")
    parser = _Parser(text)
    terms = parser.question()
    merged: dict[str, float] = {}
    for word, coefficient in terms:
        merged[word] = merged.get(word, 0.0) + coefficient
    left = tuple((w, c) for w, c in merged.items() if c != 0)
    if not left:
        raise UsageError(f"expected an expression that leaves a word, found {text.strip()!r}, which adds up to nothing")
    base = parser.base or next((w for w, c in left if c > 0), left[0][0])
    return Expression(text.strip(), left, base)


class _Parser:
    """One token of look-ahead, one method a rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth, self.base = text, 0, 0, ""
        self.tokens = _tokens(text)

    def question(self) -> list[tuple[str, float]]:
        kinds = [value for _, kind, value in self.tokens if kind == "operator"]
        terms = self.proportion() if ":" in kinds or "::" in kinds else self.sum()
        if self.kind != "end":
            raise self.unexpected("an operator or the end")
        return terms

    def proportion(self) -> list[tuple[str, float]]:
        a = self.word()
        self.take(":")
        b = self.word()
        self.take("::")
        c = self.word()
        if self.accept(":"):
            self.accept("?")
        self.base = c
        return [(c, 1.0), (a, -1.0), (b, 1.0)]  # c first: the base that a difference is added to

    def sum(self) -> list[tuple[str, float]]:
        sign = -1.0 if self.accept(_MINUS) else 1.0
        terms = [(w, sign * c) for w, c in self.product()]
        while self.kind == "operator" and self.value in "+" + _MINUS:
            sign = 1.0 if self.value == "+" else -1.0
            self.at += 1
            terms += [(w, sign * c) for w, c in self.product()]
        return terms

    def product(self) -> list[tuple[str, float]]:
        factor = 1.0
        while self.kind == "number":
            factor *= float(self.value)
            self.at += 1
            self.accept(_TIMES)
        if self.accept("("):
            self.depth += 1
            if self.depth > DEEPEST:
                raise UsageError(f"expected at most {DEEPEST} open parentheses, found more")
            inner = self.sum()
            self.take(")")
            self.depth -= 1
            return [(w, factor * c) for w, c in inner]
        return [(self.word(), factor)]

    def word(self) -> str:
        if self.kind not in ("word", "quoted"):
            raise self.unexpected("a word")
        value = self.value[1:-1] if self.kind == "quoted" else self.value
        self.at += 1
        return value

    @property
    def kind(self) -> str:
        return self.tokens[self.at][1]

    @property
    def value(self) -> str:
        return self.tokens[self.at][2]

    def accept(self, operators: str) -> bool:
        found = self.kind == "operator" and (self.value == operators or self.value in operators)
        self.at += found
        return found

    def take(self, operator: str) -> None:
        if not (self.kind == "operator" and self.value == operator):
            raise self.unexpected(f"{operator!r}")
        self.at += 1

    def unexpected(self, wanted: str) -> UsageError:
        place, kind, value = self.tokens[self.at]
        found = "the end" if kind == "end" else f"{value!r} at character {place + 1}"
        cure = "write it like: king - man + woman, or man : king :: woman : ?; quote words that hold an operator"
        return UsageError(f"expected {wanted}, found {found} of {self.text.strip()!r}", cure)


def _tokens(text: str) -> list[tuple[int, str, str]]:
    """(place, kind, value) of each token, closed by an end token."""
    tokens: list[tuple[int, str, str]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.end() == at:
            raise UsageError(f"expected a word or an operator, found {text[at]!r} at character {at + 1}")
        kind = match.lastgroup or "word"
        tokens.append((match.start(kind), kind, match.group(kind)))
        at = match.end()
    return [*tokens, (end, "end", "")]
