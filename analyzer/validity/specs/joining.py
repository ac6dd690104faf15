"""Joining tensors along an axis, or along a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.broadcasting import promoted
from analyzer.validity.specs.common import (
    AXIS,
    axis_index,
    is_plain,
    need_same_shape,
    replaced,
    same_dtype,
)
from analyzer.validity.terms import (
    equal,
    total,
)

CONCAT_RANK = Rule(
    "concat-rank",
    Category.INCOMPATIBLE_SHAPE,
    "operand {index} has {rank} dimensions ({shape}) but operand 0 has {first}",
)
CONCAT_SIZE = Rule(
    "concat-size",
    Category.INCOMPATIBLE_SHAPE,
    "dimension {axis} of operand {index} is {size} but of operand 0 it is {expected}; only axis {joined} may differ",
    ("axis",),
)
CONCAT_LAYOUT = Rule(
    "concat-format", Category.UNSUPPORTED_FORMAT, "operand {index} is {format} but operand 0 is {first}"
)
NOTHING = Rule("operands", Category.INCOMPATIBLE_SHAPE, "there is nothing to join")


def concatenated(
    case: Case, tensors: Sequence[TensorType], axis: Any, *, promote: bool = False, name: str = "axis"
) -> TensorType:
    """Join along `axis`; all other sizes must agree."""
    case.require(NOTHING, len(tensors) > 0)
    first = tensors[0]
    rank = first.rank
    place = axis_index(case, axis, rank, name)
    if not promote:
        same_dtype(case, *((f"operand {i}", t) for i, t in enumerate(tensors)))
    dtype = first.dtype
    for index, tensor in enumerate(tensors[1:], 1):
        case.require(CONCAT_RANK, tensor.rank == rank, index=index, rank=tensor.rank, shape=tensor.dims, first=rank)
        ok = tensor.format in (None, first.format) or first.format is None
        case.require(CONCAT_LAYOUT, ok, index=index, format=tensor.format, first=first.format)
        dtype = promoted(dtype, tensor.dtype) if promote else dtype or tensor.dtype
        for i, (a, b) in enumerate(zip(first.dims, tensor.dims, strict=True)):
            if i != place:
                case.require(CONCAT_SIZE, equal(a, b), axis=i, index=index, size=b, expected=a, joined=place)
    joined = first.with_shape(replaced(first.dims, place, total(t.dims[place] for t in tensors)), dtype)
    values = [t.value for t in tensors]
    if rank == 1 and all(isinstance(v, tuple) for v in values):
        return TensorType(joined.shape, dtype, value=tuple(x for v in values for x in v))
    return joined


@define("onnx", "Concat")
def onnx_concat(case: Case, *tensors: TensorType, axis: int = 1) -> TensorType:
    """ONNX Concat."""
    return concatenated(case, tensors, axis)


@define("torch", "cat", "concat", "concatenate")
def torch_cat(case: Case, *tensors: TensorType, dim: Any = 0) -> TensorType:
    """``torch.cat``: element types are promoted; an empty vector joins anything."""
    real = [t for t in tensors if not (t.rank == 1 and is_plain(t.dims[0]) and t.dims[0] == 0)]
    return concatenated(case, real or tensors, dim, promote=True, name="dim")


@define("keras", "Concatenate")
def keras_concatenate(case: Case, *tensors: TensorType, axis: Any = -1) -> TensorType:
    """``keras.layers.Concatenate``: element types are promoted."""
    case.require(NOTHING, len(tensors) >= 1)
    return concatenated(case, tensors, axis, promote=True)


@define("tf", "ConcatV2")
def tf_concat(case: Case, *operands: TensorType, **_others: Any) -> TensorType:
    """GraphDef ConcatV2: the last operand is the axis."""
    *tensors, axis = operands
    value = axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if value is None:
        return TensorType(None, tensors[0].dtype)
    if all(t.rank == 0 for t in tensors):
        case.require(AXIS, False, axis=value, rank=0)
    return concatenated(case, tensors, value)


def stacked(case: Case, tensors: Sequence[TensorType], axis: Any, name: str) -> TensorType:
    """Join along a new axis; all shapes must agree."""
    case.require(NOTHING, len(tensors) > 0)
    for index, tensor in enumerate(tensors[1:], 1):
        need_same_shape(case, tensors[0], tensor, ("operand 0", f"operand {index}"))
    place = axis_index(case, axis, tensors[0].rank + 1, name)
    dims = tensors[0].dims
    values = tuple(t.value for t in tensors)
    value = values if not dims and all(v is not None and not isinstance(v, tuple) for v in values) else None
    return TensorType((*dims[:place], len(tensors), *dims[place:]), tensors[0].dtype, value=value)


@define("torch", "stack")
def torch_stack(case: Case, *tensors: TensorType, dim: Any = 0) -> TensorType:
    """``torch.stack``."""
    return stacked(case, tensors, dim, "dim")


@define("tf", "Pack")
def tf_pack(case: Case, *tensors: TensorType, axis: int = 0, **_others: Any) -> TensorType:
    """GraphDef Pack (``tf.stack``)."""
    same_dtype(case, *((f"operand {i}", t) for i, t in enumerate(tensors)))
    return stacked(case, tensors, axis, "axis")
