"""Arguments of torch's functions as NumPy takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # np.ndarray of any shape and type
Function = Callable[..., Any]


def as_axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def as_sizes(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) else sizes
    return tuple(int(s) for s in given)


def sorted_along(input: Array, dim: int = -1, descending: bool = False, stable: bool = False) -> tuple[Array, Array]:
    order = order_along(input, dim, descending)
    return np.take_along_axis(input, order, dim), order


def order_along(input: Array, dim: int = -1, descending: bool = False, stable: bool = False) -> Array:
    order = np.argsort(input, axis=dim, kind="stable")
    return np.flip(order, dim) if descending else order
