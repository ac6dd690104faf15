"""What moves elements to other places and shapes, as torch has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from analyzer.tracing.samples.arguments import Array, Function, as_axes, as_sizes


def _reshape(input: Array, *shape: Any) -> Array:
    return input.reshape(as_sizes(shape))


def _view(input: Array, *shape: Any) -> Array:
    if len(shape) == 1 and isinstance(shape[0], np.dtype):
        return input.view(shape[0])
    return input.reshape(as_sizes(shape))


def _flatten(input: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    first, last = start_dim % max(input.ndim, 1), end_dim % max(input.ndim, 1)
    return input.reshape(*input.shape[:first], -1, *input.shape[last + 1 :])


def _permute(input: Array, *dims: Any) -> Array:
    return input.transpose(as_sizes(dims))


def _squeeze(input: Array, dim: Any = None) -> Array:
    wanted = range(input.ndim) if dim is None else dim if isinstance(dim, (list, tuple)) else (dim,)
    return np.squeeze(input, tuple(d for d in wanted if input.shape[d] == 1))


def _expand(input: Array, *sizes: Any) -> Array:
    wanted = as_sizes(sizes)
    own = (1,) * (len(wanted) - input.ndim) + input.shape
    return np.broadcast_to(input, tuple(o if w == -1 else w for w, o in zip(wanted, own, strict=True)))


def _repeat(input: Array, *sizes: Any) -> Array:
    return np.tile(input, as_sizes(sizes))


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


def _diagonal(input: Array, diagonal: int = 0) -> Array:
    return np.diag(input, diagonal)


def _roll(input: Array, shifts: Any, dims: Any = None) -> Array:
    return np.roll(input, shifts, as_axes(dims))


def _flip(input: Array, *dims: Any) -> Array:
    return np.flip(input, as_sizes(dims))


def _tril_indices(row: int, col: int, offset: int = 0) -> Array:
    return np.stack(np.tril_indices(int(row), int(offset), int(col)))


def _triu_indices(row: int, col: int, offset: int = 0) -> Array:
    return np.stack(np.triu_indices(int(row), int(offset), int(col)))


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


def _lerp(input: Array, end: Array, weight: Any) -> Array:
    return input + weight * (end - input)


FUNCTIONS: Mapping[str, Function] = MappingProxyType({
    "reshape": _reshape, "view": _view, "flatten": _flatten, "ravel": np.ravel, "permute": _permute,
    "transpose": np.swapaxes, "swapaxes": np.swapaxes, "swapdims": np.swapaxes, "movedim": np.moveaxis,
    "moveaxis": np.moveaxis, "squeeze": _squeeze, "unsqueeze": lambda input, dim: np.expand_dims(input, dim),
    "expand": _expand, "expand_as": lambda input, other: np.broadcast_to(input, other.shape),
    "view_as": lambda input, other: input.reshape(other.shape), "broadcast_to": lambda i, shape: _expand(i, shape),
    "reshape_as": lambda input, other: input.reshape(other.shape), "repeat": _repeat, "tile": _repeat, "cat": _cat,
    "concat": _cat, "concatenate": _cat, "stack": _stack, "hstack": np.hstack, "vstack": np.vstack,
    "dstack": np.dstack, "column_stack": np.column_stack, "chunk": _chunk, "split": _split, "unbind": _unbind,
    "meshgrid": _meshgrid, "cartesian_prod": _cartesian, "diag": _diagonal, "diagonal": np.diagonal, "tril": np.tril,
    "triu": np.triu, "flip": _flip, "roll": _roll, "tril_indices": _tril_indices, "triu_indices": _triu_indices,
    "flipud": np.flipud, "fliplr": np.fliplr, "rot90": np.rot90, "pad": _pad, "unfold": _unfold, "lerp": _lerp,
})  # fmt: skip
