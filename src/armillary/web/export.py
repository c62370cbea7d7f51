"""The page as a folder of static files: the bundle, and every answer that can be computed beforehand.

Neighbours are those of the finished scan, for every token, float64 as the server gives them. Rows of the few hundred
words that the page draws are exact; all rows are added rounded to eight bits where that is at most 32 MiB, so that
free questions about words can be answered in the browser; above it the page says that it cannot.
"""

from __future__ import annotations

import json
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import numpy as np

from armillary.answer import Answer
from armillary.errors import ArmillaryError, UsageError, WorkError
from armillary.study.page_questions import published_models
from armillary.web import views
from armillary.web.pack import pack
from armillary.web.security import HEADERS

if TYPE_CHECKING:
    from armillary.study import Study

MOST_ROUNDED = 32 << 20  # bytes of int8 rows that a page may be asked to download
LANGUAGES = ("en", "zh")
METRIC_WORDS = ("king", "bank", "the", "economics", "国王", "银行", "的", "经济")  # the page's own examples

Progress = Callable[[str, int, int], None]  # (what, done, total)
Document = tuple[str, Callable[[], bytes]]  # (file below data/, what makes it)


@dataclass(frozen=True, repr=False)
class Exported(Answer):
    """What was written: `free_questions` says whether rounded rows are among the files."""

    path: Path
    files: int
    size: int
    free_questions: bool
    left_out: tuple[str, ...]

    def __str__(self) -> str:
        free = (
            "Free questions about words are answered in the browser, from rows rounded to eight bits."
            if self.free_questions
            else f"Rows are not shipped: more than {MOST_ROUNDED >> 20} MiB at eight bits; free questions need armillary serve."
        )
        return f"{self.path}: {self.files} files, {self.size / 1e6:.1f} MB. {free}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": str(self.path), "files": self.files, "bytes": self.size, "free_questions": self.free_questions,
            "left_out": list(self.left_out),
        }  # fmt: skip


def export(study: Study, folder: Path, *, repairs: bool = True, progress: Progress | None = None) -> Exported:
    """Write the page of a study into a new or empty folder, whole or not at all.

    Runs the scan unless one is cached. `repairs`: with each repair measured before and after, which takes a while.
    UsageError for a folder that holds something; WorkError if the disk fails.
    """
    folder = Path(folder)
    check_folder(folder)
    tell = progress or (lambda what, done, total: None)
    study.scan(progress=lambda done, total: tell("comparing all pairs", done, total))
    left_out: list[str] = []
    try:
        with tempfile.TemporaryDirectory(prefix=".armillary-", dir=folder.parent) as made:
            target = Path(made) / "page"
            _bundle(target)
            documents = list(_documents(study, repairs))
            for done, (name, make) in enumerate(documents):
                tell("writing answers", done, len(documents))
                try:
                    _write(target / "data" / name, make())
                except ArmillaryError as error:  # this table cannot be asked that; the page will say so
                    left_out.append(f"{name}: {error.message}")
            files = [path for path in target.rglob("*") if path.is_file()]
            size = sum(path.stat().st_size for path in files)
            if folder.is_dir():
                folder.rmdir()
            target.rename(folder)
    except OSError as error:
        raise WorkError(f"writing {folder} failed: {error.strerror or error}", "nothing was left there") from error
    return Exported(folder, len(files), size, _is_small(study), tuple(left_out))


def check_folder(folder: Path) -> None:
    """UsageError unless the folder is new or empty, and the one above it there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"expected a new or empty folder, found {folder} with something in it", "name another")
    if not folder.absolute().parent.is_dir():
        cure = f"make it first: mkdir -p {shlex.quote(str(folder.parent))}"
        raise UsageError(f"expected a folder to make {folder.name} in, found no {folder.parent}", cure)


def _bundle(target: Path) -> None:
    """The page's own files; its HTML says that answers lie beside it, and brings the policy that the server would send."""
    shutil.copytree(Path(__file__).parent / "static", target)
    policy = HEADERS["Content-Security-Policy"].split("; frame-ancestors")[0]
    page = (target / "index.html").read_text("utf-8")
    page = page.replace('<html lang="en">', '<html lang="en" data-source="folder">', 1)
    page = page.replace("<head>", f'<head>\n    <meta http-equiv="Content-Security-Policy" content="{policy}" />', 1)
    (target / "index.html").write_text(page, "utf-8")


def _documents(study: Study, repairs: bool) -> Iterator[Document]:
    """Every file below data/ by the name that `folder/files.ts` gives the question it answers."""
    yield "model.json", lambda: _json({**views.model_view(study), "spaces": ["raw"], "free": _is_small(study)})
    yield "tokens.json", lambda: _json(_tokens(study))
    yield "map.bin", lambda: views.map_pack(study)
    yield "neighbours.bin", lambda: _neighbours(study)
    yield "rows.bin", lambda: _rows(study)
    if _is_small(study):
        yield "rounded.bin", lambda: _rounded(study)
    yield "background.json", lambda: _json(study.random_pairs())
    yield "report.json", lambda: _json(study.report().to_dict())
    yield "health.json", lambda: _json(views.health_view(study))
    yield "plans.json", lambda: _json({"plans": views.plan_grid(study)})
    yield "models.json", lambda: _json({"models": published_models()})
    yield "metrics.json", lambda: _json(_metrics(study))
    yield from _word_documents(study)
    if repairs:
        for method in views.model_view(study)["repairs"]:
            name = method["name"]
            yield f"repair-method-{name}.json", lambda name=name: _json(study.repair(name).to_dict())
    if find_spec("armillary.web.lesson"):
        for name, body in import_module("armillary.web.lesson").documents(study):
            yield f"{name}.json", lambda body=body: body if isinstance(body, bytes) else _json(body)


def _word_documents(study: Study) -> Iterator[Document]:
    for language in LANGUAGES:
        yield _named(f"ladder?language={language}"), lambda at=language: _json(study.ladder(at).to_dict())
        yield _named(f"categories?language={language}"), lambda at=language: _json(study.categories(at).to_dict())
        sets = views.sets_view(language)
        yield _named(f"sets?language={language}"), lambda sets=sets: _json({"sets": sets})
        for ready in sets:
            question = f"direction?name={ready['name']}&language={language}"
            asked = dict(parse_qsl(question.partition("?")[2]))
            yield (
                _named(question),
                lambda asked=asked: _json(views.direction_view(study, asked["name"], asked["language"], [], [])),
            )


def _named(question: str) -> str:
    return question.translate(str.maketrans("?&=", "---")) + ".json"


def _is_small(study: Study) -> bool:
    rows, width = study.shape
    return rows * width <= MOST_ROUNDED


def _json(value: Any) -> bytes:
    return json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _finite(value: Any) -> Any:
    """JSON has neither NaN nor infinity: they become null."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


def _tokens(study: Study) -> dict[str, list[str]]:
    tokens = study.token_views(range(len(study.table)))
    return {key: [token[key] for token in tokens] for key in ("text", "name", "bytes", "kind")}


def _neighbours(study: Study) -> bytes:
    scan = study.scan()
    return pack(
        {"k": scan.k}, ids=scan.ids.astype(np.int32), neighbours=scan.neighbors.astype(np.int32),
        values=scan.similarities, norms=study.facts.norms.astype(np.float64),
    )  # fmt: skip


def _rows(study: Study) -> bytes:
    """Exact rows of the words that the page draws."""
    ids: set[int] = set()
    for language in LANGUAGES:
        with suppress(ArmillaryError):  # a table that cannot spell the categories has nothing to draw
            ids |= {word["ids"][0] for word in study.categories(language).to_dict()["words"]}
    chosen = np.array(sorted(ids), np.int32)
    return pack({}, ids=chosen, rows=study.table.rows(chosen))


def _rounded(study: Study) -> bytes:
    """Every row as x ≈ q·step with q from −127 to 127; a row that is not finite becomes zero."""
    rows, width = study.shape
    whole, steps = np.zeros((rows, width), np.int8), np.zeros(rows, np.float32)
    for start, block in study.table.blocks():
        block = np.where(np.isfinite(block).all(axis=1, keepdims=True), block, 0)
        step = np.abs(block).max(axis=1) / 127
        whole[start : start + len(block)] = np.rint(block / np.where(step > 0, step, 1)[:, None])
        steps[start : start + len(block)] = step
    return pack({}, rows=whole, step=steps)


def _metrics(study: Study) -> dict[str, Any]:
    known = [text for text, word in zip(METRIC_WORDS, study.spelled(*METRIC_WORDS), strict=True) if word]
    return study.compare_metrics(*known).to_dict()
