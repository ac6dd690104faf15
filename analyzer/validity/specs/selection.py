"""Picking by value: one-hot, the largest, the unique, what is not zero."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    AXIS,
    LENGTH,
    RANK,
    axis_index,
    is_plain,
    need_dtype,
    need_min_rank,
    need_not_negative,
    need_rank,
    replaced,
    same_dtype,
)
from analyzer.validity.specs.indexing import GATHER_SIZE
from analyzer.validity.terms import (
    equal,
)

TOP_K = Rule("top-k", Category.IMPROPER_VALUE, "k = {k} is larger than the {size} elements of axis {axis}", ("k",))


@define("onnx", "OneHot")
def onnx_one_hot(
    case: Case, indices: TensorType, depth: TensorType, values: TensorType, *, axis: int = -1
) -> TensorType:
    """ONNX OneHot: a new axis of `depth`."""
    if depth.shape is not None:
        ok = depth.rank == 0 or depth.dims == (1,)
        case.require(RANK, ok, operand="the depth", expected="0 or 1 element", rank=depth.rank, shape=depth.dims)
    if values.shape is not None:
        need_rank(case, values, 1, operand="the values")
        case.require(LENGTH, equal(values.dims[0], 2), name="values", actual=values.dims[0], expected=2)
    place = axis_index(case, axis, indices.rank + 1)
    count = depth.value[0] if isinstance(depth.value, tuple) else depth.value
    size = case.fresh("depth") if count is None else count
    return TensorType((*indices.dims[:place], size, *indices.dims[place:]), values.dtype)


@define("tf", "OneHot")
def tf_one_hot(
    case: Case,
    indices: TensorType,
    depth: TensorType,
    on: TensorType,
    off: TensorType,
    *,
    axis: int = -1,
    **_others: Any,
) -> TensorType:
    """GraphDef OneHot."""
    same_dtype(case, ("the on value", on), ("the off value", off))
    place = axis_index(case, axis, indices.rank + 1)
    count = depth.value[0] if isinstance(depth.value, tuple) else depth.value
    size = case.fresh("depth") if count is None else count
    case.require(NON_NEGATIVE_DEPTH, size >= 0, depth=size)
    return TensorType((*indices.dims[:place], size, *indices.dims[place:]), on.dtype)


NON_NEGATIVE_DEPTH = Rule("depth", Category.ILLEGAL_VALUE, "the depth is {depth}; it must not be negative", ("depth",))


@define("torch", "one_hot")
def torch_one_hot(case: Case, x: TensorType, *, num_classes: Any = -1) -> TensorType:
    """``functional.one_hot``."""
    need_dtype(case, x, ("int64",))
    size = case.fresh("classes", 1) if is_plain(num_classes) and num_classes == -1 else num_classes
    return TensorType((*x.dims, size), "int64")


def topped(case: Case, x: TensorType, k: Any, axis: int) -> tuple[TensorType, ...]:
    """Largest elements along an axis: values and indices."""
    size = case.fresh("k") if k is None else k
    if k is not None:
        need_not_negative(case, k=k)
        case.require(TOP_K, k <= x.dims[axis], k=k, size=x.dims[axis], axis=axis)
    shape = replaced(x.dims, axis, size)
    return TensorType(shape, x.dtype), TensorType(shape, "int64")


@define("onnx", "TopK")
def onnx_top_k(
    case: Case, x: TensorType, k: TensorType | None = None, /, *, axis: int = -1, **old: Any
) -> tuple[TensorType, ...]:
    """ONNX TopK: k is an operand since opset 10."""
    count = old.get("k") if k is None else k.value[0] if isinstance(k.value, tuple) else k.value
    return topped(case, x, count, axis_index(case, axis, x.rank))


@define("torch", "topk", "kthvalue")
def torch_topk(case: Case, x: TensorType, *, k: Any, dim: Any = -1, **_others: Any) -> tuple[TensorType, ...]:
    """``torch.topk``."""
    if x.rank == 0:
        return x, TensorType((), "int64")
    return topped(case, x, k, axis_index(case, dim, x.rank, "dim"))


@define("tf", "TopKV2")
def tf_top_k(case: Case, x: TensorType, k: TensorType, **_others: Any) -> tuple[TensorType, ...]:
    """GraphDef TopKV2: along the last axis."""
    need_min_rank(case, x, 1)
    values, indices = topped(case, x, k.value, x.rank - 1)
    return values, TensorType(indices.shape, "int32")


@define("onnx", "NonZero")
def onnx_non_zero(case: Case, x: TensorType) -> TensorType:
    """ONNX NonZero: (rank, count)."""
    return TensorType((x.rank, case.fresh("count")), "int64")


@define("onnx", "ReverseSequence")
def onnx_reverse_sequence(
    case: Case, x: TensorType, lengths: TensorType, *, batch_axis: int = 1, time_axis: int = 0
) -> TensorType:
    """ONNX ReverseSequence: the first two axes are batch and time, in either order."""
    need_min_rank(case, x, 2)
    need_rank(case, lengths, 1, operand="the lengths")
    need_dtype(case, lengths, ("int64",), "the lengths")
    ok = {batch_axis, time_axis} == {0, 1}
    case.require(AXIS, ok, axis=batch_axis, rank=2)
    size = x.dims[batch_axis]
    case.require(GATHER_SIZE, equal(lengths.dims[0], size), index=lengths.dims[0], axis=batch_axis, size=size)
    return x


@define("onnx", "Unique")
def onnx_unique(case: Case, x: TensorType, *, axis: int | None = None, sorted: int = 1) -> tuple[TensorType, ...]:
    """ONNX Unique."""
    count = case.fresh("distinct")
    if axis is None:
        values = TensorType((count,), x.dtype)
    else:
        values = TensorType(replaced(x.dims, axis_index(case, axis, x.rank), count), x.dtype)
    return values, *(TensorType((case.fresh("distinct"),), "int64") for _ in range(3))
