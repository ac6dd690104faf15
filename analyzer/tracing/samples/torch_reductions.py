"""Functions over axes, as torch has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from analyzer.tracing.samples.arguments import Array, Function, as_axes, sorted_along


def _reduction(function: Function) -> Function:
    def reduce(input: Array, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None) -> Array:
        found = function(input, axis=as_axes(dim if axis is None else axis), keepdims=keepdim)
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


def _median(input: Array, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        return np.sort(input, axis=None)[(input.size - 1) // 2]
    values, places = sorted_along(input, dim)
    middle = [(input.shape[dim] - 1) // 2]
    found = np.take(values, middle, dim), np.take(places, middle, dim)
    return found if keepdim else tuple(np.squeeze(f, dim) for f in found)


def _spread(function: Function) -> Function:
    def run(
        input: Array, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: int | None = None
    ) -> Array:
        less = (1 if unbiased else 0) if correction is None else correction
        return function(input, axis=as_axes(dim), ddof=less, keepdims=keepdim)

    return run


def _count_nonzero(input: Array, dim: Any = None) -> Array:
    return np.count_nonzero(input, axis=as_axes(dim))


def _cumulated(function: Function) -> Function:
    return lambda input, dim=0, **_: function(input, axis=dim)


def _diff(input: Array, n: int = 1, dim: int = -1) -> Array:
    return np.diff(input, n, dim)


FUNCTIONS: Mapping[str, Function] = MappingProxyType({
    "sum": _reduction(np.sum), "mean": _reduction(np.mean), "prod": _reduction(np.prod), "amax": _reduction(np.max),
    "amin": _reduction(np.min), "any": _reduction(np.any), "all": _reduction(np.all), "nansum": _reduction(np.nansum),
    "argmax": _reduction(np.argmax), "argmin": _reduction(np.argmin), "std": _spread(np.std), "var": _spread(np.var),
    "max": _extremum(np.max, np.argmax, np.maximum), "min": _extremum(np.min, np.argmin, np.minimum),
    "median": _median, "cumsum": _cumulated(np.cumsum), "cumprod": _cumulated(np.cumprod),
    "count_nonzero": _count_nonzero, "diff": _diff,
    "logsumexp": lambda i, dim, keepdim=False: np.log(np.sum(np.exp(i), axis=as_axes(dim), keepdims=keepdim)),
})  # fmt: skip
