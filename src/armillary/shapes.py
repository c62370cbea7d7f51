"""Array types that carry dtype and shape, `Float32[np.ndarray, "V d"]`: jaxtyping's, for readers and type checkers.

Nothing asks for them while the program runs (annotations are never evaluated), and importing jaxtyping costs more
time than reading most tables, so that at run time the names stand for themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxtyping import Bool, Float32, Float64, Int8, Int32, Int64, Integer, Num, UInt8, UInt64
else:

    class _Named:
        def __class_getitem__(cls, shape: object) -> type:
            return cls

    Bool = Float32 = Float64 = Int8 = Int32 = Int64 = Integer = Num = UInt8 = UInt64 = _Named

__all__ = ["Bool", "Float32", "Float64", "Int8", "Int32", "Int64", "Integer", "Num", "UInt8", "UInt64"]
