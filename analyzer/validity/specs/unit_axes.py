"""Operators that add and remove axes of size 1: squeeze, unsqueeze, expand_dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import axis_index, axis_indices, is_plain, target_of
from analyzer.validity.terms import Term, equal

SQUEEZE = Rule("squeezed-size", Category.INCOMPATIBLE_SHAPE, "axis {axis} has size {size}; only size 1 can be squeezed")


def squeezed(case: Case, x: TensorType, axes: Sequence[int]) -> tuple[Term, ...]:
    for axis in axes:
        case.require(SQUEEZE, equal(x.dims[axis], 1), axis=axis, size=x.dims[axis])
    return tuple(d for i, d in enumerate(x.dims) if i not in axes)


@define("onnx", "Squeeze")
def onnx_squeeze(case: Case, x: TensorType, axes: TensorType | None = None, /, **old: Any) -> TensorType:
    """ONNX Squeeze: the axes are an operand since opset 13."""
    stated = tuple(old["axes"]) if old.get("axes") is not None else None if axes is None else target_of(axes)
    if stated is None:
        if axes is not None or any(not is_plain(d) for d in x.dims):
            return TensorType(None, x.dtype)
        stated = tuple(i for i, d in enumerate(x.dims) if d == 1)
    shape = squeezed(case, x, axis_indices(case, stated, x.rank))
    return TensorType(shape, x.dtype, value=_scalar(x.value))


def _scalar(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) and len(value) == 1 else None if isinstance(value, tuple) else value


@define("onnx", "Unsqueeze")
def onnx_unsqueeze(case: Case, x: TensorType, axes: TensorType | None = None, /, **old: Any) -> TensorType:
    """ONNX Unsqueeze: axes count in the result."""
    stated = tuple(old["axes"]) if old.get("axes") is not None else None if axes is None else target_of(axes)
    if stated is None:
        return TensorType(None, x.dtype)
    rank = x.rank + len(stated)
    places = axis_indices(case, stated, rank)
    rest = iter(x.dims)
    shape = tuple(1 if i in places else next(rest) for i in range(rank))
    value = (x.value,) if x.value is not None and not isinstance(x.value, tuple) and rank == 1 else None
    return TensorType(shape, x.dtype, value=value)


@define("torch", "squeeze")
def torch_squeeze(case: Case, x: TensorType, *, dim: Any = None) -> TensorType:
    """``Tensor.squeeze``: axes that are not 1 stay."""
    axes = range(x.rank) if dim is None else axis_indices(case, dim, max(1, x.rank))
    open_axes = [i for i in axes if i < x.rank and not is_plain(x.dims[i]) and equal(x.dims[i], 1) is not False]
    if open_axes:
        return TensorType(None, x.dtype)
    gone = {i for i in axes if i < x.rank and is_plain(x.dims[i]) and x.dims[i] == 1}
    return TensorType(tuple(d for i, d in enumerate(x.dims) if i not in gone), x.dtype)


@define("torch", "unsqueeze")
def torch_unsqueeze(case: Case, x: TensorType, *, dim: Any) -> TensorType:
    """``Tensor.unsqueeze``."""
    axis = axis_index(case, dim, x.rank + 1, "dim")
    return TensorType((*x.dims[:axis], 1, *x.dims[axis:]), x.dtype)


@define("tf", "Squeeze")
def tf_squeeze(case: Case, x: TensorType, *, squeeze_dims: Any = (), **_others: Any) -> TensorType:
    """GraphDef Squeeze."""
    if squeeze_dims:
        return TensorType(squeezed(case, x, axis_indices(case, tuple(squeeze_dims), x.rank)), x.dtype)
    if any(not is_plain(d) for d in x.dims):
        return TensorType(None, x.dtype)
    return TensorType(tuple(d for d in x.dims if d != 1), x.dtype)


@define("tf", "ExpandDims")
def tf_expand_dims(case: Case, x: TensorType, axis: TensorType, **_others: Any) -> TensorType:
    """GraphDef ExpandDims."""
    value = axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if value is None:
        return TensorType(tuple(case.fresh("size") for _ in range(x.rank + 1)), x.dtype)
    place = axis_index(case, value, x.rank + 1)
    value_out = (x.value,) if x.rank == 0 and x.value is not None else None
    return TensorType((*x.dims[:place], 1, *x.dims[place:]), x.dtype, value=value_out)
