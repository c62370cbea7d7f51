"""The scan of a study: run once, kept in the user's cache, summed up in a few lines."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from armillary.answer import Answer, Listing, aligned, cosine, count, number, percent, seconds, size
from armillary.errors import UsageError
from armillary.scan.result import Pair, Scan
from armillary.scan.tail import upper_tail
from armillary.table import Token

if TYPE_CHECKING:
    from armillary.study.study import Progress, Study

HistogramKind = Literal["sampled", "exact"]
HISTOGRAMS = ("sampled", "exact")
ENGINE = 2  # raised when the scan's answer could change for the same rows
K = 10
TOLD = 1 << 28  # bytes: from there on the memory of a scan is worth a line


def scan_of(study: Study, k: int, histogram: HistogramKind, progress: Progress | None, kernel: str = "auto") -> Scan:
    """The scan of a study's rows with these parameters: from the cache, or run now and kept.

    An interrupted one goes on where it was. A kernel asked for by name is run, whatever is in the cache.
    """
    _check(k, histogram)
    kept = finished_scan_of(study, k, histogram) if kernel == "auto" else None
    if kept is not None:
        return kept
    from armillary.scan import scan
    from armillary.study.memory import StateFile, scan_place, write_scan

    place = scan_place(_key(study, k, histogram)) if study.cache else None
    keeper = StateFile(place.with_suffix(".state")) if place else None
    found = scan(study.code, study.code.ids, k=k, histogram=histogram, kernel=kernel, progress=progress, keeper=keeper)
    if place and keeper:
        write_scan(place, found)
        keeper.clear()
    return found


def finished_scan_of(study: Study, k: int, histogram: HistogramKind) -> Scan | None:
    """The scan with these parameters if it is in the cache; an exact histogram serves where a sampled one is asked."""
    if not study.cache:
        return None
    from armillary.study.memory import read_scan, scan_place

    for kind in (histogram, "exact") if histogram == "sampled" else (histogram,):
        kept = read_scan(scan_place(_key(study, k, kind)))
        if kept is not None:
            return kept
    return None


def memory_note(study: Study, k: int = K, histogram: HistogramKind = "sampled") -> str:
    """What a scan will hold at most beside the rows, in words; empty where it is little, or the scan is there already."""
    _check(k, histogram)
    if study.finished_scan(k, histogram) is not None:
        return ""
    from armillary.scan.plan import Plan

    n, d = study.code.shape
    held = Plan.of(n, n, d, min(k + 1, n), os.cpu_count() or 1).bytes
    return f"comparing all pairs will hold at most {size(held)} beside the rows" if held >= TOLD else ""


def _check(k: int, histogram: str) -> None:
    if k < 1:
        raise UsageError(f"expected k of 1 or more, found {k}")
    if histogram not in HISTOGRAMS:
        raise UsageError(f"expected a histogram among {', '.join(HISTOGRAMS)}, found {histogram!r}")


def _key(study: Study, k: int, histogram: str) -> Mapping[str, Any]:
    excluded = hashlib.sha256(b"".join(np.sort(ids).tobytes() for _, ids in sorted(study.code.excluded.items())))
    return {
        "rows": study.facts.sha256,
        "shape": list(study.shape),
        "excluded": excluded.hexdigest(),
        "k": k,
        "histogram": histogram,
        "engine": ENGINE,
    }


@dataclass(frozen=True, repr=False)
class ScanSummary(Answer):
    """A finished scan in a few lines, with the tokens of its extreme pairs, by role, and of its largest hub.

    `kept`: whether it was there from an earlier call, whose time and kernel are then told.
    """

    scan: Scan
    pairs: Mapping[str, tuple[Pair, Token, Token]]
    hub: Token | None
    left_out: Mapping[str, int]
    kept: bool = False

    def to_dict(self) -> dict[str, Any]:
        scan = self.scan
        return {
            "rows": len(scan.ids),
            "pairs": scan.pairs,
            "k": scan.k,
            "kind": "exact",
            "left_out": dict(self.left_out),
            **{role: _pair_dict(*pair) for role, pair in self.pairs.items()},
            "minimum_angle_degrees": self._angle(),
            "mean_cosine": scan.moments.mean if scan.moments else None,
            "mean_square_cosine": scan.moments.mean_square if scan.moments else None,
            "largest_occurrence": int(scan.occurrence.max()) if len(scan.ids) else None,
            "largest_hub": {"id": self.hub.id, "text": self.hub.text} if self.hub else None,
            "antihub_share": float((scan.occurrence == 0).mean()),
            "settled_by_ties": int((~scan.certificate).sum()),
            "histogram": self._histogram(),
            "seconds": scan.seconds,
            "kernel": scan.kernel,
            "kept": self.kept,
        }

    def __str__(self) -> str:
        scan = self.scan
        took = f"{scan.kernel}, {seconds(scan.seconds)}"
        if self.kept:
            took = f"kept from an earlier scan, which took {seconds(scan.seconds)} ({scan.kernel})"
        head = f"{count(scan.pairs)} pairs of {count(len(scan.ids))} rows, exact, {took}"
        return f"{head}\n\n" + "\n".join(
            f"  {line}" for line in aligned(self._lines(), ["left", "right", "left"], widest=80).splitlines()
        )

    def _lines(self) -> list[list[str]]:
        scan, rows = self.scan, [list(_pair_line(role, *pair)) for role, pair in self.pairs.items()]
        angle = self._angle()
        if angle is not None:
            rows.append(["minimum angle", f"{number(angle)}°", "between distinct rows"])
        if scan.moments:
            rows.append(["mean cosine", cosine(scan.moments.mean), "over all pairs; a random code has 0"])
        if self.hub is not None and scan.k:
            top = int(scan.occurrence.max())
            rows.append(
                ["largest hub", self.hub.text, f"among the {scan.k} nearest of {count(top)} rows; the mean is {scan.k}"]
            )
            rows.append(
                [
                    "never a neighbour",
                    percent(float((scan.occurrence == 0).mean())),
                    f"of rows are among the {scan.k} nearest of none",
                ]
            )
        rows += [[f"left out: {reason}", count(n), "rows"] for reason, n in self.left_out.items()]
        return rows

    def _angle(self) -> float | None:
        pair = self.scan.closest_distinct or self.scan.closest
        return math.degrees(math.acos(pair.value)) if pair else None

    def _histogram(self) -> dict[str, Any] | None:
        histogram = self.scan.histogram
        if histogram is None:
            return None
        first, tail = upper_tail(self.scan)
        return {
            "kind": histogram.kind,
            "pairs": histogram.pairs,
            "low": -1.0,
            "high": 1.0,
            "counts": histogram.counts.tolist(),
            "exact_from_bin": first,
            "exact_counts": tail.tolist(),
        }


def summary_of(study: Study, scan: Scan) -> ScanSummary:
    """A scan with the tokens of its extreme pairs and of its largest hub."""
    found = {"closest": scan.closest, "closest_distinct": scan.closest_distinct, "farthest": scan.farthest}
    if scan.closest_distinct == scan.closest:
        del found["closest_distinct"]
    named = {role: (pair, study.table.token(pair.i), study.table.token(pair.j)) for role, pair in found.items() if pair}
    hub = study.table.token(int(scan.ids[int(np.argmax(scan.occurrence))])) if len(scan.ids) > 1 else None
    return ScanSummary(scan, named, hub, {reason: len(ids) for reason, ids in study.code.excluded.items()})


def _pair_dict(pair: Pair, a: Token, b: Token) -> dict[str, Any]:
    return {"cosine": pair.value, "ids": [a.id, b.id], "texts": [a.text, b.text]}


def _pair_line(role: str, pair: Pair, a: Token, b: Token) -> tuple[str, str, str]:
    name = {"closest": "closest pair", "closest_distinct": "closest distinct pair", "farthest": "farthest pair"}[role]
    return name, cosine(pair.value), f"{a.text} – {b.text}"


@dataclass(frozen=True, repr=False)
class Pairs(Listing):
    """All pairs of rows from a cosine on, closest first."""

    what: str
    a: tuple[Token, ...]
    b: tuple[Token, ...]
    values: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def title(self) -> str:
        return f"{count(len(self))} pairs {self.what}"

    def columns(self) -> Mapping[str, Sequence[Any]]:
        return {
            "a_id": [t.id for t in self.a],
            "a": [t.text for t in self.a],
            "b_id": [t.id for t in self.b],
            "b": [t.text for t in self.b],
            "cosine": list(self.values),
        }

    def to_dict(self) -> dict[str, Any]:
        return {"pairs": self.to_arrow().to_pylist(), "kind": "exact"}

    def save(self, path: str | Path) -> Path:
        """Write as Parquet or CSV by the ending, whole or not at all."""
        from armillary.study.files import save_arrow

        return save_arrow(self.to_arrow(), path)


def pairs_above_of(study: Study, threshold: float) -> Pairs:
    """Every pair of rows with a cosine of at least `threshold`, closest first, then by id."""
    from armillary.scan import pairs_above
    from armillary.study.near import check_threshold

    check_threshold(threshold)
    blocks = list(pairs_above(study.code, threshold))
    low, high = (_joined([getattr(block, side) for block in blocks], np.int64) for side in ("i", "j"))
    values = _joined([block.value for block in blocks], np.float64)
    order = np.lexsort((high, low, -values))
    token, ids = study.table.token, study.code.ids
    return Pairs(
        what=f"with a cosine of {number(threshold)} or more",
        a=tuple(map(token, ids[low[order]].tolist())),
        b=tuple(map(token, ids[high[order]].tolist())),
        values=tuple(values[order].tolist()),
    )


def _joined(parts: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)
