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


@dataclass(frozen=True, eq=False)
class Atlas:
    """The map of n rows. `columns`: float32 measures by name; `categories`: uint8 codes by name, with their labels."""

    plane: Projection
    columns: Mapping[str, np.ndarray]
    categories: Mapping[str, tuple[np.ndarray, tuple[str, ...]]]


def atlas_of(study: Study) -> Atlas:
    """The map of a study; columns of a scan are there once one is finished."""
    columns = {"norm": study.first_pass.norms, "meanCosine": study.cosines_to_mean}
    scan = study.finished_scan()
    if scan is not None:
        columns["occurrence"] = scan.occurrence
    kinds = study.table.vocabulary.kinds[study.code.ids].astype(np.uint8)
    return Atlas(
        study.projection,
        {name: np.asarray(values, np.float32) for name, values in columns.items()},
        {"kind": (kinds, tuple(kind.label for kind in Kind))},
    )
