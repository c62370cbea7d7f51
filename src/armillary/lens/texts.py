"""The texts that ship with the lens: sentences of ambiguous words by sense, and a short text for baselines."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from armillary.errors import UnreadableError, UsageError

Senses = dict[str, dict[str, tuple[str, ...]]]  # word -> sense -> sentences
CONTROL = "control"  # senses of this name are no senses: one sense in two halves


def paragraphs(path: str | Path | None = None) -> list[str]:
    """The paragraphs of a text file, by default of the built-in text; empty lines part them.

    UnreadableError for a file that is no text, UsageError for one without any.
    """
    if path is None:
        text = files("armillary.lens").joinpath("data", "text_en.txt").read_text("utf-8")
    else:
        text = _read(Path(path))
    found = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
    if not found:
        raise UsageError(f"expected a text in {path}, found none")
    return found


@cache
def built_in_senses() -> Senses:
    """Six ambiguous words with two senses of twenty sentences each, and a control in two halves."""
    return _parsed(files("armillary.lens").joinpath("data", "senses_en.txt").read_text("utf-8"), "senses_en.txt")


def read_senses(path: str | Path) -> Senses:
    """Senses from a file of the same form: `# word: sense` opens a group, a sentence a line.

    UnreadableError for a line before the first group, or a word with fewer than two senses of two sentences.
    """
    return _parsed(_read(Path(path)), str(path))


def _parsed(text: str, name: str) -> Senses:
    found: dict[str, dict[str, list[str]]] = {}
    group: list[str] | None = None
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        word, colon, sense = line.removeprefix("# ").partition(": ")
        if line.startswith("# ") and colon and " " not in word:
            group = found.setdefault(word, {}).setdefault(sense, [])
        elif line and not line.startswith("#"):
            if group is None:
                raise UnreadableError(
                    f"{name}, line {number}: expected '# word: sense' before a sentence, found {line!r:.60}"
                )
            group.append(line)
    for word, senses in found.items():
        if len(senses) < 2 or any(len(sentences) < 2 for sentences in senses.values()):
            raise UnreadableError(f"{name}: expected two senses of {word!r} or more, each with two sentences or more")
    if not found:
        raise UnreadableError(f"{name}: expected senses of a word, found none", "a group opens with '# word: sense'")
    return {word: {s: tuple(lines) for s, lines in senses.items()} for word, senses in found.items()}


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"expected a text in {path}, found {error}", "a text is UTF-8") from error
