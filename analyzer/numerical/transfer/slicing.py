"""Slices, splits, padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.dims import Dim, Shape
from analyzer.numerical.domain.tensor import AbstractTensor, rebuilt_axis, smashed
from analyzer.numerical.transfer.attained import peaked
from analyzer.numerical.transfer.counted import padded
from analyzer.numerical.transfer.rankings import one_of_ranked
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.shape import window, with_axes, without_axes
from analyzer.operators.slicing import TO_THE_END


def sliced(x: AbstractTensor, cuts: dict[int, tuple[int | None, int | None, int]]) -> AbstractTensor:
    """Python slices along some axes of a tensor of known rank."""
    assert x.shape is not None
    shape = list(x.shape)
    current = x
    lo, hi, starts = x.lo, x.hi, x.starts
    data, sizes = x.data, x.dims
    index: list[Any] = [slice(None)] * len(shape)
    for axis, (start, end, step) in cuts.items():
        size = x.shape[axis]
        index[axis] = slice(start, end, step)
        if isinstance(size, int):
            a, b, s = slice(start, end, step).indices(size)
            length = len(range(a, b, s))
            shape[axis] = length
            if starts is not None:
                if s == 1 and length > 0:
                    current = AbstractTensor(x.dtype, None, lo, hi, starts)
                    starts, lo, hi = rebuilt_axis(current, axis, a, None if b >= size else b)
                elif len(starts[axis]) == size:
                    lo, hi = lo.take(range(a, b, s), axis), hi.take(range(a, b, s), axis)
                    starts = (*starts[:axis], tuple(range(length)) or (0,), *starts[axis + 1 :])
                    if lo.size == 0:
                        lo, hi, starts = np.float64(0), np.float64(0), None
                    elif lo.size == 1:
                        lo, hi, starts = lo.reshape(())[()], hi.reshape(())[()], None
                else:
                    lo, hi = np.float64(lo.min()), np.float64(hi.max())
                    starts = None
            continue
        shape[axis] = _symbolic_length(size, start, end, step)
        if starts is not None and len(starts[axis]) > 1:
            keep = (*starts[:axis], (0,), *starts[axis + 1 :])
            lo, hi = lo.min(axis=axis, keepdims=True), hi.max(axis=axis, keepdims=True)
            starts = keep if lo.size > 1 else None
            if starts is None:
                lo, hi = lo.reshape(())[()], hi.reshape(())[()]
    result = AbstractTensor(x.dtype, tuple(shape), lo, hi, starts, x.nan, tight=x.tight)
    if sizes is not None and len(x.shape) == 1:
        result.dims = sizes[index[0]]
    if data is not None and all(isinstance(d, int) for d in x.shape):
        result.data = np.asarray(data)[tuple(index)]
    offsets = [_offset(d, cuts.get(a)) for a, d in enumerate(x.shape)]
    if None not in offsets:
        result.facts = window(x, tuple(offsets), tuple(range(len(x.shape))))
    moved = [a for a, (s, e, t) in cuts.items() if x.shape[a] != result.shape[a] or t != 1]  # type: ignore[index]
    parts = x.facts.get("parts")
    if not moved:
        result.facts = {**result.facts, **{k: v for k, v in x.facts.items() if k == "reduced"}}
    elif "ranked" in x.facts:
        result.facts = {**result.facts, **one_of_ranked(x, moved, result.shape, True)}
    elif parts is not None and moved == [parts[0]]:
        start, end, step = cuts[parts[0]]
        whole = sum(parts[1])
        a, b, s = slice(start, end, step).indices(whole)
        offset = 0
        for length, part in zip(parts[1], parts[2], strict=True):
            if (a, b, s) == (offset, offset + length, 1):
                return part  # type: ignore[no-any-return]
            offset += length
    return result


def _offset(size: Dim, cut: tuple[int | None, int | None, int] | None) -> int | None:
    """The index at which a slice starts; None if it is not known, or elements are left out."""
    if cut is None:
        return 0
    start, _, step = cut
    if step != 1:
        return None
    if isinstance(size, int):
        return min(slice(start, None, 1).indices(size)[0], size)
    return (start or 0) if (start or 0) >= 0 else None


def _symbolic_length(size: Dim, start: int | None, end: int | None, step: int) -> Dim:
    assert not isinstance(size, int)
    first, last = start or 0, end
    if step == 1 and first >= 0 and (last is None or last >= TO_THE_END):
        return dims.affine(size, -first, 1) if first else size
    if step == 1 and first >= 0 and last is not None and last < 0:
        return dims.affine(size, last - first, 1)
    if step == 1 and first == 0 and last is not None and last >= 0 and size.lo >= last:
        return last
    if step == 1 and first < 0 and (last is None or last >= TO_THE_END) and size.lo >= -first:
        return -first
    if step == 1 and first >= 0 and last is not None and last >= 0:
        return dims.unknown(max(min(size.lo, last) - first, 0), max(last - first, 0))
    if step == -1 and (start is None or start == -1) and (last is None or last < -TO_THE_END):
        return size
    return dims.unknown(0, size.hi)


@transfer("Slice", framework="onnx")
def onnx_slice(
    ctx: Context, x: AbstractTensor, starts: Any = None, ends: Any = None, axes: Any = None, steps: Any = None
) -> AbstractTensor:
    if starts is None:
        a, b, where, by = ctx.attr("starts"), ctx.attr("ends"), ctx.attr("axes"), None
    else:
        a, b = starts.sizes(), ends.sizes()
        where = axes.integers() if axes is not None else None
        by = steps.integers() if steps is not None else None
        if axes is not None and where is None:
            return AbstractTensor(x.dtype, ctx.declared_shape(), smashed(x).lo, smashed(x).hi, None, x.nan)
    if x.shape is None:
        return AbstractTensor(x.dtype, None, smashed(x).lo, smashed(x).hi, None, x.nan)
    n = len(a) if a is not None else (len(b) if b is not None else len(x.shape))
    where = [int(w) % len(x.shape) for w in (where if where is not None else range(n))]
    by = [1] * n if by is None else by
    cuts: dict[int, Any] = {}
    unknown: dict[int, Dim] = {}
    for i, axis in enumerate(where):
        start = a[i] if a is not None else None
        end = b[i] if b is not None else None
        size = x.shape[axis]
        if (
            isinstance(start, (int, np.integer))
            and isinstance(end, (int, np.integer))
            and a is not None
            and b is not None
        ):
            step = int(by[i])
            last: int | None = int(end)
            if step < 0 and last is not None and last <= -TO_THE_END:
                last = None
            if last is not None and last >= TO_THE_END:
                last = None if step > 0 else TO_THE_END
            cuts[axis] = (int(start), last, step)
        elif start == 0 and end == size and by[i] == 1:
            continue
        elif start == 0 and isinstance(end, dims.SymbolicDim) and by[i] == 1 and end.lo >= 0:
            most = min(dims.high(size), dims.high(end))
            unknown[axis] = dims.unknown(min(dims.low(size), end.lo), None if most == np.inf else int(most))
        else:
            unknown[axis] = dims.unknown(0, None if dims.high(size) == np.inf else int(dims.high(size)))
    result = sliced(x, cuts) if cuts else x
    if unknown and result.shape is not None:
        result = _unknown_extent(result, unknown)
    return result


def _unknown_extent(x: AbstractTensor, unknown: dict[int, Dim]) -> AbstractTensor:
    assert x.shape is not None
    lo, hi, starts = x.lo, x.hi, x.starts
    if starts is not None:
        gone = tuple(unknown)
        lo, hi = lo.min(axis=gone, keepdims=True), hi.max(axis=gone, keepdims=True)
        starts = tuple((0,) if i in unknown else s for i, s in enumerate(starts))
        if lo.size == 1:
            lo, hi, starts = lo.reshape(())[()], hi.reshape(())[()], None
    shape = tuple(unknown.get(i, d) for i, d in enumerate(x.shape))
    return AbstractTensor(x.dtype, shape, lo, hi, starts, x.nan)


@transfer("Slice", framework="tf")
def tf_slice(ctx: Context, x: AbstractTensor, begin: AbstractTensor, size: AbstractTensor) -> AbstractTensor:
    starts, sizes = begin.integers(), size.sizes()
    if x.shape is None or sizes is None or len(sizes) != len(x.shape):
        shape: Shape | None = ctx.declared_shape()
        if sizes is not None:
            shape = tuple(d if not isinstance(d, int) or d >= 0 else dims.unknown(0) for d in sizes)
        return AbstractTensor(x.dtype, shape, smashed(x).lo, smashed(x).hi, None, x.nan)
    cuts: dict[int, Any] = {}
    unknown: dict[int, Dim] = {}
    for axis, wanted in enumerate(sizes):
        start = starts[axis] if starts is not None else None
        if start is not None and isinstance(wanted, int):
            cuts[axis] = (start, None if wanted < 0 else start + wanted, 1)
        elif not isinstance(wanted, int) and wanted.lo >= 0:
            unknown[axis] = wanted
        else:
            unknown[axis] = dims.unknown(0) if wanted == -1 else wanted
    result = sliced(x, cuts) if cuts else x
    return _unknown_extent(result, unknown) if unknown else result


@transfer("StridedSlice")
def strided_slice(
    ctx: Context, x: AbstractTensor, begin: AbstractTensor, end: AbstractTensor, strides: AbstractTensor
) -> AbstractTensor:
    """TensorFlow's x[…] with masks for omitted bounds, new axes, removed axes and the ellipsis."""
    starts, ends, steps = begin.sizes(), end.sizes(), strides.integers()
    flags = {
        k: int(ctx.attr(k, 0) or 0)
        for k in ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    }
    if x.shape is None or starts is None or ends is None or steps is None:
        whole = smashed(x)
        shape: Shape | None = None
        if (steps is not None and len(steps) == 1 and flags["shrink_axis_mask"] == 1 and x.rank == 1) or (
            x.shape is None
            and steps is not None
            and flags["shrink_axis_mask"] == 1
            and len(steps) == 1
            and x.dims is not None
        ):
            shape = ()
        return AbstractTensor(x.dtype, shape or ctx.declared_shape(), whole.lo, whole.hi, None, x.nan)
    cuts: dict[int, Any] = {}
    unknown: dict[int, Dim] = {}
    fresh: list[int] = []
    gone: list[int] = []
    axis, position = 0, 0
    n = len(steps)
    explicit = sum(1 for i in range(n) if not (flags["new_axis_mask"] | flags["ellipsis_mask"]) >> i & 1)
    for i in range(n):
        if flags["ellipsis_mask"] >> i & 1:
            skipped = len(x.shape) - explicit
            axis, position = axis + skipped, position + skipped
            continue
        if flags["new_axis_mask"] >> i & 1:
            fresh.append(position)
            position += 1
            continue
        start, stop, step = starts[i], ends[i], steps[i]
        if flags["shrink_axis_mask"] >> i & 1:
            if isinstance(start, int):
                cuts[axis] = (start, None if start == -1 else start + 1, 1)
            else:
                unknown[axis] = 1
            gone.append(axis)
        else:
            first = None if flags["begin_mask"] >> i & 1 else start
            last = None if flags["end_mask"] >> i & 1 else stop
            if (first is None or isinstance(first, int)) and (last is None or isinstance(last, int)):
                cuts[axis] = (first, last, step)
            else:
                unknown[axis] = dims.unknown(
                    0, None if dims.high(x.shape[axis]) == np.inf else int(dims.high(x.shape[axis]))
                )
            position += 1
        axis += 1
    result = sliced(x, {a: c for a, c in cuts.items() if a < len(x.shape)}) if cuts else x
    if unknown:
        result = _unknown_extent(result, unknown)
    if gone:
        result = without_axes(ctx, result, gone)
        if (
            x.dims is not None
            and len(x.shape) == 1
            and isinstance(starts[0], int)
            and -len(x.dims) <= starts[0] < len(x.dims)
        ):
            result.dims = (x.dims[starts[0]],)
    for where in fresh:
        result = with_axes(ctx, result, [where])
    return result


@transfer("Split")
def split(ctx: Context, x: AbstractTensor, sizes: Any = None) -> tuple[AbstractTensor, ...]:
    stated = ctx.attr("split") if sizes is None else sizes.integers()
    if sizes is not None and stated is None:
        return unequal(ctx, x, int(ctx.attr("axis", 0)))
    return divided(ctx, x, int(ctx.attr("axis", 0)), stated, len(ctx.node.outputs))


def unequal(ctx: Context, x: AbstractTensor, axis: int | None) -> tuple[AbstractTensor, ...]:
    """Parts whose sizes nobody knows."""
    whole = smashed(x)
    shape = None
    if x.shape is not None and axis is not None:
        shape = tuple(dims.unknown(0) if i == axis % len(x.shape) else d for i, d in enumerate(x.shape))
    return tuple(AbstractTensor(x.dtype, shape, whole.lo, whole.hi, None, x.nan) for _ in ctx.node.outputs)


def divided(ctx: Context, x: AbstractTensor, axis: int | None, sizes: Any, n: int) -> tuple[AbstractTensor, ...]:
    """Consecutive parts along an axis (DEBAR, section 4.1)."""
    if x.shape is None or axis is None:
        whole = smashed(x)
        return tuple(AbstractTensor(x.dtype, None, whole.lo, whole.hi, None, x.nan) for _ in range(n))
    axis %= max(len(x.shape), 1)
    total = x.shape[axis]
    if sizes is None:
        if not isinstance(total, int):
            whole = smashed(x)
            part = dims.affine(total, 0, n)
            shape = tuple(part if i == axis else d for i, d in enumerate(x.shape))
            return tuple(AbstractTensor(x.dtype, shape, whole.lo, whole.hi, None, x.nan) for _ in range(n))
        each = -(-total // n)
        sizes = [min(each, total - i * each) for i in range(n)]
    sizes = [int(s) for s in sizes]
    if -1 in sizes and isinstance(total, int):
        sizes[sizes.index(-1)] = total - (sum(sizes) + 1)
    results, offset = [], 0
    for length in sizes[:n]:
        results.append(sliced(x, {axis: (offset, offset + length, 1)}))
        offset += length
    return tuple(results)


@transfer("SplitAxisFirst")
def tf_split(ctx: Context, axis: AbstractTensor, x: AbstractTensor) -> tuple[AbstractTensor, ...]:
    where = axis.integers()
    return divided(ctx, x, None if where is None else where[0], None, int(ctx.attr("num_split", len(ctx.node.outputs))))


@transfer("SplitV")
def tf_split_v(
    ctx: Context, x: AbstractTensor, sizes: AbstractTensor, axis: AbstractTensor
) -> tuple[AbstractTensor, ...]:
    where, stated = axis.integers(), sizes.integers()
    if stated is None:
        return unequal(ctx, x, None if where is None else where[0])
    return divided(ctx, x, None if where is None else where[0], stated, len(ctx.node.outputs))


@transfer("Unpack")
def unpack(ctx: Context, x: AbstractTensor) -> tuple[AbstractTensor, ...]:
    n, axis = int(ctx.attr("num", len(ctx.node.outputs))), int(ctx.attr("axis", 0))
    parts = divided(ctx, x, axis, [1] * n, n)
    if x.shape is None:
        return parts
    return tuple(without_axes(ctx, p, [axis % len(x.shape)]) for p in parts)


@transfer("Pad")
def pad(ctx: Context, x: AbstractTensor, pads: Any = None, value: Any = None, axes: Any = None) -> AbstractTensor:
    """Border elements are a constant, or copies of the tensor's own."""
    mode = str(ctx.attr("mode", "constant")).lower() if ctx.op != "Pad" or not ctx.is_tf else "constant"
    amounts = ctx.attr("pads", ctx.attr("paddings")) if pads is None else pads.integers()
    whole = smashed(x)
    lo, hi, nan = whole.lo, whole.hi, x.nan
    if mode == "constant":
        if value is None:
            stated = float(ctx.attr("value", 0.0) or 0.0)
            low, high = stated, stated
        else:
            low, high, nan = value.low, value.high, nan or value.nan
        if amounts is None or any(a > 0 for a in amounts):
            lo, hi = np.minimum(lo, low), np.maximum(hi, high)
    shape: Shape | None = None
    widths: list[tuple[int, int]] | None = None
    if x.shape is not None:
        n = len(x.shape)
        if amounts is None:
            shape = tuple(dims.unknown(0) for _ in x.shape)
        else:
            where = axes.integers() if axes is not None else list(range(n))
            if ctx.is_tf:
                before, after = amounts[0::2], amounts[1::2]
            else:
                before, after = amounts[: len(amounts) // 2], amounts[len(amounts) // 2 :]
            if where is None:
                shape = tuple(dims.unknown(0) for _ in x.shape)
            else:
                sizes = list(x.shape)
                widths = [(0, 0)] * n
                for axis, a, b in zip(where, before, after, strict=False):
                    widths[int(axis) % n] = int(a), int(b)
                    d = sizes[int(axis) % n]
                    sizes[int(axis) % n] = (
                        d + int(a) + int(b) if isinstance(d, int) else dims.affine(d, int(a) + int(b), 1)
                    )
                shape = tuple(sizes)
    if mode == "constant" and widths is not None and low == high and not nan:
        known = padded(x, widths, low)
        if known is not None:
            return known
    result = AbstractTensor(x.dtype, shape, np.float64(lo), np.float64(hi), None, nan)
    if mode == "constant" and widths is not None and not nan and not any(min(w) < 0 for w in widths):
        # each row along an axis that only gains elements has the border's, whether or not others do as well
        result.facts = peaked([(low, high, (axis,)) for axis, w in enumerate(widths) if max(w) > 0], result)
    return result


@transfer("Reverse", "ReverseSequence", framework="tf")
def reverse(ctx: Context, x: AbstractTensor, *_: Any) -> AbstractTensor:
    whole = smashed(x)
    return AbstractTensor(x.dtype, x.shape, whole.lo, whole.hi, None, x.nan, tight=x.tight)


@transfer("ReverseSequence", framework="onnx")
def reverse_sequence(ctx: Context, x: AbstractTensor, lengths: Any = None) -> AbstractTensor:
    whole = smashed(x)
    return AbstractTensor(x.dtype, x.shape, whole.lo, whole.hi, None, x.nan, tight=x.tight)
