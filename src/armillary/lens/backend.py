"""torch and transformers, imported only when a model is run; the one place that knows they may be missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from armillary.errors import MissingExtra, UsageError

_FEATURE = "running a model"


def torch() -> Any:
    """The torch package; MissingExtra without it."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtra(_FEATURE, "lens") from error
    return torch


def transformers() -> Any:
    """The transformers package; MissingExtra without it or without torch."""
    torch()
    try:
        import transformers
    except ImportError as error:
        raise MissingExtra(_FEATURE, "lens") from error
    return transformers


def checked_device(device: str) -> str:
    """`device` if a model can run there: `cpu`, or `cuda` where there is one; UsageError otherwise."""
    if device == "cpu":
        return device
    if device.partition(":")[0] != "cuda":
        raise UsageError(f"expected the device cpu or cuda, found {device!r}")
    if not torch().cuda.is_available():
        raise UsageError("expected a CUDA device, found none", "leave --device out: models run on the CPU")
    return device


@contextmanager
def quiet() -> Iterator[None]:
    """transformers without its progress bars and notes while a model is opened; its settings are put back."""
    logging = transformers().utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
