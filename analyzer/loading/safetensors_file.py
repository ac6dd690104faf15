"""safetensors: a JSON header with offsets, then raw data (format: github.com/huggingface/safetensors)."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any

import onnx_ir as ir

from analyzer.loading.files import map_file, shown, size_text
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.weight import Weight, view_as
from analyzer.problem import TargetProblem

DTYPES = {
    "BOOL": "BOOL", "U8": "UINT8", "I8": "INT8", "I16": "INT16", "U16": "UINT16", "F16": "FLOAT16", "BF16": "BFLOAT16",
    "I32": "INT32", "U32": "UINT32", "F32": "FLOAT", "F64": "DOUBLE", "I64": "INT64", "U64": "UINT64",
    "F8_E4M3": "FLOAT8E4M3FN", "F8_E5M2": "FLOAT8E5M2", "F8_E8M0": "FLOAT8E8M0", "C64": "COMPLEX64",
}  # fmt: skip


def open_safetensors(path: Path, limits: Limits = DEFAULT) -> dict[str, Weight]:
    """All tensors, as views of the mapped file.

    Raises:
        TargetProblem: the header is damaged, or its offsets do not fit the data, overlap or leave holes.
    """
    data = map_file(path, limits)
    where = shown(path)
    length = int.from_bytes(data[:8].tobytes(), "little")
    if length > limits.json_size or length + 8 > len(data):
        raise TargetProblem(
            f"{where} is cut off: its header says {size_text(length)}, the file has {size_text(len(data))}."
        )
    try:
        header = json.loads(data[8 : 8 + length].tobytes(), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise TargetProblem(f"{where} has a damaged header: {shown(error)}.") from None
    if not isinstance(header, dict) or len(header) > limits.tensors:
        raise TargetProblem(f"{where} has a damaged header: a table of at most {limits.tensors} tensors is expected.")
    payload = data[8 + length :]
    weights: dict[str, Weight] = {}
    ranges = []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        try:
            dtype = ir.DataType[DTYPES[entry["dtype"]]]
            shape = tuple(_size(d) for d in entry["shape"])
            begin, end = (_size(d) for d in entry["data_offsets"])
        except (KeyError, TypeError, ValueError):
            raise TargetProblem(f"{where} describes the tensor '{shown(name)}' in a way that is not allowed.") from None
        if len(shape) > limits.rank or end > len(payload) or end - begin != math.prod(shape) * dtype.numpy().itemsize:
            raise TargetProblem(
                f"{where}: the tensor '{shown(name)}' of shape {list(shape)} does not fit its bytes "
                f"{begin} to {end} of {len(payload)}; the file is damaged or cut off."
            )
        ranges.append((begin, end))
        weights[name] = Weight(dtype, shape, functools.partial(view_as, payload[begin:end], dtype, shape))
    position = 0
    for begin, end in sorted(ranges):
        if begin != position:
            raise TargetProblem(f"{where} has tensors that overlap or leave a hole at byte {position}; it is damaged.")
        position = end
    if position != len(payload):
        raise TargetProblem(f"{where} has {len(payload) - position} bytes that belong to no tensor.")
    return weights


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _size(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value
