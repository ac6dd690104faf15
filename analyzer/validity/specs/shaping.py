"""Reshaping, flattening, transposing; and shapes as values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, NeedsConcrete, Rule, TensorType, define
from analyzer.validity.specs.common import axis_index, need_min_rank, need_rank, size_of, target_of
from analyzer.validity.terms import Cond, Poly, Term, equal, floor_div, mod, product, symbols_of

ELEMENTS = Rule(
    "element-count",
    Category.INCOMPATIBLE_SHAPE,
    "cannot reshape {shape} ({have} elements) to {target} ({want} elements)",
    ("shape", "target_shape"),
)
DIVISIBLE = Rule(
    "divisible",
    Category.INCOMPATIBLE_SHAPE,
    "cannot reshape {shape} ({have} elements) to {target}: {have} is not a multiple of {want}",
    ("shape", "target_shape"),
)
ONE_WILDCARD = Rule(
    "one-wildcard", Category.IMPROPER_VALUE, "the target shape {target} leaves more than one size open", ("shape",)
)
NEGATIVE_SIZE = Rule("negative-size", Category.ILLEGAL_VALUE, "the target shape has the size {size}", ("shape",))
COPIES = Rule(
    "copied-dimension",
    Category.IMPROPER_VALUE,
    "the target shape copies dimension {axis} of an input of {rank} dimensions",
    ("shape",),
)
PERMUTATION = Rule(
    "permutation",
    Category.IMPROPER_VALUE,
    "{perm} is not a permutation of the {rank} dimensions of the input",
    ("perm",),
)


def reshaped(case: Case, x: TensorType, target: Sequence[Term], *, zero_copies: bool = False) -> tuple[Term, ...]:
    """The shape after a reshape; −1 is computed; with `zero_copies` a 0 copies the input's size."""
    sizes = list(target)
    for axis, size in enumerate(sizes):
        if zero_copies and case.is_sentinel(size, 0):
            case.require(COPIES, axis < x.rank, axis=axis, rank=x.rank)
            sizes[axis] = x.dims[axis]
    open_axes = [i for i, s in enumerate(sizes) if case.is_sentinel(s, -1)]
    case.require(ONE_WILDCARD, len(open_axes) <= 1, target=tuple(target))
    for axis, size in enumerate(sizes):
        if axis not in open_axes:
            case.require(NEGATIVE_SIZE, size >= 0, size=size)
    have = size_of(x.dims)
    if not open_axes:
        want = product(sizes)
        facts = {"shape": x.dims, "have": have, "target": tuple(sizes), "want": want}
        case.require(ELEMENTS, equal(have, want), **facts)
        return tuple(sizes)
    (open_axis,) = open_axes
    rest = [s for i, s in enumerate(sizes) if i != open_axis]
    left, right = _cancelled(x.dims, rest)
    numerator, denominator = product(left), product(right)
    facts = {"shape": x.dims, "have": have, "target": tuple(sizes), "want": product(rest)}
    if not any("?" in s.name for s in symbols_of(denominator)):
        case.require(DIVISIBLE, denominator >= 1, **facts)  # else the open size could be anything
    case.require(DIVISIBLE, equal(mod(numerator, denominator), 0), **facts)
    sizes[open_axis] = floor_div(numerator, denominator)
    return tuple(sizes)


def _cancelled(left: Sequence[Term], right: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """Both products without the symbolic factors that they share and that are positive."""
    a, b = list(left), list(right)
    for factor in list(b):
        if isinstance(factor, Poly) and factor.interval.lo > 0 and factor in a:
            a.remove(factor)
            b.remove(factor)
    return a, b


def of_unknown_target(case: Case, x: TensorType, shape: TensorType) -> TensorType:
    """A tensor whose shape is an unknown vector: its rank is the vector's length."""
    count = shape.shape[0] if shape.shape else None
    if isinstance(count, int):
        return x.with_shape(tuple(case.fresh("size") for _ in range(count)))
    return x.with_shape(None)


@define("onnx", "Reshape")
def onnx_reshape(
    case: Case, x: TensorType, shape: TensorType | None = None, /, *, allowzero: int = 0, **old: Any
) -> TensorType:
    """ONNX Reshape: the target is an operand (an attribute before opset 5)."""
    target = tuple(old["shape"]) if shape is None else target_of(shape)
    if shape is not None:
        need_rank(case, shape, 1, operand="the target shape")
    if target is None:
        assert shape is not None
        return of_unknown_target(case, x, shape)
    return x.with_shape(reshaped(case, x, target, zero_copies=not allowzero))


@define("torch", "reshape")
def torch_reshape(case: Case, x: TensorType, *, shape: Any) -> TensorType:
    """``Tensor.reshape``, which copies where a view cannot be."""
    return x.with_shape(reshaped(case, x, tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)))


@define("torch", "view")
def torch_view(case: Case, x: TensorType, *, shape: Any) -> TensorType:
    """``Tensor.view``: only dimensions that lie together in memory can be joined."""
    target = reshaped(case, x, tuple(shape) if isinstance(shape, (tuple, list)) else (shape,))
    if x.strides is not None:
        case.require(VIEW, _can_be_viewed(x.dims, x.strides, target), shape=x.dims, target=target)
    return x.with_shape(target)


VIEW = Rule(
    "view",
    Category.INCOMPATIBLE_SHAPE,
    "a transposed or expanded tensor of {shape} cannot be viewed as {target}; use reshape",
    ("shape",),
)


def strides_of(x: TensorType) -> tuple[Term, ...]:
    """Elements between neighbours along each axis."""
    return x.strides if x.strides is not None else tuple(product(x.dims[i + 1 :]) for i in range(x.rank))


def _can_be_viewed(dims: Sequence[Term], strides: Sequence[Term], target: Sequence[Term]) -> bool:
    """Whether dimensions with these strides can be seen as `target` without a copy (``THTensor_compute_stride``).

    Groups of old dimensions that lie together must be filled exactly by new ones. A size of no known bounds counts as
    more than 1.
    """

    def holds(condition: Any, general: bool) -> bool:
        if not isinstance(condition, Cond):
            return bool(condition)
        if any(s.interval.hi == math.inf for s in condition.symbols):
            return general
        raise NeedsConcrete(frozenset(s.name for s in condition.symbols))

    if holds(equal(product(dims), 0), False):
        return True
    place = len(target) - 1
    old, new, base = 1, 1, strides[-1] if strides else 1
    for axis in range(len(dims) - 1, -1, -1):
        old = old * dims[axis]
        apart = axis == 0 or (
            not holds(equal(dims[axis - 1], 1), False) and not holds(equal(strides[axis - 1], old * base), False)
        )
        if not apart:
            continue
        while place >= 0 and (not holds(new >= old, False) or holds(equal(target[place], 1), False)):
            new = new * target[place]
            place -= 1
        if not holds(equal(new, old), False):
            return False
        if axis > 0:
            base, old, new = strides[axis - 1], 1, 1
    return place == -1


@define("tf", "Reshape")
def tf_reshape(case: Case, x: TensorType, shape: TensorType, **_others: Any) -> TensorType:
    """GraphDef Reshape."""
    if shape.shape is not None:
        need_rank(case, shape, 1, operand="the target shape")
    target = target_of(shape)
    return of_unknown_target(case, x, shape) if target is None else x.with_shape(reshaped(case, x, target))


@define("keras", "Reshape")
def keras_reshape(case: Case, x: TensorType, *, target_shape: Any) -> TensorType:
    """``keras.layers.Reshape``: within each sample."""
    need_min_rank(case, x, 1)
    inner = TensorType(x.dims[1:], x.dtype)
    target = tuple(target_shape) if isinstance(target_shape, (tuple, list)) else (target_shape,)
    return x.with_shape((x.dims[0], *reshaped(case, inner, target)))


@define("torch", "Flatten", "flatten")
def torch_flatten(
    case: Case, x: TensorType, *, start_dim: Any = None, end_dim: Any = -1, module: bool = True
) -> TensorType:
    """``nn.Flatten`` (from dimension 1) and ``torch.flatten`` (pass ``start_dim=0``)."""
    if x.rank == 0:
        for axis, name in ((1 if start_dim is None else start_dim, "start_dim"), (end_dim, "end_dim")):
            axis_index(case, axis, 1, name)
        return x.with_shape((1,))
    start = axis_index(case, 1 if start_dim is None else start_dim, x.rank, "start_dim")
    end = axis_index(case, end_dim, x.rank, "end_dim")
    case.require(FLATTEN_ORDER, start <= end, start=start, end=end)
    return x.with_shape((*x.dims[:start], product(x.dims[start : end + 1]), *x.dims[end + 1 :]))


FLATTEN_ORDER = Rule(
    "flatten-order",
    Category.IMPROPER_VALUE,
    "`start_dim` {start} comes after `end_dim` {end}",
    ("start_dim", "end_dim"),
)


@define("torch", "Unflatten", "unflatten")
def torch_unflatten(case: Case, x: TensorType, *, dim: Any, unflattened_size: Any) -> TensorType:
    """``nn.Unflatten``."""
    axis = axis_index(case, dim, x.rank, "dim")
    part = TensorType((x.dims[axis],))
    sizes = reshaped(case, part, tuple(unflattened_size))
    return x.with_shape((*x.dims[:axis], *sizes, *x.dims[axis + 1 :]))


@define("onnx", "Flatten")
def onnx_flatten(case: Case, x: TensorType, *, axis: int = 1) -> TensorType:
    """ONNX Flatten: a matrix, split before `axis`."""
    case.require(FLATTEN_AXIS, -x.rank <= axis <= x.rank, axis=axis, rank=x.rank)
    split = axis + x.rank if axis < 0 else axis
    return x.with_shape((product(x.dims[:split]), product(x.dims[split:])))


FLATTEN_AXIS = Rule(
    "axis-in-range", Category.IMPROPER_VALUE, "axis {axis} is out of range for {rank} dimensions", ("axis",)
)


@define("keras", "Flatten")
def keras_flatten(case: Case, x: TensorType, *, data_format: str | None = None) -> TensorType:
    """``keras.layers.Flatten``."""
    need_min_rank(case, x, 1)
    return x.with_shape((x.dims[0], product(x.dims[1:])))


def permuted(case: Case, x: TensorType, perm: Sequence[Any]) -> tuple[Term, ...]:
    numbers = [case.concrete(p, "perm") for p in perm]
    fits = len(numbers) == x.rank and all(-x.rank <= p < x.rank for p in numbers)
    ok = fits and sorted(p % x.rank for p in numbers) == list(range(x.rank)) if x.rank else not numbers
    case.require(PERMUTATION, ok, perm=tuple(numbers), rank=x.rank)
    return tuple(x.dims[p] for p in numbers)


@define("onnx", "Transpose")
def onnx_transpose(case: Case, x: TensorType, *, perm: Any = None) -> TensorType:
    """ONNX Transpose; reverses without `perm`."""
    if perm is not None:
        negative = all(p >= 0 for p in perm)
        case.require(PERMUTATION, negative, perm=tuple(perm), rank=x.rank)
    shape = tuple(reversed(x.dims)) if perm is None else permuted(case, x, perm)
    return TensorType(shape, x.dtype)


@define("torch", "permute")
def torch_permute(case: Case, x: TensorType, *, dims: Any) -> TensorType:
    """``Tensor.permute``."""
    shape, strides = permuted(case, x, tuple(dims)), strides_of(x)
    order = [case.concrete(d, "dims") for d in dims]
    return TensorType(shape, x.dtype, strides=tuple(strides[i] for i in order))


@define("torch", "transpose", "swapaxes")
def torch_transpose(case: Case, x: TensorType, *, dim0: Any, dim1: Any) -> TensorType:
    """``Tensor.transpose``."""
    a, b = axis_index(case, dim0, max(1, x.rank), "dim0"), axis_index(case, dim1, max(1, x.rank), "dim1")
    dims, strides = list(x.dims), list(strides_of(x))
    if dims:
        dims[a], dims[b] = dims[b], dims[a]
        strides[a], strides[b] = strides[b], strides[a]
    return TensorType(tuple(dims), x.dtype, strides=tuple(strides))


@define("torch", "t")
def torch_t(case: Case, x: TensorType) -> TensorType:
    """``Tensor.t``: at most two dimensions."""
    need_rank(case, x, 0, 1, 2)
    return TensorType(tuple(reversed(x.dims)), x.dtype, strides=tuple(reversed(strides_of(x))))


@define("tf", "Transpose")
def tf_transpose(case: Case, x: TensorType, perm: TensorType, **_others: Any) -> TensorType:
    """GraphDef Transpose."""
    order = target_of(perm)
    if order is None:
        return TensorType(tuple(case.fresh("size") for _ in x.dims), x.dtype)
    return TensorType(permuted(case, x, order), x.dtype)


@define("keras", "Permute")
def keras_permute(case: Case, x: TensorType, *, dims: Any) -> TensorType:
    """``keras.layers.Permute``: dimensions of a sample, counted from 1."""
    order = [case.concrete(d, "dims") for d in dims]
    ok = sorted(order) == list(range(1, len(order) + 1))
    case.require(PERMUTATION, ok, perm=tuple(order), rank=len(order))
    need_rank(case, x, len(order) + 1)
    return TensorType((x.dims[0], *(x.dims[d] for d in order)), x.dtype)


@define("onnx", "Shape")
def onnx_shape(case: Case, x: TensorType, *, start: int = 0, end: int | None = None) -> TensorType:
    """ONNX Shape: the sizes, as a vector of int64."""
    dims = x.dims[slice(start, end)]
    return TensorType((len(dims),), "int64", value=tuple(dims))


@define("onnx", "Size")
def onnx_size(case: Case, x: TensorType) -> TensorType:
    """ONNX Size: the number of elements."""
    return TensorType((), "int64", value=size_of(x.dims))


@define("tf", "Shape")
def tf_shape(case: Case, x: TensorType, *, out_type: Any = "int32", **_others: Any) -> TensorType:
    """GraphDef Shape."""
    return TensorType((x.rank,), out_type if isinstance(out_type, str) else None, value=x.dims)


@define("tf", "Rank")
def tf_rank(case: Case, x: TensorType, **_others: Any) -> TensorType:
    """GraphDef Rank."""
    return TensorType((), "int32", value=x.rank)


@define("tf", "Size")
def tf_size(case: Case, x: TensorType, *, out_type: Any = "int32", **_others: Any) -> TensorType:
    """GraphDef Size."""
    return TensorType((), out_type if isinstance(out_type, str) else None, value=size_of(x.dims))
