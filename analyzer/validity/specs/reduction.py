"""Reductions, arg-reductions and cumulative operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.operators import norms, reductions
from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import FLOATS, axis_index, axis_indices, need_dtype, need_rank, target_of
from analyzer.validity.specs.element_types import onnx_dtype
from analyzer.validity.terms import Term, equal

NOT_EMPTY = Rule("reduced-size", Category.ILLEGAL_SHAPE, "{function} over axis {axis}, which has size {size}")
SINGLE = Rule("argmax-of-one", Category.ADVISORY, "{function} over axis {axis} of size 1 is always 0", ("axis",))


def reduced(x: TensorType, axes: Sequence[int], keep: bool) -> tuple[Term, ...]:
    """The shape after reducing `axes`."""
    if keep:
        return tuple(1 if i in axes else d for i, d in enumerate(x.dims))
    return tuple(d for i, d in enumerate(x.dims) if i not in axes)


@define("onnx", *(o.name for o in (*reductions.OPERATORS, *norms.OPERATORS) if o.versions))
def onnx_reduce(
    case: Case,
    x: TensorType,
    axes: TensorType | None = None,
    /,
    *,
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
    **old: Any,
) -> TensorType:
    """ONNX Reduce*: the axes are an operand or an attribute, by opset; none means all."""
    stated = old.get("axes") if axes is None else target_of(axes)
    if axes is not None and stated is None:
        return TensorType(tuple(case.fresh("size") for _ in x.dims) if keepdims else None, x.dtype)
    if not stated:
        if noop_with_empty_axes:
            return x
        return TensorType(reduced(x, range(x.rank), bool(keepdims)), x.dtype)
    return TensorType(reduced(x, axis_indices(case, tuple(stated), x.rank), bool(keepdims)), x.dtype)


@define("onnx", "ArgMax", "ArgMin")
def onnx_arg_max(
    case: Case, x: TensorType, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
) -> TensorType:
    """ONNX ArgMax and ArgMin."""
    place = axis_index(case, axis, x.rank)
    case.advise(SINGLE, equal(x.dims[place], 1) is True, function="argmax", axis=place)
    return TensorType(reduced(x, (place,), bool(keepdims)), "int64")


@define("onnx", "CumSum", "CumProd")
def onnx_cumulative(case: Case, x: TensorType, axis: TensorType, *, exclusive: int = 0, reverse: int = 0) -> TensorType:
    """ONNX CumSum: the axis is an operand."""
    value = axis.value[0] if isinstance(axis.value, tuple) and axis.value else axis.value
    if value is not None:
        axis_index(case, value, x.rank)
    return x


@define("onnx", "Det")
def onnx_det(case: Case, x: TensorType) -> TensorType:
    """ONNX Det: square matrices."""
    case.require(SQUARE, x.rank >= 2, shape=x.dims)
    case.require(SQUARE, equal(x.dims[-1], x.dims[-2]), shape=x.dims)
    return TensorType(x.dims[:-2], x.dtype)


SQUARE = Rule("square", Category.INCOMPATIBLE_SHAPE, "the input must end in square matrices; it is {shape}")


@define("torch", "mean", "var", "std")
def torch_mean(case: Case, x: TensorType, *, dim: Any = None, keepdim: bool = False, **_others: Any) -> TensorType:
    """``torch.mean`` and relatives: floating-point tensors."""
    need_dtype(case, x, (*FLOATS, "complex64", "complex128"))
    return _summed(case, x, dim, keepdim)


@define("torch", "sum", "prod", "logsumexp", "all", "any", "amax", "amin", "norm", "nansum")
def torch_sum(case: Case, x: TensorType, *, dim: Any = None, keepdim: bool = False, **_others: Any) -> TensorType:
    """``torch.sum`` and relatives: all dimensions, or some."""
    return _summed(case, x, dim, keepdim)


def _summed(case: Case, x: TensorType, dim: Any, keepdim: bool) -> TensorType:
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        axes: Sequence[int] = range(x.rank)
    elif x.rank == 0:
        axis_indices(case, dim, 1)
        axes = ()
    else:
        axes = axis_indices(case, dim, x.rank)
    return TensorType(reduced(x, axes, keepdim), x.dtype)


@define("torch", "max", "min", "median", "mode")
def torch_max(
    case: Case, x: TensorType, *, dim: Any = None, keepdim: bool = False
) -> TensorType | tuple[TensorType, ...]:
    """``torch.max``: with `dim`, values and indices."""
    if dim is None:
        return TensorType((), x.dtype)
    axis = axis_index(case, dim, max(1, x.rank), "dim")
    shape = reduced(x, (axis,), keepdim) if x.rank else ()
    return TensorType(shape, x.dtype), TensorType(shape, "int64")


@define("torch", "argmax", "argmin")
def torch_argmax(case: Case, x: TensorType, *, dim: Any = None, keepdim: bool = False) -> TensorType:
    """``torch.argmax``."""
    if dim is None:
        return TensorType((), "int64")
    axis = axis_index(case, dim, max(1, x.rank), "dim")
    if not x.rank:
        return TensorType((), "int64")
    case.advise(SINGLE, equal(x.dims[axis], 1) is True, function="argmax", axis=axis)
    case.require(NOT_EMPTY, x.dims[axis] >= 1, function="argmax", axis=axis, size=x.dims[axis])
    return TensorType(reduced(x, (axis,), keepdim), "int64")


@define("torch", "cumsum", "cumprod", "sort", "argsort", "flip", "roll", "normalize")
def torch_along(case: Case, x: TensorType, *, dim: Any = -1, dims: Any = None, **_others: Any) -> TensorType:
    """Functions along a dimension that keep the shape."""
    axis_indices(case, dims if dims is not None else dim, max(1, x.rank))
    return x


@define("tf", "Sum", "Mean", "Max", "Min", "Prod", "All", "Any", "EuclideanNorm")
def tf_reduce(case: Case, x: TensorType, axes: TensorType, *, keep_dims: bool = False, **_others: Any) -> TensorType:
    """GraphDef reductions: the axes are an operand."""
    value = axes.value
    if value is None:
        if axes.shape == (0,):
            return x
        return TensorType(tuple(case.fresh("size") for _ in x.dims) if keep_dims else None, x.dtype)
    chosen = axis_indices(case, value if isinstance(value, tuple) else (value,), x.rank)
    return TensorType(reduced(x, chosen, keep_dims), x.dtype)


@define("tf", "ArgMax", "ArgMin")
def tf_arg_max(
    case: Case, x: TensorType, axis: TensorType, *, output_type: Any = "int64", **_others: Any
) -> TensorType:
    """GraphDef ArgMax."""
    dtype = output_type if isinstance(output_type, str) else "int64"
    value = axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if value is None:
        return TensorType(tuple(case.fresh("size") for _ in x.dims[1:]), dtype)
    place = axis_index(case, value, x.rank)
    case.advise(SINGLE, equal(x.dims[place], 1) is True, function="argmax", axis=place)
    return TensorType(reduced(x, (place,), False), dtype)


@define("tf", "Cumsum", "Cumprod")
def tf_cumulative(case: Case, x: TensorType, axis: TensorType, **_others: Any) -> TensorType:
    """GraphDef Cumsum."""
    value = axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if value is not None:
        axis_index(case, value, x.rank)
    return x


@define("onnx", "Trilu")
def onnx_trilu(case: Case, x: TensorType, k: TensorType | None = None, *, upper: int = 1) -> TensorType:
    """ONNX Trilu: at least matrices."""
    case.require(MATRICES, x.rank >= 2, shape=x.dims)
    return x


MATRICES = Rule("rank", Category.INCOMPATIBLE_SHAPE, "the input must be at least a matrix; it is {shape}")


@define("onnx", "EyeLike")
def onnx_eye_like(case: Case, x: TensorType, *, dtype: Any = None, k: int = 0) -> TensorType:
    """ONNX EyeLike: a matrix."""

    need_rank(case, x, 2)
    return TensorType(x.shape, onnx_dtype(dtype) or x.dtype)
