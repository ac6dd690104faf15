"""One tensor of a checkpoint, read when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import onnx_ir as ir


class Weight(NamedTuple):
    """One tensor of a checkpoint. `array()` reads it; where the format allows, that is a view of the mapped file."""

    dtype: ir.DataType
    shape: tuple[int, ...]
    array: Callable[[], np.ndarray]


def lazy_tensor(weight: Weight, name: str) -> ir.LazyTensor:
    """`weight` as a tensor of the IR that is read when it is looked at, and not kept."""

    def read() -> ir.TensorProtocol:
        return ir.Tensor(np.asarray(weight.array(), order="C"), dtype=weight.dtype, name=name)

    return ir.LazyTensor(read, dtype=weight.dtype, shape=ir.Shape(weight.shape), name=name)


def view_as(data: np.ndarray, dtype: ir.DataType, shape: tuple[int, ...]) -> np.ndarray:
    """Bytes as a little-endian tensor, without a copy where they are aligned well enough for NumPy."""
    return np.frombuffer(data, dtype.numpy().newbyteorder("<"), count=math.prod(shape)).reshape(shape)
