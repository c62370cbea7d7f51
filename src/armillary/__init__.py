"""Armillary opens the token-embedding table of any language model and tells its geometry exactly.

This file is the table of contents: the public names, loaded when they are first used, so that `import armillary`
costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from armillary.errors import ArmillaryError as ArmillaryError
    from armillary.errors import MissingExtra as MissingExtra
    from armillary.errors import UnreadableError as UnreadableError
    from armillary.errors import UsageError as UsageError
    from armillary.errors import WorkError as WorkError
    from armillary.measure import Measure as Measure
    from armillary.sphere import Code as Code
    from armillary.study import Study as Study
    from armillary.study import compare as compare
    from armillary.study import open as open
    from armillary.table import Table as Table
    from armillary.table import Token as Token
    from armillary.words.calibrator import Calibrator as Calibrator

_ROOM_OF = {
    "ArmillaryError": "errors",
    "Calibrator": "words.calibrator",
    "Code": "sphere",
    "Measure": "measure",
    "MissingExtra": "errors",
    "Study": "study",
    "Table": "table",
    "Token": "table",
    "UnreadableError": "errors",
    "UsageError": "errors",
    "WorkError": "errors",
    "compare": "study",
    "open": "study",
}

__all__ = [
    "ArmillaryError",
    "Calibrator",
    "Code",
    "Measure",
    "MissingExtra",
    "Study",
    "Table",
    "Token",
    "UnreadableError",
    "UsageError",
    "WorkError",
    "__version__",
    "compare",
    "open",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'armillary' has no attribute {name!r}")
    return getattr(import_module(f"armillary.{_ROOM_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
