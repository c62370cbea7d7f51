"""The pickle inside a PyTorch checkpoint, read by an interpreter of our own that can build nothing but plain values.

Python's pickle calls whatever a file names. This one knows the opcodes that containers, numbers and strings need, and
the handful of names by which PyTorch spells a tensor; any other opcode or name is refused by name, and nothing is ever
imported or called. Tensors come out as `Placed`: which storage, where in it, which shape.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from armillary.errors import UnreadableError

_LARGEST_STACK = 1 << 20
# storage classes and dtypes of torch, by our spelling of the number type
TYPES: dict[str, str] = {
    "FloatStorage": "F32", "HalfStorage": "F16", "BFloat16Storage": "BF16", "DoubleStorage": "F64",
    "LongStorage": "I64", "IntStorage": "I32", "ShortStorage": "I16", "CharStorage": "I8", "ByteStorage": "U8",
    "BoolStorage": "BOOL", "UntypedStorage": "", "float32": "F32", "float16": "F16", "bfloat16": "BF16",
    "float64": "F64", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL",
    "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "uint16": "U16", "uint32": "U32", "uint64": "U64",
    "ComplexFloatStorage": "C64", "complex64": "C64",
}  # fmt: skip


@dataclass(frozen=True)
class Named:
    """A name of the allow-list, standing for the thing of that name."""

    name: str


@dataclass(frozen=True)
class Storage:
    """A storage by its key in the archive: its number type (empty for untyped) and how many it claims to hold."""

    key: str
    stored: str
    count: int


@dataclass(frozen=True)
class Placed:
    """A tensor: `offset` and `strides` count numbers of type `stored` in the storage."""

    storage: Storage
    stored: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def contiguous(self) -> bool:
        """Whether its numbers lie one after the other, rows first."""
        return all(s == prod(self.shape[i + 1 :]) or self.shape[i] == 1 for i, s in enumerate(self.strides))


class Refused(Exception):
    """Something in the pickle that is not on the list; the text names it."""


def read_pickle(data: bytes, name: str) -> Any:
    """The value of a pickle: dicts, lists, tuples, plain values and `Placed` tensors. UnreadableError for all else."""
    try:
        return _Machine(data).run()
    except Refused as error:
        raise UnreadableError(
            f"expected nothing but tensors in the PyTorch checkpoint {name}, found {error}",
            "save model.state_dict() alone, or convert it to safetensors",
        ) from error
    except (IndexError, ValueError, TypeError, KeyError, AttributeError, struct.error, OverflowError) as error:
        raise UnreadableError(
            f"the pickle in the PyTorch checkpoint {name} is corrupt: {str(error)[:100]}", "copy it again"
        ) from error


_MARK = object()


class _Machine:
    """The stack machine of pickle, cut down to values."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> Any:
        while True:
            code = self.take(1)[0]
            if code == 0x2E:  # STOP
                return self.stack.pop()
            step = _OPCODES.get(code)
            if step is None:
                raise Refused(f"the pickle opcode {code:#04x} at byte {self.at - 1:,}")
            step(self)
            if len(self.stack) > _LARGEST_STACK:
                raise Refused(f"more than {_LARGEST_STACK:,} values on its stack")

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise ValueError(f"it ends at byte {len(self.data):,}, where {count:,} more bytes were expected")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size: int, signed: bool = False) -> int:
        return int.from_bytes(self.take(size), "little", signed=signed)

    def line(self) -> str:
        end = self.data.index(b"\n", self.at)
        text = self.data[self.at : end].decode("utf-8", "backslashreplace")
        self.at = end + 1
        return text

    def since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise ValueError("a mark is missing")
        values = self.stack[at + 1 :]
        del self.stack[at:]
        return values

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def text(self, size: int) -> None:
        self.push(self.take(self.number(size)).decode("utf-8", "surrogatepass"))

    def raw(self, size: int) -> None:
        self.push(self.take(self.number(size)))

    def put(self, key: int) -> None:
        self.memo[key] = self.stack[-1]

    def tuple_of(self, count: int) -> None:
        values = tuple(self.stack[-count:])
        if len(values) < count:
            raise ValueError("a tuple lacks its values")
        del self.stack[-count:]
        self.push(values)

    def append(self, values: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise ValueError(f"values are appended to {_kind(target)}")
        target.extend(values)

    def items(self, values: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict or len(values) % 2:
            raise ValueError(f"items are set in {_kind(target)}")
        target.update(zip(values[::2], values[1::2], strict=True))

    def pair(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.items([key, value])

    def one(self) -> None:
        value = self.stack.pop()
        self.append([value])

    def globals(self, module: str, name: str) -> None:
        full = f"{module}.{name}"
        if full not in _CALLS and not (module in ("torch", "torch.storage") and name in TYPES):
            raise Refused(f"the name {full[:100]}")
        self.push(Named(full))

    def global_line(self) -> None:
        module = self.line()
        self.globals(module, self.line())

    def stack_global(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.globals(str(module), str(name))

    def reduce(self) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        call = _CALLS.get(function.name) if isinstance(function, Named) else None
        if call is None or type(arguments) is not tuple:
            raise Refused(f"a call of {function.name if isinstance(function, Named) else _kind(function)}")
        self.push(call(*arguments))

    def build(self) -> None:
        """Attributes of an OrderedDict (`_metadata`), which say nothing about a tensor, are dropped."""
        self.stack.pop()
        if type(self.stack[-1]) is not dict:
            raise Refused(f"attributes set on {_kind(self.stack[-1])}")

    def persistent(self) -> None:
        kind, storage, key, _, count = self.stack.pop()[:5]
        if kind != "storage" or not isinstance(storage, Named):
            raise Refused("a persistent id that is no storage")
        self.push(Storage(str(key), TYPES[storage.name.rpartition(".")[2]], _natural(count)))


def _kind(value: Any) -> str:
    return value.name if isinstance(value, Named) else type(value).__name__


def _natural(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise ValueError(f"expected a count, found {value!r:.40}")
    return value


def _tensor(storage: Any, offset: Any, shape: Any, strides: Any, *rest: Any, stored: str = "") -> Placed:
    if not isinstance(storage, Storage):
        raise ValueError("a tensor has no storage")
    sizes = tuple(map(_natural, shape)), tuple(map(_natural, strides))
    if len(sizes[0]) != len(sizes[1]):
        raise ValueError("a tensor has more sizes than strides")
    return Placed(storage, stored or storage.stored, _natural(offset), *sizes)


def _tensor_v3(
    storage: Any, offset: Any, shape: Any, strides: Any, grad: Any, hooks: Any, dtype: Any, *_: Any
) -> Placed:
    stored = TYPES[dtype.name.rpartition(".")[2]]
    return _tensor(storage, offset, shape, strides, stored=stored)


def _first(value: Any, *rest: Any) -> Any:
    return value


def _no_arguments(*arguments: Any) -> dict[Any, Any]:
    return dict(*arguments) if arguments and type(arguments[0]) in (dict, list) else {}


_CALLS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _tensor_v3,
    "torch._utils._rebuild_parameter": _first,
    "torch._utils._rebuild_parameter_with_state": _first,
    "collections.OrderedDict": _no_arguments,
    "torch.Size": tuple,
    "torch.device": lambda *where: ":".join(map(str, where)),
}


_OPCODES: dict[int, Callable[[_Machine], Any]] = {
    0x80: lambda m: m.take(1),  # PROTO
    0x95: lambda m: m.take(8),  # FRAME
    0x28: lambda m: m.push(_MARK),
    0x30: lambda m: m.stack.pop(),  # POP
    0x31: lambda m: m.since_mark(),  # POP_MARK
    0x4E: lambda m: m.push(None),
    0x88: lambda m: m.push(True),
    0x89: lambda m: m.push(False),
    0x4A: lambda m: m.push(m.number(4, signed=True)),  # BININT
    0x4B: lambda m: m.push(m.number(1)),
    0x4D: lambda m: m.push(m.number(2)),
    0x8A: lambda m: m.push(m.number(m.number(1), signed=True)),  # LONG1
    0x47: lambda m: m.push(struct.unpack(">d", m.take(8))[0]),  # BINFLOAT
    0x58: lambda m: m.text(4),  # BINUNICODE
    0x8C: lambda m: m.text(1),
    0x8D: lambda m: m.text(8),
    0x54: lambda m: m.raw(4),  # BINSTRING
    0x55: lambda m: m.raw(1),
    0x42: lambda m: m.raw(4),  # BINBYTES
    0x43: lambda m: m.raw(1),
    0x8E: lambda m: m.raw(8),
    0x71: lambda m: m.put(m.number(1)),  # BINPUT
    0x72: lambda m: m.put(m.number(4)),
    0x94: lambda m: m.put(len(m.memo)),  # MEMOIZE
    0x68: lambda m: m.push(m.memo[m.number(1)]),  # BINGET
    0x6A: lambda m: m.push(m.memo[m.number(4)]),
    0x29: lambda m: m.push(()),
    0x5D: lambda m: m.push([]),
    0x7D: lambda m: m.push({}),
    0x8F: lambda m: m.push([]),  # EMPTY_SET: a list will do
    0x74: lambda m: m.push(tuple(m.since_mark())),
    0x85: lambda m: m.tuple_of(1),
    0x86: lambda m: m.tuple_of(2),
    0x87: lambda m: m.tuple_of(3),
    0x6C: lambda m: m.push(m.since_mark()),  # LIST
    0x61: _Machine.one,
    0x65: lambda m: m.append(m.since_mark()),
    0x90: lambda m: m.append(m.since_mark()),  # ADDITEMS
    0x73: _Machine.pair,
    0x75: lambda m: m.items(m.since_mark()),
    0x63: _Machine.global_line,
    0x93: _Machine.stack_global,
    0x52: _Machine.reduce,
    0x62: _Machine.build,
    0x51: _Machine.persistent,
}
