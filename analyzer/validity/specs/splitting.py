"""Splitting: an axis in parts, or one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    LENGTH,
    axis_index,
    need_not_negative,
    need_positive,
    replaced,
    target_of,
)
from analyzer.validity.terms import Poly, Term, ceil_div, equal, floor_div, mod, total

SPLIT_SUM = Rule(
    "split-sum", Category.INCOMPATIBLE_SHAPE, "the parts {parts} do not add up to the {size} of axis {axis}", ("split",)
)
SPLIT_EQUAL = Rule(
    "split-equal",
    Category.INCOMPATIBLE_SHAPE,
    "axis {axis} of size {size} cannot be cut into {count} equal parts",
    ("split",),
)


def parted(case: Case, x: TensorType, axis: int, parts: Sequence[Term]) -> tuple[TensorType, ...]:
    """Cut an axis into parts of given sizes, which must add up."""
    for part in parts:
        need_not_negative(case, part=part)
    size = x.dims[axis]
    case.require(SPLIT_SUM, equal(total(parts), size), parts=tuple(parts), size=size, axis=axis)
    return tuple(x.with_shape(replaced(x.dims, axis, part)) for part in parts)


def halved(case: Case, x: TensorType, axis: int, count: int) -> tuple[TensorType, ...]:
    """Cut an axis into `count` equal parts."""
    need_positive(case, parts=count)
    size = x.dims[axis]
    case.require(SPLIT_EQUAL, equal(mod(size, count), 0), axis=axis, size=size, count=count)
    return tuple(x.with_shape(replaced(x.dims, axis, floor_div(size, count))) for _ in range(count))


@define("onnx", "Split")
def onnx_split(
    case: Case,
    x: TensorType,
    split: TensorType | None = None,
    /,
    *,
    axis: int = 0,
    num_outputs: int | None = None,
    outputs: int | None = None,
    **old: Any,
) -> tuple[TensorType, ...]:
    """ONNX Split; `outputs` is the number of outputs that the node has."""
    place = axis_index(case, axis, x.rank)
    stated = old.get("split") if split is None else target_of(split)
    if stated is not None:
        if outputs is not None:
            case.require(LENGTH, len(stated) == outputs, name="split", actual=len(stated), expected=outputs)
        return parted(case, x, place, tuple(stated))
    if num_outputs is not None:
        need_positive(case, num_outputs=num_outputs)
    count = num_outputs or outputs
    if split is not None or count is None:
        return tuple(x.with_shape(replaced(x.dims, place, case.fresh("part"))) for _ in range(outputs or 0))
    if not case.at_least(18):
        return halved(case, x, place, count)
    size = x.dims[place]
    chunk = ceil_div(size, count)
    last = size - chunk * (count - 1)
    case.require(SPLIT_EQUAL, last >= 0, axis=place, size=size, count=count)
    return tuple(x.with_shape(replaced(x.dims, place, chunk if i < count - 1 else last)) for i in range(count))


def _whole_parts(size: Any, step: Any) -> int | None:
    """How many parts of `step` make up the size, where that is a small multiple of it whatever the step is."""
    if not isinstance(size, Poly) or not isinstance(step, Poly):
        return None
    return next((n for n in range(1, MOST_PARTS + 1) if equal(size, n * step) is True), None)


def _with_rest(size: Any, step: Any) -> tuple[int, int] | None:
    """How many parts of `step` there are, and how large the rest behind them is: no larger than any step."""
    if not isinstance(size, Poly) or not isinstance(step, Poly):
        return None
    for parts in range(1, MOST_PARTS):
        rest = size - parts * step
        if isinstance(rest, Poly) and not rest.symbols:
            rest = rest.constant
        if isinstance(rest, int) and 0 < rest <= max(1, step.interval.lo):  # a step is positive
            return parts, rest
    return None


MOST_PARTS = 16  # of a size that is no number


@define("torch", "split")
def torch_split(case: Case, x: TensorType, *, split_size_or_sections: Any, dim: Any = 0) -> tuple[TensorType, ...]:
    """``torch.split`` by sections or by size."""
    axis = axis_index(case, dim, x.rank, "dim")
    if isinstance(split_size_or_sections, (tuple, list)):
        return parted(case, x, axis, split_size_or_sections)
    need_positive(case, split_size=split_size_or_sections)
    parts = _whole_parts(x.dims[axis], split_size_or_sections)
    if parts is not None:
        return (x.with_shape(replaced(x.dims, axis, split_size_or_sections)),) * parts
    rest = _with_rest(x.dims[axis], split_size_or_sections)
    if rest is not None:
        whole = x.with_shape(replaced(x.dims, axis, split_size_or_sections))
        return (*(whole,) * rest[0], x.with_shape(replaced(x.dims, axis, rest[1])))
    size, step = case.concrete(x.dims[axis]), case.concrete(split_size_or_sections)
    return tuple(x.with_shape(replaced(x.dims, axis, min(step, size - i))) for i in range(0, size, step)) or (x,)


@define("torch", "chunk")
def torch_chunk(case: Case, x: TensorType, *, chunks: Any, dim: Any = 0) -> tuple[TensorType, ...]:
    """``torch.chunk``: the last part may be smaller, and there may be fewer."""
    need_positive(case, chunks=chunks)
    axis = axis_index(case, dim, x.rank, "dim")
    if equal(mod(x.dims[axis], chunks), 0) is True:
        return halved(case, x, axis, case.concrete(chunks))
    step = ceil_div(case.concrete(x.dims[axis]), case.concrete(chunks))
    parts: tuple[TensorType, ...] = torch_split(case, x, split_size_or_sections=max(1, step), dim=dim)
    return parts


@define("torch", "unbind")
def torch_unbind(case: Case, x: TensorType, *, dim: Any = 0) -> tuple[TensorType, ...]:
    """``torch.unbind``."""
    axis = axis_index(case, dim, x.rank, "dim")
    return (x.with_shape((*x.dims[:axis], *x.dims[axis + 1 :])),) * case.concrete(x.dims[axis])


@define("tf", "Split")
def tf_split(case: Case, axis: TensorType, x: TensorType, *, num_split: int, **_others: Any) -> tuple[TensorType, ...]:
    """GraphDef Split: equal parts."""
    value = axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if value is None:
        return (TensorType(None, x.dtype),) * num_split
    return halved(case, x, axis_index(case, value, x.rank), num_split)


@define("tf", "SplitV")
def tf_split_v(
    case: Case, x: TensorType, sizes: TensorType, axis: TensorType, *, num_split: int, **_others: Any
) -> tuple[TensorType, ...]:
    """GraphDef SplitV: given sizes, one of which may be −1."""
    parts, value = target_of(sizes), axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if parts is None or value is None:
        return (TensorType(None, x.dtype),) * num_split
    place = axis_index(case, value, x.rank)
    open_parts = [i for i, p in enumerate(parts) if case.is_sentinel(p, -1)]
    if open_parts:
        rest = total(p for i, p in enumerate(parts) if i != open_parts[0])
        parts = tuple(x.dims[place] - rest if i == open_parts[0] else p for i, p in enumerate(parts))
    return parted(case, x, place, parts)


@define("tf", "Unpack")
def tf_unpack(case: Case, x: TensorType, *, num: int, axis: int = 0, **_others: Any) -> tuple[TensorType, ...]:
    """GraphDef Unpack (``tf.unstack``)."""
    place = axis_index(case, axis, x.rank)
    case.require(SPLIT_EQUAL, equal(x.dims[place], num), axis=place, size=x.dims[place], count=num)
    return (TensorType((*x.dims[:place], *x.dims[place + 1 :]), x.dtype),) * num
