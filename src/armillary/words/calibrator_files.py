"""A calibrator on disk: a JSON file that people can read, and an npz of plain arrays; no pickle is ever loaded."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.storage import atomic_path
from armillary.words.calibrator import ERROR_SHARES, SHARES, Calibrator, Threshold

FORMAT = "armillary calibrator 1"
LARGEST_JSON = 1 << 20
ARRAYS = ("cosines", "errors", "references", "crowding")


def save(calibrator: Calibrator, path: Path) -> tuple[Path, Path]:
    """Write both files; the arrays first, so that a JSON file never stands without them."""
    facts, arrays = files_of(path)
    with atomic_path(arrays) as temporary, temporary.open("wb") as file:
        np.savez(
            file,
            cosines=calibrator.cosines,
            errors=calibrator.errors,
            references=calibrator.references.astype(np.float16),
            crowding=calibrator.crowding,
        )
    with atomic_path(facts) as temporary:
        text = json.dumps({"format": FORMAT, **calibrator.to_dict()}, indent=2, ensure_ascii=False)
        temporary.write_text(text + "\n", "utf-8")
    return facts, arrays


def load(path: Path) -> Calibrator:
    """Read both files and check that they belong together."""
    facts, arrays = files_of(path)
    known = _facts(facts)
    try:
        with np.load(arrays, allow_pickle=False) as stored:
            held = {name: stored[name] for name in ARRAYS}
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise UnreadableError(f"expected the arrays of a calibrator in {arrays}: {error}") from error
    calibrator = _assembled(known, held, facts)
    shapes = {name: getattr(calibrator, name).shape for name in ARRAYS}
    expected = {
        "cosines": SHARES.shape,
        "errors": ERROR_SHARES.shape,
        "references": (len(calibrator.references), calibrator.width),
        "crowding": (calibrator.rows,),
    }
    if shapes != expected:
        raise UnreadableError(f"expected arrays of shapes {expected} in {arrays}, found {shapes}")
    return calibrator


def files_of(path: Path) -> tuple[Path, Path]:
    """The JSON file and the arrays of a calibrator called `path`."""
    stem = path.with_suffix("") if path.suffix in (".json", ".npz") else path
    return stem.with_name(stem.name + ".json"), stem.with_name(stem.name + ".npz")


def _facts(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_JSON:
            raise UnreadableError(f"expected a calibrator's small JSON file, found {path} of over 1 MiB")
        known = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UnreadableError(f"expected a calibrator at {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"expected JSON in {path}: {error}") from error
    if not isinstance(known, dict) or known.get("format") != FORMAT:
        raise UnreadableError(f"expected a file of format {FORMAT!r} at {path}, found another")
    return known


def _assembled(known: dict[str, Any], held: dict[str, np.ndarray], path: Path) -> Calibrator:
    try:
        return Calibrator(
            str(known["source"]),
            str(known["sha256"]),
            int(known["rows"]),
            int(known["width"]),
            int(known["pairs"]),
            str(known["kind"]),
            float(known["mean"]),
            float(known["sd"]),
            int(known["seed"]),
            tuple(Threshold(**t) for t in known["thresholds"]),
            held["cosines"],
            held["errors"],
            held["references"].astype(np.float32),
            held["crowding"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableError(
            f"expected the facts of a calibrator in {path}, found them incomplete: {error}"
        ) from error
