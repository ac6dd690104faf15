"""What functions and methods of torch compute, on NumPy's arrays.

Names and arguments are those of torch's public documentation; the function of a name is that of the method too, whose
tensor is the first argument. Elements need not be torch's to the last bit: they only choose branches and sizes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

Array = Any  # np.ndarray of any shape and type
Function = Callable[..., Any]


def _axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def _reduction(function: Function) -> Function:
    def reduce(input: Array, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None) -> Array:
        found = function(input, axis=_axes(dim if axis is None else axis), keepdims=keepdim)
        return found if dtype is None else found.astype(dtype)

    return reduce


def _extremum(best: Function, place: Function, between: Function) -> Function:
    def run(input: Array, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, np.ndarray):
            return between(input, dim)
        if dim is None:
            return best(input)
        return best(input, axis=dim, keepdims=keepdim), np.expand_dims(place(input, axis=dim), dim) if keepdim else (
            place(input, axis=dim)
        )

    return run


def _of_floats(function: Function) -> Function:
    def run(input: Array, *rest: Any) -> Array:
        whole = input.dtype.kind in "iub"
        return function(input.astype(np.float32) if whole else input, *rest)

    return run


def _scaled(function: Function) -> Function:
    def run(input: Array, other: Any, *, alpha: Any = 1) -> Array:
        return function(input, np.asarray(other) * alpha if alpha != 1 else other)

    return run


def _divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Array:
    if rounding_mode == "floor":
        return np.floor_divide(input, other)
    found = np.true_divide(input, other)
    if rounding_mode == "trunc":
        whole = all(np.asarray(a).dtype.kind in "iub" for a in (input, other))
        return np.trunc(found).astype(np.int64 if whole else found.dtype)
    return found


def _clamp(input: Array, min: Any = None, max: Any = None) -> Array:
    return np.clip(input, min, max) if min is not None or max is not None else input


def _sizes(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) else sizes
    return tuple(int(s) for s in given)


def _created(function: Function) -> Function:
    def run(*size: Any, dtype: Any = np.float32, **rest: Any) -> Array:
        return function(_sizes(size or (rest["size"],)), dtype=dtype or np.float32)

    return run


def _full(size: Any, fill_value: Any, *, dtype: Any = None) -> Array:
    kind = dtype or (np.float32 if isinstance(fill_value, float) else np.asarray(fill_value).dtype)
    return np.full(_sizes((size,)), fill_value, kind)


def _full_like(input: Array, fill_value: Any, *, dtype: Any = None) -> Array:
    return np.full_like(input, fill_value, dtype=dtype)


def _arange(*args: Any, dtype: Any = None, **named: Any) -> Array:
    values = [named[k] for k in ("start", "end", "step") if k in named]
    given = [*args, *values]
    whole = all(isinstance(v, (int, np.integer)) or np.asarray(v).dtype.kind in "iub" for v in given)
    return np.arange(*given, dtype=dtype or (np.int64 if whole else np.float32))


def _linspace(start: Any, end: Any, steps: int = 100, *, dtype: Any = None) -> Array:
    return np.linspace(start, end, int(steps), dtype=dtype or np.float32)


def _tensor(data: Any, dtype: Any = None) -> Array:
    if isinstance(data, (list, tuple)) and any(isinstance(v, np.ndarray) for v in data):
        data = [np.asarray(v).tolist() for v in data]
    found = np.array(data)
    if dtype is not None:
        return found.astype(dtype)
    return found.astype(np.float32) if not isinstance(data, np.ndarray) and found.dtype == np.float64 else found


def _eye(n: int, m: int | None = None, *, dtype: Any = None) -> Array:
    return np.eye(int(n), None if m is None else int(m), dtype=dtype or np.float32)


def _reshape(input: Array, *shape: Any) -> Array:
    return input.reshape(_sizes(shape))


def _view(input: Array, *shape: Any) -> Array:
    if len(shape) == 1 and isinstance(shape[0], np.dtype):
        return input.view(shape[0])
    return input.reshape(_sizes(shape))


def _flatten(input: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    first, last = start_dim % max(input.ndim, 1), end_dim % max(input.ndim, 1)
    return input.reshape(*input.shape[:first], -1, *input.shape[last + 1 :])


def _permute(input: Array, *dims: Any) -> Array:
    return input.transpose(_sizes(dims))


def _squeeze(input: Array, dim: Any = None) -> Array:
    wanted = range(input.ndim) if dim is None else dim if isinstance(dim, (list, tuple)) else (dim,)
    return np.squeeze(input, tuple(d for d in wanted if input.shape[d] == 1))


def _expand(input: Array, *sizes: Any) -> Array:
    wanted = _sizes(sizes)
    own = (1,) * (len(wanted) - input.ndim) + input.shape
    return np.broadcast_to(input, tuple(o if w == -1 else w for w, o in zip(wanted, own, strict=True)))


def _repeat(input: Array, *sizes: Any) -> Array:
    return np.tile(input, _sizes(sizes))


def _cat(tensors: Any, dim: int = 0, *, axis: int | None = None) -> Array:
    whole = [t for t in tensors if t.shape != (0,)]
    return np.concatenate(whole or list(tensors), dim if axis is None else axis)


def _stack(tensors: Any, dim: int = 0) -> Array:
    return np.stack(list(tensors), dim)


def _chunk(input: Array, chunks: int, dim: int = 0) -> tuple[Array, ...]:
    return _split(input, max(-(-input.shape[dim] // chunks), 1), dim)


def _split(tensor: Array, split_size_or_sections: Any, dim: int = 0) -> tuple[Array, ...]:
    size = tensor.shape[dim]
    if isinstance(split_size_or_sections, (list, tuple)):
        ends = np.cumsum([int(s) for s in split_size_or_sections])[:-1]
    else:
        ends = np.arange(split_size_or_sections, size, split_size_or_sections)
    return tuple(np.split(tensor, ends, dim))


def _unbind(input: Array, dim: int = 0) -> tuple[Array, ...]:
    return tuple(np.take(input, i, dim) for i in range(input.shape[dim]))


def _meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Array, ...]:
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    return tuple(np.meshgrid(*given, indexing="xy" if indexing == "xy" else "ij"))


def _cartesian(*tensors: Array) -> Array:
    return np.stack([g.reshape(-1) for g in np.meshgrid(*tensors, indexing="ij")], -1)


def _narrow(input: Array, dim: int, start: int, length: int) -> Array:
    return input[(slice(None),) * (dim % input.ndim) + (slice(int(start), int(start) + int(length)),)]


def _gather(input: Array, dim: int, index: Array) -> Array:
    return np.take_along_axis(input[tuple(slice(0, s) for s in _beside(input, index, dim))], index, dim)


def _beside(input: Array, index: Array, dim: int) -> tuple[int, ...]:
    return tuple(s if d == dim % input.ndim else index.shape[d] for d, s in enumerate(input.shape))


def _scatter(input: Array, dim: int, index: Array, src: Any = None, *, value: Any = None) -> Array:
    return _scattered(input, dim, index, src if value is None else value, None)


def _scatter_add(input: Array, dim: int, index: Array, src: Array) -> Array:
    return _scattered(input, dim, index, src, np.add)


def _scattered(input: Array, dim: int, index: Array, src: Any, how: Any) -> Array:
    found = input.copy()
    places = list(np.indices(index.shape))
    places[dim % input.ndim] = index
    given = src[tuple(slice(0, s) for s in index.shape)] if isinstance(src, np.ndarray) and src.ndim else src
    if how is None:
        found[tuple(places)] = given
    else:
        how.at(found, tuple(places), given)
    return found


def _index_add(input: Array, dim: int, index: Array, source: Array) -> Array:
    found = input.copy()
    np.add.at(found, (slice(None),) * (dim % input.ndim) + (index,), source)
    return found


def _nonzero(input: Array, *, as_tuple: bool = False) -> Any:
    return np.nonzero(input) if as_tuple else np.argwhere(input)


def _where(condition: Array, *sides: Any, **named: Any) -> Any:
    given = (*sides, *(named[k] for k in ("input", "self", "other") if k in named))
    if not given:
        return np.nonzero(condition)
    found = np.where(condition, *given)
    kinds = [g.dtype for g in given if isinstance(g, np.ndarray) and g.ndim]
    return found.astype(kinds[0]) if kinds and found.dtype == np.float64 != kinds[0] and kinds[0].kind == "f" else found


def _unique(
    input: Array,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    found = np.unique(input, return_inverse=True, return_counts=True, axis=dim)
    inverse = found[1].reshape(input.shape) if dim is None else found[1].reshape(-1)
    parts = (found[0], *((inverse,) if return_inverse else ()), *((found[2],) if return_counts else ()))
    return parts if len(parts) > 1 else parts[0]


def _sort(input: Array, dim: int = -1, descending: bool = False, stable: bool = False) -> tuple[Array, Array]:
    order = _argsort(input, dim, descending)
    return np.take_along_axis(input, order, dim), order


def _argsort(input: Array, dim: int = -1, descending: bool = False, stable: bool = False) -> Array:
    order = np.argsort(input, axis=dim, kind="stable")
    return np.flip(order, dim) if descending else order


def _topk(input: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Array, Array]:
    values, places = _sort(input, dim, largest)
    chosen = np.arange(int(k))
    return np.take(values, chosen, dim), np.take(places, chosen, dim)


def _median(input: Array, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        return np.sort(input, axis=None)[(input.size - 1) // 2]
    values, places = _sort(input, dim)
    middle = [(input.shape[dim] - 1) // 2]
    found = np.take(values, middle, dim), np.take(places, middle, dim)
    return found if keepdim else tuple(np.squeeze(f, dim) for f in found)


def _bincount(input: Array, weights: Any = None, minlength: int = 0) -> Array:
    return np.bincount(input, weights, minlength)


def _repeat_interleave(input: Array, repeats: Any = None, dim: int | None = None) -> Array:
    if repeats is None:
        return np.repeat(np.arange(len(input)), input)
    return np.repeat(input, repeats, dim)


def _one_hot(tensor: Array, num_classes: int = -1) -> Array:
    count = int(tensor.max()) + 1 if num_classes == -1 else int(num_classes)
    return np.eye(count, dtype=np.int64)[tensor]


def _searchsorted(sorted_sequence: Array, input: Any, *, right: bool = False, side: str | None = None) -> Array:
    where = side or ("right" if right else "left")
    return np.searchsorted(sorted_sequence, input, where)  # type: ignore[call-overload]


def _bucketize(input: Any, boundaries: Array, *, right: bool = False) -> Array:
    return np.searchsorted(boundaries, input, "right" if right else "left")


def _diagonal(input: Array, diagonal: int = 0) -> Array:
    return np.diag(input, diagonal)


def _matmul(input: Array, other: Array) -> Array:
    return np.matmul(input, other)


def _einsum(equation: str, *operands: Any) -> Array:
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    return np.einsum(equation, *given)


def _softmax(input: Array, dim: int = -1, **_: Any) -> Array:
    shifted = np.exp(input - input.max(axis=dim, keepdims=True))
    return shifted / shifted.sum(axis=dim, keepdims=True)


def _norm(input: Array, p: Any = 2, dim: Any = None, keepdim: bool = False, **_: Any) -> Array:
    if p in ("fro", None, 2, 2.0):
        return np.sqrt(np.sum(np.square(np.abs(input)), axis=_axes(dim), keepdims=keepdim))
    return np.linalg.norm(input, p, axis=_axes(dim), keepdims=keepdim)


def _vector_norm(x: Array, ord: Any = 2, dim: Any = None, keepdim: bool = False, **_: Any) -> Array:
    return _norm(x, ord, dim, keepdim)


def _spread(function: Function) -> Function:
    def run(
        input: Array, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: int | None = None
    ) -> Array:
        less = (1 if unbiased else 0) if correction is None else correction
        return function(input, axis=_axes(dim), ddof=less, keepdims=keepdim)

    return run


def _roll(input: Array, shifts: Any, dims: Any = None) -> Array:
    return np.roll(input, shifts, _axes(dims))


def _flip(input: Array, *dims: Any) -> Array:
    return np.flip(input, _sizes(dims))


def _masked_fill(input: Array, mask: Array, value: Any) -> Array:
    return np.where(mask, np.asarray(value, input.dtype), input)


def _masked_select(input: Array, mask: Array) -> Array:
    a, b = np.broadcast_arrays(input, mask)
    return a[b]


def _index_fill(input: Array, dim: int, index: Array, value: Any) -> Array:
    found = input.copy()
    found[(slice(None),) * (dim % input.ndim) + (index,)] = value
    return found


def _index_copy(input: Array, dim: int, index: Array, source: Array) -> Array:
    found = input.copy()
    found[(slice(None),) * (dim % input.ndim) + (index,)] = source
    return found


def _cast(kind: Any) -> Function:
    return lambda input, **_: input.astype(kind)


def _to(input: Array, *args: Any, dtype: Any = None, **_: Any) -> Array:
    kinds = [a for a in (*args, dtype) if isinstance(a, np.dtype)]
    kinds += [a.dtype for a in args if isinstance(a, np.ndarray)]
    return input.astype(kinds[0]) if kinds else input


def _type_as(input: Array, other: Array) -> Array:
    return input.astype(other.dtype)


def _same(input: Array, *_: Any, **__: Any) -> Array:
    return input


def _copied(input: Array, **_: Any) -> Array:
    return input.copy()


def _tril_indices(row: int, col: int, offset: int = 0) -> Array:
    return np.stack(np.tril_indices(int(row), int(offset), int(col)))


def _triu_indices(row: int, col: int, offset: int = 0) -> Array:
    return np.stack(np.triu_indices(int(row), int(offset), int(col)))


def _cdist(x1: Array, x2: Array, p: float = 2.0) -> Array:
    apart = np.abs(x1[..., :, None, :] - x2[..., None, :, :])
    return np.sqrt((apart**2).sum(-1)) if p == 2 else (apart**p).sum(-1) ** (1 / p)


def _index_select(input: Array, dim: int, index: Array) -> Array:
    return np.take(input, index, dim)


def _select(input: Array, dim: int, index: Any) -> Array:
    return np.take(input, int(index), dim)


def _count_nonzero(input: Array, dim: Any = None) -> Array:
    return np.count_nonzero(input, axis=_axes(dim))


def _take_along(input: Array, indices: Array, dim: int | None = None) -> Array:
    return np.take_along_axis(input, indices, dim)


def _cumulated(function: Function) -> Function:
    return lambda input, dim=0, **_: function(input, axis=dim)


def _diff(input: Array, n: int = 1, dim: int = -1) -> Array:
    return np.diff(input, n, dim)


def _pad(input: Array, pad: Any, mode: str = "constant", value: Any = None) -> Array:
    widths = [(0, 0)] * input.ndim
    for n in range(len(pad) // 2):
        widths[-1 - n] = (int(pad[2 * n]), int(pad[2 * n + 1]))
    cut = input[tuple(slice(max(-a, 0), s - max(-b, 0)) for (a, b), s in zip(widths, input.shape, strict=True))]
    grown = [(max(a, 0), max(b, 0)) for a, b in widths]
    if mode == "constant":
        return np.pad(cut, grown, constant_values=value or 0)
    return np.pad(cut, grown, {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode])  # type: ignore[call-overload]


def _unfold(input: Array, dimension: int, size: int, step: int) -> Array:
    return np.lib.stride_tricks.sliding_window_view(input, size, dimension)[
        (slice(None),) * (dimension % input.ndim) + (slice(None, None, step),)
    ]


def _unique_consecutive(
    input: Array, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    rows = input.reshape(-1) if dim is None else np.moveaxis(input, dim, 0)
    apart = np.any((rows[1:] != rows[:-1]).reshape(len(rows) - 1, -1), axis=1)
    starts = np.concatenate([[0], np.nonzero(apart)[0] + 1])
    kept = rows[starts] if dim is None else np.moveaxis(rows[starts], 0, dim)
    inverse = np.concatenate([[0], np.cumsum(apart)])
    counts = np.diff(np.concatenate([starts, [len(rows)]]))
    parts = (kept, *((inverse,) if return_inverse else ()), *((counts,) if return_counts else ()))
    return parts if len(parts) > 1 else kept


def _combinations(input: Array, r: int = 2, with_replacement: bool = False) -> Array:
    function = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return np.array(list(function(input.tolist(), r)), input.dtype).reshape(-1, r)


def _quantile(input: Array, q: Any, dim: int | None = None, keepdim: bool = False, **_: Any) -> Array:
    return np.quantile(input, q, axis=dim, keepdims=keepdim)


def _histc(input: Array, bins: int = 100, min: float = 0, max: float = 0) -> Array:
    low, high = (input.min(), input.max()) if min == max == 0 else (min, max)
    return np.histogram(input, bins, (low, high))[0].astype(input.dtype)


def _running(best: Function) -> Function:
    def run(input: Array, dim: int) -> tuple[Array, Array]:
        found = best.accumulate(input, axis=dim)  # type: ignore[attr-defined]
        places = np.indices(input.shape)[dim]
        return found, np.maximum.accumulate(np.where(input == found, places, 0), axis=dim)

    return run


def _addmm(input: Array, mat1: Array, mat2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    return beta * input + alpha * np.matmul(mat1, mat2)


def _lerp(input: Array, end: Array, weight: Any) -> Array:
    return input + weight * (end - input)


def _block_diag(*tensors: Array) -> Array:
    given = [np.atleast_2d(t) for t in tensors]
    found = np.zeros((sum(t.shape[0] for t in given), sum(t.shape[1] for t in given)), given[0].dtype)
    row = column = 0
    for part in given:
        found[row : row + part.shape[0], column : column + part.shape[1]] = part
        row, column = row + part.shape[0], column + part.shape[1]
    return found


def _log_softmax(input: Array, dim: int = -1, **_: Any) -> Array:
    return np.log(_softmax(input, dim))


def _sigmoid(input: Array) -> Array:
    return 1 / (1 + np.exp(-input))


_FLOATS: dict[str, Function] = {
    "exp": np.exp, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "expm1": np.expm1,
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "arcsin": np.arcsin,
    "acos": np.arccos, "arccos": np.arccos, "atan": np.arctan, "arctan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": lambda x: 1 / x, "sigmoid": _sigmoid,
    "deg2rad": np.deg2rad, "rad2deg": np.rad2deg, "softplus": lambda x: np.log1p(np.exp(x)),
}  # fmt: skip

_PLAIN: dict[str, Function] = {
    "abs": np.abs, "neg": np.negative, "square": np.square, "floor": np.floor, "ceil": np.ceil, "round": np.round,
    "trunc": np.trunc, "sign": np.sign, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
    "logical_not": np.logical_not, "bitwise_not": np.invert, "mul": np.multiply, "multiply": np.multiply,
    "add": _scaled(np.add), "sub": _scaled(np.subtract), "subtract": _scaled(np.subtract), "div": _divide,
    "divide": _divide, "true_divide": np.true_divide, "floor_divide": np.floor_divide, "remainder": np.mod,
    "fmod": np.fmod, "pow": np.power, "maximum": np.maximum, "minimum": np.minimum, "eq": np.equal,
    "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "atan2": np.arctan2, "isclose": np.isclose, "allclose": np.allclose, "equal": np.array_equal,
    "relu": lambda input, **_: np.maximum(input, 0), "clamp": _clamp, "clip": _clamp,
    "clamp_min": lambda input, min: np.maximum(input, min), "clamp_max": lambda input, max: np.minimum(input, max),
    "nan_to_num": np.nan_to_num, "hypot": np.hypot, "logaddexp": np.logaddexp, "frac": lambda x: x - np.trunc(x),
    "signbit": np.signbit, "copysign": np.copysign, "where": _where, "isin": np.isin, "outer": np.outer, "dot": np.dot, "t": np.transpose,
}  # fmt: skip

_REDUCING: dict[str, Function] = {
    "sum": _reduction(np.sum), "mean": _reduction(np.mean), "prod": _reduction(np.prod), "amax": _reduction(np.max),
    "amin": _reduction(np.min), "any": _reduction(np.any), "all": _reduction(np.all), "nansum": _reduction(np.nansum),
    "argmax": _reduction(np.argmax), "argmin": _reduction(np.argmin), "std": _spread(np.std), "var": _spread(np.var),
    "max": _extremum(np.max, np.argmax, np.maximum), "min": _extremum(np.min, np.argmin, np.minimum),
    "median": _median, "norm": _norm, "vector_norm": _vector_norm, "cumsum": _cumulated(np.cumsum),
    "cumprod": _cumulated(np.cumprod), "count_nonzero": _count_nonzero, "diff": _diff,
    "logsumexp": lambda i, dim, keepdim=False: np.log(np.sum(np.exp(i), axis=_axes(dim), keepdims=keepdim)),
}  # fmt: skip

_SHAPING: dict[str, Function] = {
    "reshape": _reshape, "view": _view, "flatten": _flatten, "ravel": np.ravel, "permute": _permute,
    "transpose": np.swapaxes, "swapaxes": np.swapaxes, "swapdims": np.swapaxes, "movedim": np.moveaxis,
    "moveaxis": np.moveaxis, "squeeze": _squeeze, "unsqueeze": lambda input, dim: np.expand_dims(input, dim),
    "expand": _expand, "expand_as": lambda input, other: np.broadcast_to(input, other.shape),
    "view_as": lambda input, other: input.reshape(other.shape), "broadcast_to": lambda i, shape: _expand(i, shape),
    "reshape_as": lambda input, other: input.reshape(other.shape), "repeat": _repeat, "tile": _repeat,
    "cat": _cat, "concat": _cat, "concatenate": _cat, "stack": _stack, "hstack": np.hstack, "vstack": np.vstack,
    "dstack": np.dstack, "column_stack": np.column_stack, "chunk": _chunk, "split": _split, "unbind": _unbind,
    "meshgrid": _meshgrid, "cartesian_prod": _cartesian, "narrow": _narrow, "select": _select,
    "index_select": _index_select, "gather": _gather, "take": np.take, "take_along_dim": _take_along,
    "masked_select": _masked_select, "masked_fill": _masked_fill, "index_fill": _index_fill,
    "index_copy": _index_copy, "index_add": _index_add, "scatter": _scatter, "scatter_add": _scatter_add,
    "nonzero": _nonzero, "argwhere": np.argwhere, "unique": _unique, "sort": _sort, "argsort": _argsort,
    "topk": _topk, "bincount": _bincount, "repeat_interleave": _repeat_interleave, "diag": _diagonal,
    "diagonal": np.diagonal, "tril": np.tril, "triu": np.triu, "flip": _flip, "roll": _roll,
    "tril_indices": _tril_indices, "triu_indices": _triu_indices, "searchsorted": _searchsorted,
    "bucketize": _bucketize, "one_hot": _one_hot, "matmul": _matmul, "mm": _matmul, "bmm": _matmul, "mv": _matmul,
    "flipud": np.flipud, "fliplr": np.fliplr, "rot90": np.rot90, "trace": np.trace, "kron": np.kron, "pad": _pad,
    "unfold": _unfold, "unique_consecutive": _unique_consecutive, "combinations": _combinations,
    "block_diag": _block_diag, "histc": _histc, "quantile": _quantile, "cummax": _running(np.maximum),
    "cummin": _running(np.minimum), "addmm": _addmm, "baddbmm": _addmm, "lerp": _lerp, "inverse": np.linalg.inv,
    "inv": np.linalg.inv, "det": np.linalg.det, "solve": np.linalg.solve, "cholesky": np.linalg.cholesky,
    "matrix_rank": np.linalg.matrix_rank, "matrix_power": np.linalg.matrix_power, "pinv": np.linalg.pinv,
    "einsum": _einsum, "cdist": _cdist, "softmax": _softmax, "log_softmax": _log_softmax, "cross": np.cross,
}  # fmt: skip

_CREATING: dict[str, Function] = {
    "zeros": _created(np.zeros), "ones": _created(np.ones), "empty": _created(np.zeros), "full": _full,
    "zeros_like": lambda input, dtype=None: np.zeros_like(input, dtype=dtype),
    "ones_like": lambda input, dtype=None: np.ones_like(input, dtype=dtype), "full_like": _full_like,
    "empty_like": lambda input, dtype=None: np.zeros_like(input, dtype=dtype),
    "new_zeros": lambda input, *size, dtype=None: np.zeros(_sizes(size), dtype or input.dtype),
    "new_ones": lambda input, *size, dtype=None: np.ones(_sizes(size), dtype or input.dtype),
    "new_full": lambda input, size, value, dtype=None: np.full(_sizes((size,)), value, dtype or input.dtype),
    "new_tensor": lambda input, data, dtype=None: np.asarray(data, dtype or input.dtype),
    "arange": _arange, "linspace": _linspace, "eye": _eye, "tensor": _tensor, "as_tensor": _tensor,
    "from_numpy": _same, "asarray": _tensor, "LongTensor": lambda data: np.array(data, np.int64),
    "Tensor": lambda data: np.array(data, np.float32), "FloatTensor": lambda data: np.array(data, np.float32),
    "IntTensor": lambda data: np.array(data, np.int32), "BoolTensor": lambda data: np.array(data, bool),
}  # fmt: skip

_KEEPING: dict[str, Function] = {
    "float": _cast(np.float32), "double": _cast(np.float64), "half": _cast(np.float16), "int": _cast(np.int32),
    "long": _cast(np.int64), "bool": _cast(bool), "byte": _cast(np.uint8), "short": _cast(np.int16), "to": _to,
    "type": _to, "type_as": _type_as, "cpu": _same, "cuda": _same, "numpy": _same, "detach": _same,
    "contiguous": _same, "clone": _copied, "copy": _copied, "requires_grad_": _same, "data": _same,
}  # fmt: skip

FUNCTIONS: Mapping[str, Function] = MappingProxyType({
    **{name: _of_floats(function) for name, function in _FLOATS.items()},
    **_PLAIN, **_REDUCING, **_SHAPING, **_CREATING, **_KEEPING,
})  # fmt: skip
