"""Numbers at which arithmetic complains (signalling NaN, ∞ × 0, what overflows): every reader hands them on in silence.

The fuzzer found the first of them in Model2Vec's weights. pytest turns warnings into errors, so a reader that complains
fails here; that the rows are non-finite is told by the row facts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

from armillary.formats import open_table
from test_formats_doors import onnx_model, supervised

SIGNALLING = {2: 0x7C01, 4: 0x7F800001, 8: 0x7FF0000000000001}  # NaN whose quiet bit is not set


def hostile(kind: str) -> np.ndarray:
    """Rows of a signalling NaN, of the type's largest number and infinity, of plain numbers, of zeros."""
    dtype = np.dtype(kind)
    rows = np.array([[1, 1, 1], [1, np.finfo(dtype).max, np.inf], [1, 2, 3], [0, 0, 0]], dtype)
    rows.view(f"u{dtype.itemsize}")[0, 1] = SIGNALLING[dtype.itemsize]
    return rows


def npy(folder: Path, kind: str) -> Path:
    np.save(folder / "rows.npy", hostile(kind))
    return folder / "rows.npy"


def safetensors(folder: Path, kind: str) -> Path:
    save_file({"embedding.weight": hostile(kind)}, str(folder / "model.safetensors"))
    return folder / "model.safetensors"


def parquet(folder: Path, kind: str) -> Path:
    column = pa.FixedSizeListArray.from_arrays(pa.array(hostile(kind).ravel()), 3)
    pq.write_table(pa.table({"v": column}), folder / "rows.parquet")
    return folder / "rows.parquet"


def model2vec(folder: Path, kind: str) -> Path:
    weights = np.array([0, 1, 2, 1], kind)
    save_file({"embeddings": hostile("f4"), "weights": weights}, str(folder / "model.safetensors"))
    return folder / "model.safetensors"


def model2vec_weights(folder: Path, kind: str) -> Path:
    weights = hostile(kind)[[0, 1, 2, 1], [1, 2, 0, 1]]  # NaN, ∞, 1, the largest
    save_file({"embeddings": np.eye(4, 3, dtype=np.float32), "weights": weights}, str(folder / "model.safetensors"))
    return folder / "model.safetensors"


def onnx_scales(folder: Path, kind: str) -> Path:
    from onnx import helper, numpy_helper

    scales = hostile(kind)[[0, 1, 2, 1], [1, 2, 0, 1], None]
    whole = np.array([[1, 0, 2], [0, 1, 1], [1, 2, 3], [0, 0, 0]], np.int8)
    nodes = [helper.make_node("Cast", ["q"], ["f"], to=1), helper.make_node("Mul", ["f", "s"], ["embed.weight"])]
    return onnx_model(folder, numpy_helper.from_array(whole, "q"), numpy_helper.from_array(scales, "s"), nodes=nodes)


def fasttext(folder: Path, kind: str) -> Path:
    (folder / "model").write_bytes(supervised(rows=hostile(kind), buckets=2))
    return folder / "model"


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        *((write, kind) for write in (npy, safetensors, parquet) for kind in ("f2", "f4", "f8")),
        (model2vec, "f4"),
        (model2vec_weights, "f4"),
        (model2vec_weights, "f8"),
        (onnx_scales, "f4"),
        (fasttext, "f4"),
    ],
)
def test_hostile_numbers_are_read_in_silence(tmp_path: Path, write: Callable[[Path, str], Path], kind: str) -> None:
    table = open_table(write(tmp_path, kind))
    rows = table.vectors.block(0, len(table))
    np.testing.assert_array_equal(table.rows(range(len(table))), rows)
    assert np.isnan(rows[0]).any()
    assert table.row_facts.non_finite.tolist() == np.flatnonzero(~np.isfinite(rows).all(axis=1)).tolist()
