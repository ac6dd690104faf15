"""What chooses elements, orders them or counts them, as torch has them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from analyzer.tracing.samples.arguments import Array, Function, order_along, sorted_along


def _narrow(input: Array, dim: int, start: int, length: int) -> Array:
    axis = dim % input.ndim
    begin = int(start) + (input.shape[axis] if start < 0 else 0)
    return input[(slice(None),) * axis + (slice(begin, begin + int(length)),)]


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


def _topk(input: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Array, Array]:
    values, places = sorted_along(input, dim, largest)
    chosen = np.arange(int(k))
    return np.take(values, chosen, dim), np.take(places, chosen, dim)


def _bincount(input: Array, weights: Any = None, minlength: int = 0) -> Array:
    return np.bincount(input, weights, minlength)


def _repeat_interleave(input: Array, repeats: Any = None, dim: int | None = None, output_size: Any = None) -> Array:
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


def _index_select(input: Array, dim: int, index: Array) -> Array:
    return np.take(input, index, dim)


def _select(input: Array, dim: int, index: Any) -> Array:
    return np.take(input, int(index), dim)


def _take_along(input: Array, indices: Array, dim: int | None = None) -> Array:
    return np.take_along_axis(input, indices, dim)


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


FUNCTIONS: Mapping[str, Function] = MappingProxyType({
    "where": _where, "isin": np.isin, "narrow": _narrow, "select": _select, "index_select": _index_select,
    "gather": _gather, "take": np.take, "take_along_dim": _take_along, "masked_select": _masked_select,
    "masked_fill": _masked_fill, "index_fill": _index_fill, "index_copy": _index_copy, "index_add": _index_add,
    "scatter": _scatter, "scatter_add": _scatter_add, "nonzero": _nonzero, "argwhere": np.argwhere, "unique": _unique,
    "sort": sorted_along, "argsort": order_along, "topk": _topk, "bincount": _bincount,
    "repeat_interleave": _repeat_interleave,
    "searchsorted": _searchsorted, "bucketize": _bucketize, "one_hot": _one_hot,
    "unique_consecutive": _unique_consecutive, "combinations": _combinations, "histc": _histc, "quantile": _quantile,
    "cummax": _running(np.maximum), "cummin": _running(np.minimum),
})  # fmt: skip
