"""The file of a repair: safetensors with its record as JSON metadata, whole or not at all, read without trust.

Tensors are float64: `mean`, `matrix`, and where there are any `offset`, `enter`, `bias`, `leave`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.repairs.repair import Layer, Repair
from armillary.storage import atomic_path

KIND = "armillary repair 1"
_CURE = "write one with armillary repair"


def save_repair(repair: Repair, path: str | Path) -> Path:
    """Write a repair; returns its path. UsageError if the folder is missing, WorkError if the disk fails."""
    from safetensors.numpy import save_file

    tensors = {"mean": repair.mean, "matrix": repair.matrix}
    if repair.offset is not None:
        tensors["offset"] = repair.offset
    if repair.layer is not None:
        tensors |= {"enter": repair.layer.enter, "bias": repair.layer.bias, "leave": repair.layer.leave}
    record = json.dumps({"method": repair.method, "parameters": dict(repair.parameters)}, sort_keys=True)
    arrays = {name: np.ascontiguousarray(tensor, np.float64) for name, tensor in tensors.items()}
    with atomic_path(Path(path)) as temporary:
        save_file(arrays, str(temporary), metadata={"kind": KIND, "repair": record})
    return Path(path)


def load_repair(path: str | Path) -> Repair:
    """Read a repair that `save_repair` wrote; UnreadableError for anything else, with what is wrong with it."""
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        raise UnreadableError(f"expected the file of a repair at {path}, found none", _CURE)
    try:
        with safe_open(str(path), framework="numpy") as file:
            facts = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()} if facts.get("kind") == KIND else {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise UnreadableError(f"expected the file of a repair at {path}, found: {error}", _CURE) from error
    if not tensors:
        raise UnreadableError(f"expected the file of a repair at {path}, found other tensors", _CURE)
    _check(tensors, path)
    method, parameters = _record(facts.get("repair", ""), path)
    layer = Layer(tensors["enter"], tensors["bias"], tensors["leave"]) if "enter" in tensors else None
    return Repair(method, parameters, tensors["matrix"], tensors["mean"], tensors.get("offset"), layer)


def _record(text: str, path: str | Path) -> tuple[str, dict[str, Any]]:
    try:
        record = json.loads(text)
        method, parameters = record["method"], record["parameters"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnreadableError(
            f"expected the record of a repair in {path}, found none that can be read", _CURE
        ) from error
    if not isinstance(method, str) or not isinstance(parameters, dict):
        raise UnreadableError(f"expected a method and its parameters in {path}, found others", _CURE)
    return method, parameters


def _check(tensors: dict[str, np.ndarray], path: str | Path) -> None:
    """The tensors fit together, and every number is finite."""
    matrix = tensors.get("matrix")
    d, m = matrix.shape if matrix is not None and matrix.ndim == 2 else (-1, -1)
    h = tensors["bias"].size if "bias" in tensors else -1
    wanted = {"mean": (d,), "matrix": (d, m), "offset": (m,), "enter": (m, h), "bias": (h,), "leave": (h, m)}
    layer = {"enter", "bias", "leave"} & tensors.keys()
    for name, tensor in tensors.items():
        if wanted.get(name) != tensor.shape or tensor.dtype != np.float64 or not np.isfinite(tensor).all():
            found = f"{name} of shape {tensor.shape} and type {tensor.dtype}"
            raise UnreadableError(f"expected tensors of a repair that fit together in {path}, found {found}", _CURE)
    if not {"mean", "matrix"} <= tensors.keys() or len(layer) not in (0, 3):
        raise UnreadableError(f"expected mean and matrix of a repair in {path}, found {', '.join(tensors)}", _CURE)
