"""Operators that `onnx.reference` lacks or computes otherwise than its specification says, found by the sweep of
`tests/differential/test_reference_sweep.py` against two independent engines. Each is written from the specification."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun
from onnx.reference.ops import op_grid_sample, op_pad, op_resize, op_roi_align

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
            wanted = [n * s for n, s in zip(sizes, steps, strict=True)]
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


Function = Callable[[np.ndarray], np.ndarray]
FUNCTIONS: dict[str, Callable[[float | None, float | None], Function]] = {
    "Sigmoid": lambda a, b: _sigmoid,
    "Tanh": lambda a, b: np.tanh,
    "Relu": lambda a, b: lambda v: np.maximum(v, 0),
    "Softsign": lambda a, b: lambda v: v / (1 + np.abs(v)),
    "Softplus": lambda a, b: lambda v: np.logaddexp(0, v),
    "LeakyRelu": lambda a, b: lambda v: np.where(v < 0, (0.01 if a is None else a) * v, v),
    "Elu": lambda a, b: lambda v: np.where(v < 0, (1.0 if a is None else a) * np.expm1(v), v),
    "HardSigmoid": lambda a, b: lambda v: np.clip((0.2 if a is None else a) * v + (0.5 if b is None else b), 0, 1),
}


def _functions(node: Any, usual: Sequence[str]) -> list[Function]:
    """The activations of each direction in turn, with what they clip their operand to.

    The last one of an LSTM takes the cell's state, which engines do not clip.
    """
    given = {a.name: a for a in node.attribute}
    ways = 2 if "direction" in given and given["direction"].s == b"bidirectional" else 1
    names = [s.decode() for s in given["activations"].strings] if "activations" in given else list(usual) * ways
    unknown = [n for n in names if n not in FUNCTIONS]
    if unknown:
        raise NotImplementedError(f"{node.op_type} with the activation {unknown[0]}")
    first, second = (list(given[n].floats) if n in given else [] for n in ("activation_alpha", "activation_beta"))
    limit = given["clip"].f if "clip" in given and given["clip"].f else None

    def clipped(function: Function) -> Function:
        return function if limit is None else lambda v: function(np.clip(v, -limit, limit))

    found = []
    for place, name in enumerate(names):  # parameters stand in the order of the functions that take one
        a = first.pop(0) if first and name in ("LeakyRelu", "Elu", "HardSigmoid") else None
        b = second.pop(0) if second and name == "HardSigmoid" else None
        function = FUNCTIONS[name](a, b)
        found.append(function if place % len(usual) == 2 else clipped(function))
    return found


class LSTM(OpRun):  # type: ignore[misc]
    """`onnx.reference` leaves the lengths of sequences out. Peepholes included; gates in the order i, o, f, c."""

    op_domain = ""

    def _run(
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        initial_c: Any = None, P: Any = None, hidden_size: int | None = None, layout: int | None = None, **_: Any,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        size, chosen = R.shape[-1], _functions(self.onnx_node, ("Sigmoid", "Tanh", "Tanh"))
        coupled = any(a.name == "input_forget" and a.i for a in self.onnx_node.attribute)

        def step(d: int, x: np.ndarray, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            (h, c), (gate, inner, outer) = state, chosen[3 * d : 3 * d + 3]
            gates = x @ W[d].T + h @ R[d].T + (0 if B is None else B[d, : 4 * size] + B[d, 4 * size :])
            i, o, f, g = np.split(gates, 4, axis=-1)
            pi, po, pf = np.split(P[d], 3) if P is not None else (0.0, 0.0, 0.0)
            taken = gate(i + pi * c)
            new = (1 - taken if coupled else gate(f + pf * c)) * c + taken * inner(g)
            return gate(o + po * new) * outer(new), new

        return _recurrent(self.onnx_node, X, W, sequence_lens, (initial_h, initial_c), layout, step, size)


class GRU(OpRun):  # type: ignore[misc]
    """As `LSTM`; gates in the order z, r, h."""

    op_domain = ""

    def _run(
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        hidden_size: int | None = None, layout: int | None = None, linear_before_reset: int | None = None, **_: Any,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        size, chosen = R.shape[-1], _functions(self.onnx_node, ("Sigmoid", "Tanh"))

        def step(d: int, x: np.ndarray, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            (h,), (gate, inward) = state, chosen[2 * d : 2 * d + 2]
            wz, wr, wh = np.split(x @ W[d].T + (0 if B is None else B[d, : 3 * size]), 3, axis=-1)
            rz, rr, rh = np.split(R[d], 3)
            bz, br, bh = np.split(B[d, 3 * size :], 3) if B is not None else (0.0, 0.0, 0.0)
            z, r = gate(wz + h @ rz.T + bz), gate(wr + h @ rr.T + br)
            inner = r * (h @ rh.T + bh) if linear_before_reset else (r * h) @ rh.T + bh
            return ((1 - z) * inward(wh + inner) + z * h,)

        return _recurrent(self.onnx_node, X, W, sequence_lens, (initial_h,), layout, step, size)


class RNN(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        hidden_size: int | None = None, layout: int | None = None, **_: Any,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        chosen = _functions(self.onnx_node, ("Tanh",))
        size = R.shape[-1]

        def step(d: int, x: np.ndarray, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            total = x @ W[d].T + state[0] @ R[d].T + (0 if B is None else B[d, :size] + B[d, size:])
            return (np.asarray(chosen[d](total)),)

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
    Resize, RoiAlign, GridSample, LSTM, GRU, RNN, GatherElements, Scatter,
)  # fmt: skip
