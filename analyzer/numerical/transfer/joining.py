"""Concatenation and stacking: every operand keeps its blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.dims import Dim, Shape
from analyzer.numerical.domain.tensor import AbstractTensor, bounds_on, common_starts
from analyzer.numerical.transfer.attained import joined
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.shape import with_axes


@transfer("Concat", framework="onnx")
def concat(ctx: Context, *tensors: Any) -> AbstractTensor:
    return concatenated(ctx, [t for t in tensors if t is not None], int(ctx.attr("axis", 0)))


@transfer("Concat", framework="tf")
def tf_concat(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    axis = tensors[-1].integers()
    return concatenated(ctx, list(tensors[:-1]), None if axis is None else axis[0])


@transfer("ConcatAxisFirst")
def tf_concat_first(ctx: Context, axis: AbstractTensor, *tensors: AbstractTensor) -> AbstractTensor:
    where = axis.integers()
    return concatenated(ctx, list(tensors), None if where is None else where[0])


def hull(tensors: list[AbstractTensor], shape_: Shape | None) -> AbstractTensor:
    lo, hi = min(t.low for t in tensors), max(t.high for t in tensors)
    return AbstractTensor(tensors[0].dtype, shape_, np.float64(lo), np.float64(hi), None, any(t.nan for t in tensors))


def concatenated(ctx: Context, tensors: list[AbstractTensor], axis: int | None) -> AbstractTensor:
    """Each operand keeps its blocks along the axis; the others are aligned (DEBAR, section 4.1)."""
    if len(tensors) == 1:
        return tensors[0]
    shapes = [t.shape for t in tensors]
    if axis is None or any(s is None for s in shapes):
        return hull(tensors, None)
    known = [s for s in shapes if s is not None]
    n = len(known[0])
    if n == 0 or any(len(s) != n for s in known):
        return hull(tensors, None)
    axis %= n
    sizes: list[Dim] = list(known[0])
    for s in known[1:]:
        for i in range(n):
            if i == axis:
                sizes[i] = dims.add(sizes[i], s[i])
            elif not isinstance(sizes[i], int):
                sizes[i] = s[i] if isinstance(s[i], int) else sizes[i]
    shape_ = tuple(sizes)
    result = hull(tensors, shape_)
    if n == 1 and tensors[0].dtype.kind == dtypes.INTEGER:
        parts = [t.sizes() for t in tensors]
        if all(p is not None for p in parts):
            flat: tuple[Dim, ...] = sum((p for p in parts if p is not None), ())
            if len(flat) <= 64:
                result.dims = flat
    cut_limit = ctx.block_limit if tensors[0].dtype.kind != dtypes.INTEGER else max(ctx.block_limit, 64)
    if all(isinstance(s[axis], int) for s in known[:-1]) and result.low < result.high and cut_limit > 1:
        edges: list[int] = []
        offset = 0
        across = common_starts([_without_cuts(t, axis) for t in tensors], n, cut_limit)
        base = list(across) if across is not None else [(0,)] * n
        los, his = [], []
        for tensor, s in zip(tensors, known, strict=True):
            if s[axis] == 0:
                continue
            own = (0,) if tensor.starts is None else tensor.starts[axis]
            edges.extend(c + offset for c in own)
            layout = tuple(own if i == axis else base[i] for i in range(n))
            full = tuple(len(c) for c in layout)
            low, high = bounds_on(tensor, layout)
            los.append(np.broadcast_to(low, full))
            his.append(np.broadcast_to(high, full))
            offset += dims.low(s[axis])
        if los:
            lo, hi = np.concatenate(los, axis), np.concatenate(his, axis)
            if 1 < lo.size <= cut_limit * 4:
                result.lo, result.hi = lo, hi
                result.starts = tuple(tuple(edges) if i == axis else base[i] for i in range(n))
    if all(t.data is not None for t in tensors) and sum(np.size(t.data) for t in tensors) <= 4096:
        result.data = np.concatenate([np.asarray(t.data) for t in tensors], axis)
    if all(isinstance(s[axis], int) for s in known):
        result.facts = {"parts": (axis, tuple(int(s[axis]) for s in known), tuple(tensors))}  # type: ignore[arg-type]
    result.facts = {**result.facts, **joined(tensors, axis, result)}
    return result


def _without_cuts(x: AbstractTensor, axis: int) -> AbstractTensor:
    if x.starts is None or len(x.starts[axis]) == 1:
        return x
    result = AbstractTensor(x.dtype, x.shape, x.lo.min(axis=axis, keepdims=True), x.hi.max(axis=axis, keepdims=True))
    result.starts = tuple((0,) if i == axis else s for i, s in enumerate(x.starts))
    return result


@transfer("Pack")
def pack(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    """Operands stacked along a new axis."""
    axis = int(ctx.attr("axis", 0))
    if any(t.shape is None for t in tensors):
        return hull(list(tensors), None)
    stacked = [with_axes(ctx, t, [axis]) for t in tensors]
    if len(stacked) == 1:
        return stacked[0]
    for item, tensor in zip(stacked, tensors, strict=True):
        item.key, item.final = ctx.run.number(("stacked", axis, tensor.key)), True
    return concatenated(ctx, stacked, axis)
