"""Operators that `onnx.reference` lacks or computes otherwise than its specification says, found by the sweep of
`tests/differential/test_reference_sweep.py` against two independent engines. Each is written from the specification."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun
from onnx.reference.ops import op_grid_sample, op_pad, op_resize, op_roi_align

from .reference_loops import LOOPS
from .reference_recurrent import RECURRENT
from .reference_windows import framed, laid_out, windows


class GlobalMaxPool(OpRun):  # type: ignore[misc]
    """`onnx.reference` reduces two axes, whatever the rank."""

    op_domain = ""

    def _run(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


class GlobalLpPool(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(self, x: np.ndarray, p: int | None = None) -> tuple[np.ndarray, ...]:
        order = 2 if p is None else p
        total = (np.abs(x) ** order).sum(axis=tuple(range(2, x.ndim)), keepdims=True)
        return ((total ** (1.0 / order)).astype(x.dtype, copy=False),)


class LpPool(OpRun):  # type: ignore[misc]
    """With `ceil_mode`, `onnx.reference` scales the last windows up to the size of whole ones."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        auto_pad: str | None = None,
        ceil_mode: int | None = None,
        dilations: Sequence[int] | None = None,
        kernel_shape: Sequence[int] | None = None,
        p: int | None = None,
        pads: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        count_include_pad: int | None = None,
    ) -> tuple[np.ndarray, ...]:
        kernel, order = list(kernel_shape or ()), p or 2
        before, spans, steps, gaps = laid_out(x.shape[2:], auto_pad, kernel, pads, strides, dilations, bool(ceil_mode))
        total = sum(view for _, view in windows(framed(np.abs(x) ** order, before, spans, 0.0), kernel, steps, gaps))
        return (np.asarray(total ** (1.0 / order)).astype(x.dtype, copy=False),)


class LpNormalization(OpRun):  # type: ignore[misc]
    """`onnx.reference` sums numbers where the norm of order 1 sums their sizes."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int | None = None, p: int | None = None) -> tuple[np.ndarray, ...]:
        order, along = 2 if p is None else p, -1 if axis is None else axis
        norm = (np.abs(x) ** order).sum(axis=along, keepdims=True) ** (1.0 / order)
        return (np.divide(x, norm, out=np.zeros_like(x), where=norm != 0),)


class MeanVarianceNormalization(OpRun):  # type: ignore[misc]
    """A function of the specification with a float32 constant inside, which no other precision passes."""

    op_domain = ""

    def _run(self, x: np.ndarray, axes: Sequence[int] | None = None) -> tuple[np.ndarray, ...]:
        along = tuple(axes) if axes is not None else (0, 2, 3)
        mean = x.mean(axis=along, keepdims=True)
        spread = np.sqrt((x * x).mean(axis=along, keepdims=True) - mean * mean)
        return (((x - mean) / (spread + 1e-9)).astype(x.dtype, copy=False),)


class ConvTranspose(OpRun):  # type: ignore[misc]
    """`onnx.reference` knows one group only, and refuses some output paddings and shapes.

    Each element of the input adds the kernel to the output; what is padded is cut off.
    """

    op_domain = ""

    def _run(
        self,
        X: np.ndarray,
        W: np.ndarray,
        B: np.ndarray | None = None,
        auto_pad: str | None = None,
        dilations: Sequence[int] | None = None,
        group: int | None = None,
        kernel_shape: Sequence[int] | None = None,
        output_padding: Sequence[int] | None = None,
        output_shape: Sequence[int] | None = None,
        pads: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
    ) -> tuple[np.ndarray, ...]:
        rank, groups, sizes = X.ndim - 2, group or 1, X.shape[2:]
        steps, gaps, more = strides or [1] * rank, dilations or [1] * rank, output_padding or [0] * rank
        spans = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(sizes, steps, W.shape[2:], gaps, strict=True)]
        wanted = [int(n) for n in output_shape][-rank:] if output_shape else None
        if wanted is None and auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            # Padding is never negative: of a kernel that is shorter than its stride less is left, in every engine.
            wanted = [min(n * s, span + o) for n, s, span, o in zip(sizes, steps, spans, more, strict=True)]
        if wanted is None:
            edges = list(pads) if pads and auto_pad != "VALID" else [0] * 2 * rank
            first = edges[:rank]
            wanted = [n + o - a - b for n, o, a, b in zip(spans, more, edges[:rank], edges[rank:], strict=True)]
        else:
            total = [max(n + o - w, 0) for n, o, w in zip(spans, more, wanted, strict=True)]
            first = [t // 2 if auto_pad == "SAME_UPPER" else t - t // 2 for t in total]
        batch, channels, outputs = X.shape[0], X.shape[1] // groups, W.shape[1]
        full = np.zeros(
            (batch, groups * outputs, *(max(n, f + w) for n, f, w in zip(spans, first, wanted, strict=True))), X.dtype
        )
        rows = X.reshape(batch, groups, channels, -1)
        kernels = W.reshape(groups, channels, outputs, *W.shape[2:])
        for offset in itertools.product(*map(range, W.shape[2:])):
            at: tuple[slice | int, ...] = (slice(None), slice(None), slice(None), *offset)
            part = np.matmul(np.swapaxes(kernels[at], 1, 2), rows)
            places = (
                slice(o * d, o * d + (n - 1) * s + 1, s) for o, d, n, s in zip(offset, gaps, sizes, steps, strict=True)
            )
            full[(slice(None), slice(None), *places)] += part.reshape(batch, -1, *sizes)
        cut = (slice(f, f + w) for f, w in zip(first, wanted, strict=True))
        result = full[(slice(None), slice(None), *cut)]
        return (result if B is None else result + B.reshape(1, -1, *[1] * rank),)


class Pad(op_pad.Pad_18):  # type: ignore[misc]
    """Negative pads cut off, which `onnx.reference` refuses: what is added is added first."""

    op_domain = ""

    def _run(
        self,
        data: np.ndarray,
        pads: Any = None,
        constant_value: Any = None,
        axes: Any = None,
        mode: str | None = None,
        value: float | None = None,
    ) -> tuple[np.ndarray, ...]:
        chosen = range(data.ndim) if axes is None else [int(a) % data.ndim for a in np.asarray(axes).ravel()]
        amounts = [int(p) for p in np.asarray(pads).ravel()]
        before, after = [0] * data.ndim, [0] * data.ndim
        for place, axis in enumerate(chosen):
            before[axis], after[axis] = amounts[place], amounts[len(amounts) // 2 + place]
        widths = [(max(b, 0), max(a, 0)) for b, a in zip(before, after, strict=True)]
        mode = mode or "constant"
        if mode == "constant":
            filler = constant_value if constant_value is not None else value
            plain = np.zeros((), data.dtype) if filler is None else np.asarray(filler).reshape(()).astype(data.dtype)
            result = np.pad(data, widths, constant_values=plain)
        else:
            result = np.pad(data, widths, mode=mode)  # type: ignore[call-overload]
        cut = tuple(slice(max(-b, 0), n - max(-a, 0)) for b, a, n in zip(before, after, result.shape, strict=True))
        return (result[cut],)


def _interpolated(x: np.ndarray, scales: Any, linear: bool) -> np.ndarray:
    """Resampling before opset 11: position `i / scale`, rounded down, or between its two neighbours."""
    result = x
    for axis, scale in enumerate(float(s) for s in scales):
        size = result.shape[axis]
        if scale == 1.0:
            continue
        places = np.arange(int(np.floor(size * scale))) / scale
        low = np.clip(np.floor(places).astype(int), 0, size - 1)
        if not linear:
            low = np.clip(np.ceil(places).astype(int), 0, size - 1) if scale < 1 else low
            result = np.take(result, low, axis=axis)
            continue
        high = np.minimum(low + 1, size - 1)
        share = np.clip(places - low, 0.0, 1.0).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
        result = np.take(result, low, axis=axis) * (1 - share) + np.take(result, high, axis=axis) * share
    return result.astype(x.dtype, copy=False)


class Upsample(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(
        self, x: np.ndarray, factors: np.ndarray | None = None, mode: str | None = None, scales: Any = None
    ) -> tuple[np.ndarray, ...]:
        return (_interpolated(x, scales if factors is None else factors, mode in ("linear", "bilinear")),)


class Resize(op_resize.Resize):  # type: ignore[misc]
    """At opset 10 it takes two inputs, which `onnx.reference` reads as those of opset 11.

    A scale is the number that was written, 1.7 and not the float32 next to it: which of two neighbours is nearest may
    hang on it. `tf_half_pixel_for_nn` is the middle of an element before half of one is subtracted.
    """

    op_domain = ""

    def _run(
        self, X: np.ndarray, roi: Any = None, scales: Any = None, sizes: Any = None, mode: Any = None, **more: Any
    ) -> tuple[np.ndarray, ...]:
        if self.run_params["opsets"][""] < 11:
            return (_interpolated(X, roi, mode == "linear"),)
        if scales is not None and np.size(scales):
            scales = np.array([float(str(np.float32(s))) for s in np.asarray(scales).ravel()])
        if more.get("coordinate_transformation_mode") == "tf_half_pixel_for_nn" and mode in (None, "nearest"):
            return (self._by_centres(X, scales, sizes, more.get("nearest_mode") or "round_prefer_floor"),)
        if mode in (None, "nearest"):
            more["antialias"] = 0  # means nothing where nothing is averaged
        stock: Any = super()._run(X, roi, scales, sizes, mode=mode, **more)
        return tuple(stock)

    def _by_centres(self, x: np.ndarray, scales: Any, sizes: Any, rounding: str) -> np.ndarray:
        if scales is None or not np.size(scales):
            scales = np.asarray(sizes) / np.array(x.shape)
        for axis, scale in enumerate(np.asarray(scales, float)):
            if scale == 1.0:
                continue
            places = (np.arange(int(np.floor(x.shape[axis] * scale + 1e-9))) + 0.5) / scale
            chosen = {
                "floor": np.floor(places), "ceil": np.ceil(places), "round_prefer_ceil": np.floor(places + 0.5),
                "round_prefer_floor": np.ceil(places - 0.5),
            }[rounding]  # fmt: skip
            x = np.take(x, np.clip(chosen.astype(int), 0, x.shape[axis] - 1), axis=axis)
        return x


class RoiAlign(op_roi_align.RoiAlign):  # type: ignore[misc]
    """Before opset 16 positions are not moved by half a pixel."""

    op_domain = ""
    until = 16

    def _run(self, *inputs: Any, **attributes: Any) -> tuple[np.ndarray, ...]:
        return tuple(super()._run(*inputs, **{**attributes, "coordinate_transformation_mode": "output_half_pixel"}))


class GridSample(op_grid_sample.GridSample):  # type: ignore[misc]
    """Before opset 20 two modes have other names."""

    op_domain = ""
    until = 20

    def _run(self, X: np.ndarray, grid: np.ndarray, mode: Any = None, **more: Any) -> tuple[np.ndarray, ...]:
        names = {None: "linear", "bilinear": "linear", "bicubic": "cubic"}
        stock: Any = super()._run(X, grid, mode=names.get(mode, mode), **more)
        return tuple(stock)


class GatherElements(OpRun):  # type: ignore[misc]
    """`onnx.reference` chooses among 32 values at most, and wants indices as large as the data beside the axis."""

    op_domain = ""

    def _run(self, data: np.ndarray, indices: np.ndarray, axis: int | None = None) -> tuple[np.ndarray, ...]:
        along = (axis or 0) % data.ndim
        part = data[tuple(slice(None) if d == along else slice(size) for d, size in enumerate(indices.shape))]
        return (np.take_along_axis(part, indices.astype(np.int64), along),)


class Scatter(OpRun):  # type: ignore[misc]
    """`onnx.reference` has none: ScatterElements as it was called before operator set 11."""

    op_domain = ""

    def _run(
        self, data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: int | None = None
    ) -> tuple[np.ndarray, ...]:
        along = (axis or 0) % data.ndim
        places: list[np.ndarray] = list(np.indices(indices.shape, sparse=True))
        places[along] = indices % data.shape[along]
        result = data.copy()
        result[tuple(places)] = updates
        return (result,)


class Softsign(OpRun):  # type: ignore[misc]
    """`onnx.reference` hands out a Python number for a scalar."""

    op_domain = ""

    def _run(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        return (np.asarray(x / (1 + np.abs(x))),)


class Mean(OpRun):  # type: ignore[misc]
    """`onnx.reference` adds in the shape of the first operand, whatever the others broadcast to."""

    op_domain = ""

    def _run(self, *args: np.ndarray) -> tuple[np.ndarray, ...]:
        total = args[0]
        for each in args[1:]:
            total = total + each
        return (np.asarray(total / len(args)).astype(args[0].dtype, copy=False),)


class Unique(OpRun):  # type: ignore[misc]
    """`onnx.reference` fails where nothing is to be sorted: values in the order of their first places."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int | None = None, sorted: int | None = None) -> tuple[np.ndarray, ...]:
        values, first, inverse, counts = np.unique(
            x, return_index=True, return_inverse=True, return_counts=True, axis=axis
        )
        order = np.arange(len(first)) if sorted is None or sorted else np.argsort(first)
        rank = np.argsort(order)
        found = (np.take(values, order, axis=axis or 0), first[order], rank[inverse.reshape(-1)], counts[order])
        return found[: len(self.output)]


REPAIRS = (
    Softsign, Mean, Unique,
    GlobalMaxPool, GlobalLpPool, LpPool, LpNormalization, MeanVarianceNormalization, ConvTranspose, Pad, Upsample,
    Resize, RoiAlign, GridSample, GatherElements, Scatter, *RECURRENT, *LOOPS,
)  # fmt: skip
