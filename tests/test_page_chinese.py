"""The Chinese page is Chinese to its last line: what the library says reaches it through page/src/text/library-zh.json.

Fast tests read sources: every key of that file is still said by the library or the page, and every error that a question
of the page can end in has its Chinese. The walk through all rooms looks at what a reader sees.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LIBRARY, PAGE = ROOT / "src" / "armillary", ROOT / "page" / "src"
CHINESE: dict[str, str] = json.loads((PAGE / "text" / "library-zh.json").read_text("utf-8"))
ERRORS = {"UsageError", "UnreadableError", "WorkError", "ArmillaryError"}

# Files whose errors a question of the page can end in, and the errors in them that it cannot.
ASKED = (
    "study/lesson/meaning.py", "study/lesson/space.py", "study/live_lens.py", "study/page_questions.py",
    "study/words.py", "words/expression.py", "words/word.py", "words/similarity.py", "words/scores.py",
    "words/analogy.py", "words/null.py", "words/directions.py", "words/categories.py", "words/ladder.py",
    "lens/drift.py", "lens/model.py",
)  # fmt: skip
NOT_BY_THE_PAGE = {
    "expected a metric among {}, found {}", "expected a method of {}, found {}",  # a fixed choice on the page
    "expected {} to be one token, found {}: {}", "use pool mean or first",  # the page takes the mean
    "expected a question of the form c - a + b for PairDistance, found another sum",
    "expected a BOS token to put first, found none in {}", "leave --bos out",
    "{}", "did you mean {}?",
}  # fmt: skip
# Sentences that the library puts together, and the pieces of which it does.
COMPOSED = {
    "estimate: one draw of {} rows with this mean and covariance": ("estimate: one draw of {} rows", "{} with this mean and covariance"),
    "estimate: one draw of {} rows, uniform on the sphere": ("estimate: one draw of {} rows", "{}, uniform on the sphere"),
    "{} groups of equal rows": ("{} {} of equal rows", "groups"),
    "{} group of equal rows": ("{} {} of equal rows", "group"),
    "only {} is stored, and the model is not said to have an output": ("only {} is stored, and the model {}", "is not said to have an output"),
    "only {} is stored, and the model has no language-model head": ("only {} is stored, and the model {}", "has no language-model head"),
    "word lists: {}": ("{}: {}", "word lists"),
    "word lists know no token of this table": ("{} know no token of this table", "word lists"),
    "the tokenizer's scores: {}": ("{}: {}", "the tokenizer's scores"),
    "the tokenizer's scores know no token of this table": ("{} know no token of this table", "the tokenizer's scores"),
    "torch and transformers": ("torch", " and ", "transformers"),
}  # fmt: skip


def template(node: ast.expr) -> str | None:
    """A string as its author wrote it, {} where something is filled in; None for what is no string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
    return None


def templates(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        found = template(node) if isinstance(node, ast.expr) else None
        if found is not None:
            yield found


def errors_of(path: Path) -> Iterator[str]:
    """Messages and cures of the errors that a file makes."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS:
            yield from filter(None, map(template, node.args))


def test_every_key_is_still_said():
    said = {text for path in LIBRARY.rglob("*.py") for text in templates(path)}
    page = "\n".join(path.read_text("utf-8") for path in PAGE.rglob("*.ts") if path.parent.name != "text")
    page = re.sub(r"\$\{[^}]*\}", "{}", page)
    stale = [key for key in CHINESE if key not in said and key not in page and key not in COMPOSED]
    stale += [key for key, pieces in COMPOSED.items() if not said.issuperset(pieces)]
    assert stale == []


def test_every_error_that_a_question_can_end_in_is_said_in_chinese():
    said = {text for name in ASKED for text in errors_of(LIBRARY / name)} - NOT_BY_THE_PAGE
    assert sorted(said - set(CHINESE)) == []


# What a reader may see in English: tokens and what is typed (class token, code, inputs), citations, names of people and things.
VISIBLE = """() => {
  document.querySelectorAll('main details, aside details').forEach(d => d.open = true);
  const seen = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const at = walk.currentNode.parentElement;
    if (!at || !at.getClientRects().length || at.closest('script, style, math, textarea, .token, [dir=auto]')) continue;
    seen.push(walk.currentNode.textContent.trim());
  }
  for (const name of ['aria-label', 'title', 'alt', 'placeholder'])
    for (const e of document.querySelectorAll(`main [${name}], aside [${name}], header [${name}], nav [${name}]`))
      if (!e.closest('.token, [dir=auto]')) seen.push(e.getAttribute(name));
  return seen;
}"""
RUN = re.compile(r"[A-Za-z][a-z’'-]*(?:[ ,:;]+[A-Za-z][a-z’'-]*){3,}")  # four English words in a row
CITED = re.compile(r"(?:[A-Z][\w’'-]+(?: (?:van|de|von) [A-Z]\w+)?(?:,| &| et al\.| and)? ?)+\(?\d{4}")
COMMAND = re.compile(r"armillary [a-z]+(?: [\w:.-]+)*|pip install \S+")
ROUTES = (
    "#/atlas?token=500", "#/atlas?part=six", "#/sphere", "#/words", "#/words?part=similarity", "#/words?part=ladder",
    "#/words?part=directions", "#/words?part=metrics", "#/isotropy", "#/isotropy?part=repairs&repair=centre",
    "#/isotropy?part=norms", "#/health", "#/health?part=every", "#/health?part=read", "#/lens",
)  # fmt: skip
REFUSED = re.compile(
    r"要有 DuckDB 的表达式，现在是.*", re.DOTALL
)  # what DuckDB says of a filter, and the names of columns
FAILING = (
    "#/words?q=king+-", "#/words?q=king+-+(", "#/words?part=similarity&w=king", "#/health?part=every&where=no+such+thing",
    "#/atlas?token=99999999",
)  # fmt: skip


def english(texts: list[str]) -> list[str]:
    """The texts in which four English words in a row are left, once citations and commands are taken out."""
    bare = {text: COMMAND.sub("", CITED.sub("", REFUSED.sub("", text))) for text in texts}
    return sorted({text for text, rest in bare.items() if RUN.search(rest)})


def test_what_counts_as_english():
    left = "expected a token that spells 'x', found none"
    allowed = [
        "Mu & Viswanath 2018; Arora et al. 2016",
        "请用 armillary serve demo:smollm2 打开",
        "余弦 3CosAdd w·c PMI",
    ]
    assert english([left, *allowed]) == [left]


@pytest.mark.browser
def test_no_english_sentence_is_left_in_any_room(tmp_path, monkeypatch):
    import armillary as arm
    from browser_pages import chromium, opened, rested, served

    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path))
    left: dict[str, list[str]] = {}
    with chromium() as browser, opened(browser, served(arm.open("demo")), locale="zh-CN") as page:
        for route in (*ROUTES, *FAILING):
            page.evaluate(f"location.hash = {route!r}")
            rested(page)
            if route == "#/sphere":  # everything the scan brings is there to be read
                page.get_by_role("button", name="比较所有词对").click()
                page.wait_for_selector("#section-hubs", timeout=600_000)
                rested(page)
            if route in FAILING:
                page.get_by_role("alert").first.wait_for()
            if found := english(page.evaluate(VISIBLE)):
                left[route] = found
    assert left == {}


@pytest.mark.browser
def test_no_english_sentence_is_left_in_the_lesson(tmp_path, monkeypatch):
    import armillary as arm
    from browser_pages import chromium, opened, rested, served

    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path))
    steps = re.findall(r"'(\w+)'", (PAGE / "learn" / "names.ts").read_text("utf-8"))
    left: dict[str, list[str]] = {}
    with chromium() as browser, opened(browser, served(arm.open("demo")), locale="zh-CN") as page:
        for step in steps[:-1]:  # the last is the literature
            page.evaluate(f"location.hash = '#/learn?l_guess=none&step={step}'")
            rested(page)
            if found := english(page.evaluate(VISIBLE)):
                left[step] = found
    assert len(steps) == 20 and left == {}
