"""What the map shows: every row on the plane, and the measures that can colour it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armillary.study.projection import Projection
from armillary.table import Kind

if TYPE_CHECKING:
    from armillary.study.study import Study

SCRIPTS = 7  # told apart by colour; a palette that everyone can read has no more


@dataclass(frozen=True, eq=False)
class Atlas:
    """The map of n rows. `columns`: float32 measures by name; `categories`: uint8 codes by name, with their labels."""

    plane: Projection
    columns: Mapping[str, np.ndarray]
    categories: Mapping[str, tuple[np.ndarray, tuple[str, ...]]]


def atlas_of(study: Study) -> Atlas:
    """The map of a study; columns of a scan are there once one is finished."""
    columns = {"norm": study.first_pass.norms, "meanCosine": study.cosines_to_mean}
    columns["shown"] = study.projection.shown
    scan = study.finished_scan()
    if scan is not None:
        columns["occurrence"] = scan.occurrence
        if scan.k:
            columns["nearestCosine"] = scan.similarities[:, 0]
    kinds = study.table.vocabulary.kinds[study.code.ids].astype(np.uint8)
    categories = {"kind": (kinds, tuple(kind.label for kind in Kind))}
    scripts = _scripts(study)
    if scripts is not None:
        categories["script"] = scripts
    return Atlas(
        study.projection, {name: np.asarray(values, np.float32) for name, values in columns.items()}, categories
    )


def _scripts(study: Study) -> tuple[np.ndarray, tuple[str, ...]] | None:
    """The seven most frequent scripts and the rest as one; None without the extra `words`."""
    from armillary.errors import MissingExtra
    from armillary.words.scripts import script_codes

    try:
        names, codes = script_codes(study.table.vocabulary)
    except MissingExtra:
        return None
    codes = np.asarray(codes)[study.code.ids]
    counts = np.bincount(codes, minlength=len(names))
    most = np.argsort(-counts, kind="stable")[:SCRIPTS].tolist()
    place = np.full(len(names), len(most), np.uint8)
    place[most] = np.arange(len(most))
    return place[codes], (*(names[i] for i in most), "other")
