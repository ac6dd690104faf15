"""Operators that `onnx.reference` lacks or computes otherwise than its specification says, found by the sweep of
`tests/differential/test_reference_sweep.py` against two independent engines. Each is written from the specification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun
from onnx.reference.ops import op_conv_transpose, op_grid_sample, op_lp_pool, op_pad, op_resize, op_roi_align


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


class LpPool(op_lp_pool.LpPool):  # type: ignore[misc]
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
        if not ceil_mode or auto_pad not in (None, "", "NOTSET"):
            given = (auto_pad, ceil_mode, dilations, kernel_shape, p, pads, strides, count_include_pad)
            stock: Any = super()._run(x, *given)
            return tuple(stock)
        rank, order, kernel = x.ndim - 2, p or 2, list(kernel_shape or ())
        steps, gaps, edges = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
        spans = [(k - 1) * d + 1 for k, d in zip(kernel, gaps, strict=True)]
        widths, places = [(0, 0), (0, 0)], []
        for i, (size, span, step) in enumerate(zip(x.shape[2:], spans, steps, strict=True)):
            whole = size + edges[i] + edges[rank + i]
            count = -(-(whole - span) // step) + 1
            widths.append((edges[i], edges[rank + i] + max((count - 1) * step + span - whole, 0)))
            places.append(slice(0, (count - 1) * step + 1, step))
        padded = np.pad(np.abs(x) ** order, widths)
        windows = np.lib.stride_tricks.sliding_window_view(padded, spans, axis=tuple(range(2, x.ndim)))
        inside = tuple(slice(None, None, d) for d in gaps)
        chosen = windows[(slice(None), slice(None), *places, *inside)]
        total = chosen.sum(axis=tuple(range(x.ndim, x.ndim + rank)))
        return ((total ** (1.0 / order)).astype(x.dtype, copy=False),)


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


class ConvTranspose(op_conv_transpose.ConvTranspose):  # type: ignore[misc]
    """`onnx.reference` knows one group only."""

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
        groups = group or 1
        parts = []
        for inputs, kernels in zip(np.split(X, groups, axis=1), np.split(W, groups, axis=0), strict=True):
            given = (auto_pad, dilations, 1, kernel_shape, output_padding, output_shape, pads, strides)
            stock: Any = super()._run(inputs, kernels, None, *given)
            parts.append(stock[0])
        result = np.concatenate(parts, axis=1)
        return (result if B is None else result + B.reshape(1, -1, *[1] * (X.ndim - 2)),)


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
    """At opset 10 it takes two inputs, which `onnx.reference` reads as those of opset 11."""

    op_domain = ""
    until = 11

    def _run(self, X: np.ndarray, roi: Any = None, *rest: Any, mode: Any = None, **more: Any) -> tuple[np.ndarray, ...]:
        return (_interpolated(X, roi, mode == "linear"),)


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


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-np.logaddexp(0, -x)))


def _recurrent(
    node: Any,
    X: np.ndarray,
    W: np.ndarray,
    lengths: np.ndarray | None,
    states: Sequence[np.ndarray | None],
    layout: int | None,
    step: Callable[[int, np.ndarray, tuple[np.ndarray, ...]], tuple[np.ndarray, ...]],
    hidden: int,
) -> tuple[np.ndarray, ...]:
    """Runs `step` (direction, input, states -> states) over the sequence: an instance's states stop with its length,
    its outputs beyond are 0, and the backward direction begins at its last element."""
    attributes = {a.name: a for a in node.attribute}
    direction = attributes["direction"].s.decode() if "direction" in attributes else "forward"
    x = np.swapaxes(X, 0, 1) if layout else X
    steps, batch = x.shape[:2]
    ends = np.full(batch, steps) if lengths is None else np.asarray(lengths)
    ways = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[direction]
    Y = np.zeros((steps, len(ways), batch, hidden), X.dtype)
    last = []
    for number, backward in enumerate(ways):
        first = [None if s is None else (s[:, number] if layout else s[number]) for s in states]
        state = tuple(np.zeros((batch, hidden), X.dtype) if s is None else s.astype(X.dtype) for s in first)
        for t in reversed(range(steps)) if backward else range(steps):
            alive = (t < ends)[:, None]
            moved = step(number, x[t], state)
            state = tuple(np.where(alive, new, old) for new, old in zip(moved, state, strict=True))
            Y[t, number] = np.where(alive, state[0], 0)
        last.append(state)
    final = [np.stack([s[i] for s in last]) for i in range(len(states))]
    if layout:
        return (Y.transpose(2, 0, 1, 3), *(np.swapaxes(f, 0, 1) for f in final))
    return (Y, *final)


def _is_plain(node: Any, defaults: Sequence[str]) -> bool:
    """Whether activations are the usual ones and nothing is clipped."""
    given = {a.name: a for a in node.attribute}
    if {"clip", "activation_alpha", "activation_beta", "input_forget"} & {
        n for n, a in given.items() if a.i or a.f or a.floats
    }:
        return False
    names = [s.decode() for s in given["activations"].strings] if "activations" in given else []
    return all(name == defaults[i % len(defaults)] for i, name in enumerate(names))


class LSTM(OpRun):  # type: ignore[misc]
    """`onnx.reference` leaves the lengths of sequences out. Peepholes included; gates in the order i, o, f, c."""

    op_domain = ""

    def _run(
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        initial_c: Any = None, P: Any = None, hidden_size: int | None = None, layout: int | None = None, **_: Any,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        if not _is_plain(self.onnx_node, ("Sigmoid", "Tanh", "Tanh")):
            raise NotImplementedError("LSTM with other activations, clipping or coupled gates")
        size = R.shape[-1]

        def step(d: int, x: np.ndarray, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            h, c = state
            gates = x @ W[d].T + h @ R[d].T + (0 if B is None else B[d, : 4 * size] + B[d, 4 * size :])
            i, o, f, g = np.split(gates, 4, axis=-1)
            pi, po, pf = np.split(P[d], 3) if P is not None else (0.0, 0.0, 0.0)
            new = _sigmoid(f + pf * c) * c + _sigmoid(i + pi * c) * np.tanh(g)
            return _sigmoid(o + po * new) * np.tanh(new), new

        return _recurrent(self.onnx_node, X, W, sequence_lens, (initial_h, initial_c), layout, step, size)


class GRU(OpRun):  # type: ignore[misc]
    """As `LSTM`; gates in the order z, r, h."""

    op_domain = ""

    def _run(
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        hidden_size: int | None = None, layout: int | None = None, linear_before_reset: int | None = None, **_: Any,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        if not _is_plain(self.onnx_node, ("Sigmoid", "Tanh")):
            raise NotImplementedError("GRU with other activations or clipping")
        size = R.shape[-1]

        def step(d: int, x: np.ndarray, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            (h,) = state
            wz, wr, wh = np.split(x @ W[d].T + (0 if B is None else B[d, : 3 * size]), 3, axis=-1)
            rz, rr, rh = np.split(R[d], 3)
            bz, br, bh = np.split(B[d, 3 * size :], 3) if B is not None else (0.0, 0.0, 0.0)
            z, r = _sigmoid(wz + h @ rz.T + bz), _sigmoid(wr + h @ rr.T + br)
            inner = r * (h @ rh.T + bh) if linear_before_reset else (r * h) @ rh.T + bh
            return ((1 - z) * np.tanh(wh + inner) + z * h,)

        return _recurrent(self.onnx_node, X, W, sequence_lens, (initial_h,), layout, step, size)


class RNN(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        hidden_size: int | None = None, layout: int | None = None, **_: Any,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        names = [s.decode() for a in self.onnx_node.attribute if a.name == "activations" for s in a.strings] or ["Tanh"]
        known: dict[str, Callable[[np.ndarray], np.ndarray]] = {
            "Tanh": np.tanh, "Relu": lambda v: np.maximum(v, 0), "Sigmoid": _sigmoid,
        }  # fmt: skip
        if any(n not in known for n in names):
            raise NotImplementedError(f"RNN with the activations {', '.join(names)}")
        size = R.shape[-1]

        def step(d: int, x: np.ndarray, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            total = x @ W[d].T + state[0] @ R[d].T + (0 if B is None else B[d, :size] + B[d, size:])
            return (np.asarray(known[names[d % len(names)]](total)),)

        return _recurrent(self.onnx_node, X, W, sequence_lens, (initial_h,), layout, step, size)


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


REPAIRS = (
    GlobalMaxPool, GlobalLpPool, LpPool, LpNormalization, MeanVarianceNormalization, ConvTranspose, Pad, Upsample,
    Resize, RoiAlign, GridSample, LSTM, GRU, RNN, GatherElements, Scatter,
)  # fmt: skip
