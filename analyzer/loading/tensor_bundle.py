"""TensorFlow checkpoints: an index (a table of LevelDB) and data files, read without TensorFlow.

The table's format is that of LevelDB's ``doc/table_format.md``; entries are ``BundleEntryProto``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
from google.protobuf.message import DecodeError

from analyzer.loading.files import inside, map_file, read_file, shown
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.tensorflow_nodes import dims_of
from analyzer.loading.tensorflow_operators import dtype_of
from analyzer.loading.tensorflow_schema import message_class
from analyzer.loading.weight import Weight, view_as
from analyzer.problem import TargetProblem

MAGIC = b"\x57\xfb\x80\x8b\x24\x75\x47\xdb"
OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"


def index_of(path: Path) -> Path | None:
    """The index file if `path` names a checkpoint: the index itself, a data file's prefix, or a folder's only one."""
    if path.suffix == ".index" and path.is_file():
        return path
    beside = path.with_name(path.name + ".index")
    if beside.is_file() and not path.is_file():
        return beside
    if path.is_dir() and not (path / "saved_model.pb").exists():
        found = sorted(path.glob("*.index"))
        return found[-1] if found else None
    return None


def open_checkpoint(index: Path, limits: Limits = DEFAULT) -> dict[str, Weight]:
    """All tensors by name: the variable's full name where the checkpoint tells it, else the key of the entry.

    Raises:
        TargetProblem: damaged, compressed, or a data file is missing or too short.
    """
    raw = read_entries(index, limits)
    names = _full_names(raw, index)
    weights: dict[str, Weight] = {}
    for key, weight in raw.items():
        if weight.dtype is not ir.DataType.STRING and key != OBJECT_GRAPH:
            weights[names.get(key, key)] = weight
    return weights


def read_entries(index: Path, limits: Limits = DEFAULT) -> dict[str, Weight]:
    """All tensors by the keys of the table."""
    data = read_file(index, limits, limits.json_size)
    where = shown(index)
    try:
        entries = dict(_table(data))
        header = message_class("BundleHeaderProto").FromString(entries.pop(b"", b""))
        protos = {key: message_class("BundleEntryProto").FromString(value) for key, value in entries.items()}
    except (DecodeError, IndexError, ValueError) as error:
        raise TargetProblem(
            f"{where} is not a valid checkpoint index; it is damaged or cut off ({shown(error)})."
        ) from None
    if header.endianness != 0:
        raise TargetProblem(f"{where} was written on a big-endian machine, which is not supported.")
    if len(protos) > limits.tensors or not 0 < header.num_shards < 100_000:
        raise TargetProblem(f"{where} is damaged: {len(protos)} tensors in {header.num_shards} files.")
    shards: dict[int, np.ndarray] = {}
    weights: dict[str, Weight] = {}
    for key, proto in protos.items():
        name = key.decode("utf-8", "backslashreplace")
        if proto.slices or name.startswith("\\x00"):
            continue  # a partitioned variable: its slices stand under keys of their own
        if proto.shard_id not in shards:
            if not 0 <= proto.shard_id < header.num_shards:
                raise TargetProblem(f"{where} is damaged: there is no data file number {proto.shard_id}.")
            file = f"{index.stem}.data-{proto.shard_id:05d}-of-{header.num_shards:05d}"
            shards[proto.shard_id] = map_file(inside(index.parent, file, where), limits)
        weights[name] = _weight(proto, shards[proto.shard_id], f"{where}: '{shown(name)}'")
    return weights


def _weight(proto: Any, shard: np.ndarray, what: str) -> Weight:
    dims, dtype = dims_of(proto.shape), dtype_of(proto.dtype)
    if dims is None or None in dims:
        raise TargetProblem(f"{what} has no definite shape; the checkpoint is damaged.")
    shape = tuple(int(d or 0) for d in dims)
    view = shard[proto.offset : proto.offset + proto.size] if proto.offset >= 0 and proto.size >= 0 else shard[:0]
    if len(view) != proto.size:
        raise TargetProblem(f"{what} lies beyond the end of the data file, which is cut off.")
    if dtype is ir.DataType.STRING:
        return Weight(dtype, shape, functools.partial(_strings, view, shape))
    if dtype is not ir.DataType.UNDEFINED and math.prod(shape) * dtype.numpy().itemsize != proto.size:
        raise TargetProblem(f"{what} has {proto.size} bytes, which do not fit its shape {list(shape)}.")
    return Weight(dtype, shape, functools.partial(view_as, view, dtype, shape))


def _strings(view: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Strings are stored as their lengths, a checksum, and their bytes."""
    data, position, lengths = view.tobytes(), 0, []
    for _ in range(math.prod(shape)):
        length, position = _varint(data, position)
        lengths.append(length)
    position += 4
    values = []
    for length in lengths:
        values.append(data[position : position + length])
        position += length
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)


def _full_names(weights: dict[str, Weight], index: Path) -> dict[str, str]:
    """Key -> name of the variable, from the object graph, where each name occurs once."""
    if OBJECT_GRAPH not in weights or weights[OBJECT_GRAPH].dtype is not ir.DataType.STRING:
        return {}
    try:
        graph = message_class("TrackableObjectGraph").FromString(weights[OBJECT_GRAPH].array().reshape(-1)[0])
    except (DecodeError, IndexError, ValueError):
        raise TargetProblem(f"{shown(index)} has a damaged object graph.") from None
    names: dict[str, str] = {}
    for node in graph.nodes:
        for attribute in node.attributes:
            if attribute.full_name and attribute.checkpoint_key:
                names[attribute.checkpoint_key] = attribute.full_name
    counts: dict[str, int] = {}
    for name in names.values():
        counts[name] = counts.get(name, 0) + 1
    return {key: name for key, name in names.items() if counts[name] == 1 and name not in weights}


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
    raise ValueError("a number is too long")


def _table(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of a table."""
    if len(data) < 48 or data[-8:] != MAGIC:
        raise ValueError("its end is missing")
    footer = data[-48:]
    position = 0
    handles = []
    for _ in range(4):
        value, position = _varint(footer, position)
        handles.append(value)
    for _, handle in _block(data, handles[2], handles[3]):
        offset, position = _varint(handle, 0)
        size, _ = _varint(handle, position)
        yield from _block(data, offset, size)


def _block(data: bytes, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    if offset + size + 5 > len(data) or size < 4:
        raise ValueError("a block lies outside of the file")
    if data[offset + size] != 0:
        raise ValueError("it is compressed, which TensorFlow does not do")
    block = data[offset : offset + size]
    restarts = int.from_bytes(block[-4:], "little")
    end = size - 4 - 4 * restarts
    if end < 0:
        raise ValueError("a block is damaged")
    position, key = 0, b""
    while position < end:
        shared, position = _varint(block, position)
        own, position = _varint(block, position)
        length, position = _varint(block, position)
        if shared > len(key) or position + own + length > end:
            raise ValueError("an entry is damaged")
        key = key[:shared] + block[position : position + own]
        position += own
        yield key, block[position : position + length]
        position += length
