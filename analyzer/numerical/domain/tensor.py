"""`AbstractTensor`: shape, dtype, partition into blocks, and an interval for each block.

A tensor of one block keeps its bounds as scalars and needs no known rank; a tensor of several blocks keeps arrays with
one axis for each dimension, where entry ``(i, j, …)`` bounds the elements between ``starts[0][i]`` and the next start,
and so on.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain import dims
from analyzer.numerical.domain.dims import Dim, Shape
from analyzer.numerical.domain.dtypes import Array, ElementType
from analyzer.numerical.result import Interval

if TYPE_CHECKING:
    from analyzer.numerical.domain.affine import Form

Starts = tuple[tuple[int, ...], ...]

_keys = itertools.count(1)
NO_FACTS: Mapping[str, Any] = {}


def fresh_key() -> int:
    return next(_keys)


@dataclass(slots=True, eq=False)
class AbstractTensor:
    """Everything known of a tensor. Treated as immutable once a transfer function has returned it.

    `lo`, `hi`: bounds of values that are not NaN; an infinite bound means that infinity itself may occur.
    `starts`: first index of each block, per axis; None for a single block.
    `nan`: whether elements may be NaN.
    `key`: equal keys are equal values in every run (value numbering).
    `form`: the tensor as an affine combination of other tensors, element by element.
    `origin`: the application of a transfer function that made it, so that it can be evaluated again.
    `facts`: relations that a transfer function knows of its result (names in `analyzer.numerical.transfer.facts`).
    `tight`: ids of the independent sources from which both bounds are reached in some run; None if unknown.
    `dims`: for integer tensors of rank 0 or 1 that hold sizes, the sizes themselves.
    `data`: the concrete values, where they are known; possibly large.
    """

    dtype: ElementType
    shape: Shape | None
    lo: Array
    hi: Array
    starts: Starts | None = None
    nan: bool = False
    key: int = field(default_factory=fresh_key)
    form: Form | None = None
    origin: Any = None
    facts: Mapping[str, Any] = field(default_factory=lambda: NO_FACTS)
    tight: frozenset[int] | None = None
    dims: tuple[Dim, ...] | None = None
    data: Any = None
    final: bool = False  # finished: its key and origin are settled

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def low(self) -> float:
        """The least value of any element; of an empty tensor, +inf."""
        return float(self.lo) if self.starts is None else float(self.lo.min(initial=np.inf))

    @property
    def high(self) -> float:
        return float(self.hi) if self.starts is None else float(self.hi.max(initial=-np.inf))

    @property
    def may_be_infinite(self) -> bool:
        return self.low == -np.inf or self.high == np.inf

    def interval(self) -> Interval:
        """Overall bounds."""
        return Interval(self.low, self.high, self.nan)

    def exact(self) -> Any:
        """The concrete value as an ndarray if every element is known, else None."""
        if self.data is not None:
            return self.data
        if self.shape is None or self.nan:
            return None
        if self.starts is None:
            if self.lo == self.hi and all(isinstance(d, int) for d in self.shape):
                if dims.product(self.shape) == 1:
                    return np.full(self.shape, self.lo)
                if dims.low(dims.product(self.shape)) <= 4096:
                    return np.full(self.shape, self.lo)
            return None
        if any(len(s) != d for s, d in zip(self.starts, self.shape, strict=True)) or np.any(self.lo != self.hi):
            return None
        return self.lo

    def integers(self) -> list[int] | None:
        """The exact elements of a small integer tensor, flattened."""
        value = self.exact()
        if value is None or value.dtype.kind not in "iufb":
            return None
        return [int(v) for v in np.ravel(value)]

    def sizes(self) -> tuple[Dim, ...] | None:
        """The elements of a 0- or 1-dimensional integer tensor as sizes; None if their number is unknown."""
        if self.dims is not None:
            return self.dims
        exact = self.integers()
        if exact is not None:
            return tuple(exact)
        if self.shape is None or len(self.shape) > 1 or not all(isinstance(d, int) for d in self.shape):
            return None
        count = self.shape[0] if self.shape else 1
        assert isinstance(count, int)
        if count > 64:
            return None
        whole = self if self.starts is None else refine(self, (tuple(range(count)),) if self.shape else ())
        lo, hi = np.broadcast_to(whole.lo, count), np.broadcast_to(whole.hi, count)
        if self.starts is None and self.shape and count > 1 and not np.array_equal(lo, hi):
            pass  # one interval for all: each element on its own is still within it
        return tuple(
            dims.unknown(int(max(a, -1)), None if b >= 2**31 else int(b)) if a != b else int(a)
            for a, b in zip(lo, hi, strict=True)
        )

    def with_bounds(self, lo: Array, hi: Array) -> AbstractTensor:
        """The same value (same key), known more narrowly; relations through other tensors are left behind."""
        return AbstractTensor(
            self.dtype,
            self.shape,
            lo,
            hi,
            self.starts,
            self.nan,
            self.key,
            None,
            self.origin,
            self.facts,
            None,
            self.dims,
            final=True,
        )


def block_sizes(starts: tuple[int, ...], dim: Dim) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest number of elements in each block of one axis."""
    edges = np.asarray(starts, dtype=np.float64)
    inner = np.diff(edges)
    last = float(edges[-1])
    return (
        np.append(inner, max(dims.low(dim) - last, 0.0)),
        np.append(inner, max(dims.high(dim) - last, 0.0)),
    )


def count(shape: Shape | None, axes: Sequence[int] | None = None) -> tuple[float, float]:
    """Least and greatest number of elements over `axes` (default all)."""
    if shape is None:
        return 0.0, np.inf
    lo = hi = 1.0
    for axis in range(len(shape)) if axes is None else axes:
        lo *= dims.low(shape[axis])
        top = dims.high(shape[axis])
        hi = 0.0 if hi == 0 or top == 0 else hi * top
    return lo, hi


def refine(tensor: AbstractTensor, starts: Starts) -> AbstractTensor:
    """Bounds on a finer partition; with `shape`, of the tensor broadcast to it (its own cuts are among `starts`)."""
    if tensor.starts is None or tensor.starts == starts:
        return tensor
    lo, hi = tensor.lo, tensor.hi
    offset = len(starts) - lo.ndim
    for axis in range(lo.ndim):
        own, new = tensor.starts[axis], starts[axis + offset]
        if own == new or len(own) == 1:
            continue
        index = np.searchsorted(own, new, side="right") - 1
        lo, hi = lo.take(index, axis), hi.take(index, axis)
    result = tensor.with_bounds(lo, hi)
    result.starts = starts[offset:]
    return result


def common_starts(tensors: Sequence[AbstractTensor], rank: int, limit: int) -> Starts | None:
    """The coarsest partition that refines those of all operands broadcast together; None for a single block."""
    cuts: list[set[int]] = [{0} for _ in range(rank)]
    plain = True
    for tensor in tensors:
        if tensor.starts is None:
            continue
        offset = rank - len(tensor.starts)
        for axis, own in enumerate(tensor.starts, offset):
            if len(own) > 1:
                cuts[axis].update(own)
                plain = False
    if plain:
        return None
    total = 1
    for edges in cuts:
        total *= len(edges)
    if total > limit:  # drop the cuts of the most finely cut axes first
        for axis in sorted(range(rank), key=lambda a: -len(cuts[a])):
            total //= len(cuts[axis])
            cuts[axis] = {0}
            if total <= limit:
                break
        if total == 1:
            return None
    return tuple(tuple(sorted(own)) for own in cuts)


def bounds_on(tensor: AbstractTensor, starts: Starts | None) -> tuple[Array, Array]:
    """The bounds of a tensor on a partition of what it broadcasts to; arrays broadcast among each other."""
    if tensor.starts is None:
        return tensor.lo, tensor.hi
    if starts is None:
        return tensor.lo.min(initial=np.inf), tensor.hi.max(initial=-np.inf)
    if tensor.starts == starts:
        return tensor.lo, tensor.hi
    lo, hi = tensor.lo, tensor.hi
    offset = len(starts) - lo.ndim
    for axis in range(lo.ndim):
        own, new = tensor.starts[axis], starts[axis + offset]
        if len(own) == 1 or own == new:
            continue
        if set(own) <= set(new):
            index = np.searchsorted(own, new, side="right") - 1
            lo, hi = lo.take(index, axis), hi.take(index, axis)
        else:  # a coarser partition
            lo = np.stack([lo.take(ids, axis).min(axis, initial=np.inf) for ids in _overlaps(own, new)], axis)
            hi = np.stack([hi.take(ids, axis).max(axis, initial=-np.inf) for ids in _overlaps(own, new)], axis)
    return lo, hi


def _overlaps(own: tuple[int, ...], new: tuple[int, ...]) -> list[list[int]]:
    """For each block of `new`, the blocks of `own` that it meets."""
    ends = (*new[1:], np.inf)
    own_ends = (*own[1:], np.inf)
    return [
        [i for i, (a, b) in enumerate(zip(own, own_ends, strict=True)) if a < end and b > start]
        for start, end in zip(new, ends, strict=True)
    ]


def smashed(tensor: AbstractTensor) -> AbstractTensor:
    """The tensor as a single block."""
    if tensor.starts is None:
        return tensor
    result = tensor.with_bounds(*bounds_on(tensor, None))
    result.starts, result.form = None, tensor.form
    return result


def coarsened(tensor: AbstractTensor, limit: int) -> AbstractTensor:
    """The tensor with at most `limit` blocks."""
    if tensor.starts is None or tensor.lo.size <= limit:
        return tensor
    starts = common_starts([tensor], tensor.lo.ndim, limit)
    lo, hi = bounds_on(tensor, starts)
    tensor.lo, tensor.hi, tensor.starts = lo, hi, starts
    return tensor


def rebuilt_axis(tensor: AbstractTensor, axis: int, start: int, end: int | None) -> tuple[Starts | None, Array, Array]:
    """Bounds and cuts of the slice ``start:end`` (step 1) along one axis; `end` None means to the end."""
    if tensor.starts is None:
        return None, tensor.lo, tensor.hi
    own = tensor.starts[axis]
    ends = (*own[1:], np.inf)
    stop = np.inf if end is None else end
    keep = [i for i, (a, b) in enumerate(zip(own, ends, strict=True)) if a < stop and b > start] or [len(own) - 1]
    cuts = tuple(max(own[i] - start, 0) for i in keep)
    starts = (*tensor.starts[:axis], cuts, *tensor.starts[axis + 1 :])
    lo, hi = tensor.lo.take(keep, axis), tensor.hi.take(keep, axis)
    return (None if lo.size == 1 else starts), _scalar(lo), _scalar(hi)


def _scalar(values: Any) -> Array:
    return values.reshape(())[()] if values.size == 1 else values


def from_data(data: Any, dtype: ElementType, *, limit: int = 64) -> AbstractTensor:
    """The abstraction of concrete values: one block an element where there are few, else one block."""
    values = np.asarray(data)
    if values.dtype.kind not in "iufb":
        values = (
            values.astype(np.float32) if values.dtype.kind not in "OSUc" else values
        )  # exact: bfloat16, float8, int4
    if values.dtype.kind in "OSU":
        return AbstractTensor(dtype, values.shape, np.float64(-np.inf), np.float64(np.inf), data=None)
    if values.dtype.kind == "c":
        parts = np.stack([values.real, values.imag])
        return AbstractTensor(dtype, values.shape, np.float64(parts.min()), np.float64(parts.max()))
    nan = bool(values.dtype.kind == "f" and np.isnan(values).any())
    keep = values
    if values.size == 0:
        return AbstractTensor(dtype, values.shape, np.float64(0), np.float64(0), data=keep)
    if values.size == 1:
        value = np.float64(values.reshape(())[()])
        value = np.float64(0) if nan else value
        return AbstractTensor(dtype, values.shape, value, value, None, nan, data=keep)
    if values.size <= limit and not nan:
        exact = values.astype(np.float64)
        if exact.min() == exact.max():
            return AbstractTensor(dtype, values.shape, exact.flat[0], exact.flat[0], data=keep)
        return AbstractTensor(
            dtype, values.shape, exact, exact, tuple(tuple(range(n)) for n in values.shape), data=keep
        )
    if nan:
        finite = values[~np.isnan(values)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    else:
        low, high = values.min(), values.max()
    return AbstractTensor(dtype, values.shape, np.float64(low), np.float64(high), None, nan, data=keep)


def top(dtype: ElementType, shape: Shape | None, *, nan: bool = False) -> AbstractTensor:
    """Every finite value of the dtype."""
    return AbstractTensor(dtype, shape, np.float64(dtype.lo), np.float64(dtype.hi), None, nan)


def interval_tensor(dtype: ElementType, shape: Shape | None, lo: float, hi: float) -> AbstractTensor:
    """One block with bounds lo, hi."""
    return AbstractTensor(dtype, shape, np.float64(lo), np.float64(hi))


def join(a: AbstractTensor, b: AbstractTensor, widen: Callable[..., Any] | None = None) -> AbstractTensor:
    """A tensor that covers both."""
    shape = dims.join(a.shape, b.shape)
    starts = None
    if shape is not None and (a.starts is not None or b.starts is not None):
        same = a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape)
        starts = common_starts([a, b], len(shape), 1 << 30) if same else None
    alo, ahi = bounds_on(a, starts)
    blo, bhi = bounds_on(b, starts)
    lo, hi = np.minimum(alo, blo), np.maximum(ahi, bhi)
    if widen is not None:
        lo, hi = widen(alo, ahi, lo, hi)
    if starts is not None:
        full = tuple(len(s) for s in starts)
        lo, hi = np.broadcast_to(lo, full), np.broadcast_to(hi, full)
    sizes = a.dims if a.dims == b.dims else None
    return AbstractTensor(a.dtype, shape, lo, hi, starts, a.nan or b.nan, dims=sizes)


def contains(a: AbstractTensor, b: AbstractTensor) -> bool:
    """Whether every value of `b` is one of `a`."""
    if dims.join(a.shape, b.shape) != a.shape and a.shape != b.shape:
        return False
    starts = common_starts([a, b], len(a.shape), 1 << 30) if a.shape is not None and b.shape is not None else None
    alo, ahi = bounds_on(a, starts if a.starts else None)
    blo, bhi = bounds_on(b, starts if a.starts else None)
    return bool(np.all(alo <= blo) and np.all(ahi >= bhi)) and (a.nan or not b.nan)
