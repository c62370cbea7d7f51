"""Heavy packages that every worker of pytest would import when it collects, imported where a test first uses them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Lazy:
    """A module, imported when one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest")):  # what pytest asks of every name in a module
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


torch = Lazy("torch")
transformers = Lazy("transformers")
