"""Weights saved by ``torch.save``, in the zip form or the legacy one: tensors are views of the file, nothing is called.

The layout is that of ``torch/serialization.py``; tensors are calls of ``torch._utils._rebuild_tensor_v2``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.archives import Archive, open_archive
from analyzer.loading.files import head_of, map_file, shown
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.pickles import Global, Persistent, PickledCall, PickleProblem, read_pickle
from analyzer.loading.weight import Weight
from analyzer.problem import TargetProblem

STORAGES = {
    "FloatStorage": "FLOAT", "DoubleStorage": "DOUBLE", "HalfStorage": "FLOAT16", "BFloat16Storage": "BFLOAT16",
    "LongStorage": "INT64", "IntStorage": "INT32", "ShortStorage": "INT16", "CharStorage": "INT8",
    "ByteStorage": "UINT8", "BoolStorage": "BOOL", "ComplexFloatStorage": "COMPLEX64",
    "ComplexDoubleStorage": "COMPLEX128", "UntypedStorage": "UINT8",
}  # fmt: skip
DTYPES = {
    "float32": "FLOAT", "float64": "DOUBLE", "float16": "FLOAT16", "bfloat16": "BFLOAT16", "int64": "INT64",
    "int32": "INT32", "int16": "INT16", "int8": "INT8", "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32",
    "uint64": "UINT64", "bool": "BOOL", "complex64": "COMPLEX64", "complex128": "COMPLEX128",
    "float8_e4m3fn": "FLOAT8E4M3FN", "float8_e4m3fnuz": "FLOAT8E4M3FNUZ", "float8_e5m2": "FLOAT8E5M2",
    "float8_e5m2fnuz": "FLOAT8E5M2FNUZ", "float8_e8m0fnu": "FLOAT8E8M0",
}  # fmt: skip
_STATES = ("state_dict", "model_state_dict", "model_state", "model", "net", "network", "module", "weights", "params")
_MAGIC = 0x1950A86A20F9469CFC6C  # the first number in a file of the legacy format (torch.serialization.MAGIC_NUMBER)


def open_torch(path: Path, limits: Limits = DEFAULT) -> dict[str, Weight]:
    """All tensors in the file by the path of keys that leads to them, joined by dots.

    Where a checkpoint keeps the model beside other things (under ``state_dict``, ``model``…), the model's names stand
    for themselves.

    Raises:
        TargetProblem: damaged, cut off, or a plain pickle without tensors.
    """
    try:
        if head_of(path, 4) == b"PK\x03\x04":
            return _open_zip(path, limits)
        return _open_legacy(path, limits)
    except PickleProblem as error:
        raise TargetProblem(f"the pickle in {shown(path)} cannot be read: {error}.") from None


def _open_zip(path: Path, limits: Limits) -> dict[str, Weight]:
    with open_archive(path, limits) as archive:
        value, storages = _contents(archive, limits)
    return _weights(value, storages, path, limits)


def _contents(archive: Archive, limits: Limits) -> tuple[Any, dict[str, np.ndarray]]:
    """The pickle of an archive of `torch.save`, and the bytes of its storages by key."""
    path = archive.path
    found = [name for name in archive.names if name == "data.pkl" or name.endswith("/data.pkl")]
    if not found:
        raise TargetProblem(f"{shown(path)} has no data.pkl in it; it was not written by torch.save.")
    folder = found[0].removesuffix("data.pkl")
    if f"{folder}byteorder" in archive and archive.read(f"{folder}byteorder", 64).strip() == b"big":
        raise TargetProblem(f"{shown(path)} was written on a big-endian machine, which is not supported.")
    value, _, _ = read_pickle(archive.read(found[0], limits.pickle_size), limits)
    storages = {
        name.removeprefix(f"{folder}data/"): archive.view(name)
        for name in archive.names
        if name.startswith(f"{folder}data/")
    }
    return value, storages


def _open_legacy(path: Path, limits: Limits) -> dict[str, Weight]:
    data = map_file(path, limits)
    position = 0
    values = []
    for _ in range(4):
        head = data[position : position + limits.pickle_size].tobytes()
        value, used, _ = read_pickle(head, limits)
        position += used
        values.append(value)
        if values[0] != _MAGIC:
            raise TargetProblem(
                f"{shown(path)} is a pickle that torch did not write; weights are not read from such files."
            )
    value, used, _ = read_pickle(data[position : position + limits.pickle_size].tobytes(), limits)
    position += used
    sizes = {key: (dtype, count) for key, dtype, count in _storages(values[3])}
    storages: dict[str, np.ndarray] = {}
    for key in value if isinstance(value, list) else []:
        if str(key) not in sizes:
            raise TargetProblem(f"{shown(path)} is damaged: it has a storage that no tensor uses.")
        dtype, count = sizes[str(key)]
        written = int.from_bytes(data[position : position + 8].tobytes(), "little")
        end = position + 8 + count * dtype.numpy().itemsize
        if written != count or end > len(data):
            raise TargetProblem(f"{shown(path)} is cut off: it does not hold all the data it announces.")
        storages[str(key)] = data[position + 8 : end]
        position = end
    return _weights(values[3], storages, path, limits)


def _storages(value: Any) -> Iterator[tuple[str, ir.DataType, int]]:
    for _, item in _walk(value):
        storage = _storage_of(item)
        if storage is not None:
            yield storage


def _storage_of(item: Any) -> tuple[str, ir.DataType, int] | None:
    """Key, type and number of elements of the storage that a tensor is a view of."""
    if not isinstance(item, PickledCall) or not isinstance(item.arguments, tuple) or not item.arguments:
        return None
    persistent = item.arguments[0]
    if not isinstance(persistent, Persistent) or not isinstance(persistent.key, tuple) or len(persistent.key) < 5:
        return None
    _, kind, key, _, count = persistent.key[:5]
    if not isinstance(kind, Global) or kind.name not in STORAGES or type(count) is not int or count < 0:
        return None
    return str(key), ir.DataType[STORAGES[kind.name]], count


@dataclass(frozen=True, eq=False)
class Stored:
    """A tensor as files of torch hold it: a strided view of the bytes of a storage; `offset`, `strides` in elements."""

    data: np.ndarray
    dtype: ir.DataType
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    parameter: bool = False
    gradient: bool = False

    def marked(self, *, parameter: bool, gradient: bool) -> Stored:
        return replace(self, parameter=parameter, gradient=gradient)

    def weight(self) -> Weight:
        read = functools.partial(_strided, self.data, self.dtype, self.offset, self.shape, self.strides)
        return Weight(self.dtype, self.shape, read)


def stored(
    data: np.ndarray, dtype: ir.DataType, offset: Any, shape: Any, strides: Any, what: str, limits: Limits
) -> Stored:
    """The tensor, if its description fits its bytes. Raises `TargetProblem`, in which `what` names it."""
    dims, steps, itemsize = tuple(shape), tuple(strides), dtype.numpy().itemsize
    if any(type(n) is not int or n < 0 for n in (offset, *dims, *steps)) or len(dims) != len(steps):
        raise TargetProblem(f"{what} has an impossible shape.")
    last = offset + sum((d - 1) * s for d, s in zip(dims, steps, strict=True)) if math.prod(dims) else 0
    if math.prod(dims) and (last + 1) * itemsize > len(data):
        raise TargetProblem(f"{what} reaches beyond its {len(data)} bytes; the file is damaged or cut off.")
    if len(dims) > limits.rank or math.prod(dims) * itemsize > limits.tensor_size:
        raise TargetProblem(f"{what} is too large.")
    return Stored(data, dtype, offset, dims, steps)


def read_saved(path: Path, what: str, limits: Limits = DEFAULT) -> Any:
    """A structure that `torch.save` wrote in the zip form: containers and plain values, each tensor a `Stored`.

    Raises:
        TargetProblem: damaged, or it holds anything else.
    """
    with open_archive(path, limits) as archive:
        try:
            value, storages = _contents(archive, limits)
        except PickleProblem as error:
            raise TargetProblem(f"the pickle in {what} cannot be read: {error}.") from None
    return _plain(value, storages, what, limits, limits.depth)


def _plain(value: Any, storages: dict[str, np.ndarray], what: str, limits: Limits, depth: int) -> Any:
    if depth == 0:
        raise TargetProblem(f"{what} is nested too deeply.")
    inner = functools.partial(_plain, storages=storages, what=what, limits=limits, depth=depth - 1)
    if isinstance(value, dict):
        return {key: inner(item) for key, item in value.items()}
    if isinstance(value, list):
        return [inner(item) for item in value]
    if isinstance(value, tuple):
        return tuple(inner(item) for item in value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    function = value.function if isinstance(value, PickledCall) else value
    name = function.name if isinstance(function, Global) else ""
    arguments = value.arguments if isinstance(value, PickledCall) and isinstance(value.arguments, tuple) else ()
    if name in _REBUILD:
        gradient = len(arguments) > 4 and arguments[4] is True
        return _stored(value, storages, f"a tensor in {what}", limits).marked(parameter=False, gradient=gradient)
    if name in _WRAPPERS and arguments:
        tensor = inner(arguments[0])
        if isinstance(tensor, Stored):
            return tensor.marked(parameter=True, gradient=len(arguments) > 1 and arguments[1] is True)
    if str(function) == "torch.Size" and len(arguments) == 1:
        return inner(tuple(arguments[0]))
    raise TargetProblem(f"{what} holds {shown(function, 80)} besides tensors, which is not read.")


_REBUILD = {"_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3"}
_WRAPPERS = {"_rebuild_parameter", "_rebuild_parameter_with_state"}


def _walk(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every tensor's call in a structure, with the keys that lead to it; each object once."""
    seen: set[int] = set()
    stack: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while stack:
        path, item = stack.pop()
        if isinstance(item, dict | list | tuple | PickledCall):
            if id(item) in seen or len(path) > 64:
                continue
            if isinstance(item, dict | list):
                seen.add(id(item))
        if isinstance(item, dict):
            stack.extend(((*path, str(k)), v) for k, v in reversed(item.items()))
        elif isinstance(item, list | tuple):
            if isinstance(item, tuple) and len(item) > 10_000:
                continue
            stack.extend(((*path, str(i)), v) for i, v in reversed(list(enumerate(item))))
        elif isinstance(item, PickledCall):
            name = item.function.name if isinstance(item.function, Global) else ""
            if name in _REBUILD:
                yield path, item
            elif name in _WRAPPERS and isinstance(item.arguments, tuple) and item.arguments:
                stack.append((path, item.arguments[0]))
            else:
                seen.add(id(item))
                stack.append((path, item.items))
                if isinstance(item.state, dict):
                    stack.append((path, item.state))


def _weights(value: Any, storages: dict[str, np.ndarray], path: Path, limits: Limits) -> dict[str, Weight]:
    weights: dict[str, Weight] = {}
    state = next(
        (key for key in _STATES if isinstance(value, dict) and isinstance(value.get(key), dict | PickledCall)), None
    )
    for keys, call in _walk(value):
        inner = keys[1:] if state is not None and keys[:1] == (state,) else keys
        name = ".".join(inner) or "tensor"
        if len(weights) >= limits.tensors or len(name) > limits.name_length:
            raise TargetProblem(f"{shown(path)} has too many tensors, or names that are too long.")
        if name in weights:
            name = ".".join(keys)
        weights[name] = _stored(call, storages, f"the tensor '{shown(name)}' in {shown(path)}", limits).weight()
    if not weights:
        raise TargetProblem(f"{shown(path)} holds no tensors.")
    return weights


def _stored(call: PickledCall, storages: dict[str, np.ndarray], what: str, limits: Limits) -> Stored:
    storage = _storage_of(call)
    arguments = call.arguments
    if storage is None or len(arguments) < 4:
        raise TargetProblem(f"{what} is not stored as torch stores tensors.")
    key, dtype, _ = storage
    offset, shape, strides = arguments[1:4]
    if call.function.name == "_rebuild_tensor_v3" and len(arguments) > 6 and isinstance(arguments[6], Global):
        dtype = ir.DataType[DTYPES.get(arguments[6].name, dtype.name)]
    data = storages.get(key)
    if data is None:
        raise TargetProblem(f"{what} has no data in the file, which is damaged or cut off.")
    return stored(data, dtype, offset, _tuple(shape), _tuple(strides), what, limits)


def _tuple(value: Any) -> tuple[Any, ...]:
    if isinstance(value, PickledCall) and isinstance(value.arguments, tuple) and len(value.arguments) == 1:
        value = value.arguments[0]  # torch.Size((2, 3))
    return tuple(value) if isinstance(value, tuple | list) else (-1,)


def _strided(
    data: np.ndarray, dtype: ir.DataType, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> np.ndarray:
    kind = dtype.numpy().newbyteorder("<")
    if not math.prod(shape):
        return np.zeros(shape, kind)
    flat = np.frombuffer(data, kind, count=len(data) // kind.itemsize)[offset:]
    steps = tuple(s * kind.itemsize for s in strides)
    return np.lib.stride_tricks.as_strided(flat, shape, steps, writeable=False)
