"""Operators for the oracle where `onnx.reference` is slow (it takes pooling windows one by one) or wrong.

Each class treats the plain case and leaves every other one (`ceil_mode`, indices) to the class of
`onnx.reference` that it extends, so that the specification's own code stays the authority. One pass for each kernel
offset: K·K additions of whole arrays instead of one Python call for each output element.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun
from onnx.reference.ops import (
    op_average_pool,
    op_batch_normalization,
    op_conv,
    op_hardmax,
    op_log_softmax,
    op_lrn,
    op_softmax,
)

from .reference_repairs import REPAIRS
from .reference_windows import framed, laid_out, windows

COLUMNS = 64 << 20  # bytes of a convolution's input, taken apart, that are held at once


def _padded(x: np.ndarray, pads: Sequence[int], value: float) -> np.ndarray:
    rank = x.ndim - 2
    widths = [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)]
    return np.pad(x, widths, constant_values=value) if any(pads) else x


def _fits(x: np.ndarray, kernel: Sequence[int], pads: Sequence[int], dilations: Sequence[int]) -> bool:
    rank = x.ndim - 2
    sizes = (n + a + b for n, a, b in zip(x.shape[2:], pads[:rank], pads[rank:], strict=True))
    return all(n >= (k - 1) * d + 1 for n, k, d in zip(sizes, kernel, dilations, strict=True))


def _plain(
    x: np.ndarray,
    auto_pad: str | None,
    kernel: Sequence[int],
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
    dilations: Sequence[int] | None,
) -> tuple[list[int], ...] | None:
    """Pads, strides and dilations in full, automatic padding worked out; None without floats or spatial axes."""
    rank = x.ndim - 2
    if rank < 1 or x.dtype.kind != "f":
        return None
    steps, gaps = list(strides or [1] * rank), list(dilations or [1] * rank)
    if auto_pad in (None, "", "NOTSET"):
        return list(pads or [0] * 2 * rank), steps, gaps
    before, after = [0] * rank, [0] * rank
    for i, (size, k, s, d) in enumerate(zip(x.shape[2:], kernel, steps, gaps, strict=True)):
        if auto_pad != "VALID":
            total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
            small, large = total // 2, total - total // 2
            before[i], after[i] = (small, large) if auto_pad == "SAME_UPPER" else (large, small)
    return before + after, steps, gaps


class Conv(op_conv.Conv):  # type: ignore[misc]
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
        pads: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
    ) -> tuple[np.ndarray, ...]:
        plain = _plain(X, auto_pad, W.shape[2:], pads, strides, dilations)
        groups = group or 1
        if plain is None or not _fits(X, W.shape[2:], plain[0], plain[2]) or X.shape[1] != groups * W.shape[1]:
            stock: Any = super()._run(X, W, B, auto_pad, dilations, group, kernel_shape, pads, strides)
            return tuple(stock)
        padded = _padded(X, plain[0], 0.0)
        batch, channels, outputs = X.shape[0], W.shape[1], W.shape[0] // groups
        offsets = list(windows(padded, W.shape[2:], plain[1], plain[2]))
        place = offsets[0][1].shape[2:]
        weights = np.moveaxis(W.reshape(groups, outputs, channels, -1), 3, 2)  # …, kernel offset, channel
        # As many offsets side by side as `COLUMNS` bytes hold: one product is faster than a sum of small ones.
        each = max(1, batch * groups * channels * int(np.prod(place)) * X.itemsize)
        several = max(1, min(len(offsets), COLUMNS // each))
        total = None
        for start in range(0, len(offsets), several):
            views = [view.reshape(batch, groups, channels, -1) for _, view in offsets[start : start + several]]
            columns = np.concatenate(views, axis=2) if len(views) > 1 else views[0]
            part = np.matmul(weights[:, :, start : start + several].reshape(groups, outputs, -1), columns)
            total = part if total is None else np.add(total, part, out=total)
        assert total is not None, "a kernel has at least one element"
        result = total.reshape(batch, W.shape[0], *place)
        if B is not None:
            result += B.reshape(1, -1, *[1] * len(place))
        return (result.astype(X.dtype, copy=False),)


class MaxPool(OpRun):  # type: ignore[misc]
    """`onnx.reference` takes windows one by one, and counts the places of the largest elements in its own ways."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        auto_pad: str | None = None,
        ceil_mode: int | None = None,
        dilations: Sequence[int] | None = None,
        kernel_shape: Sequence[int] | None = None,
        pads: Sequence[int] | None = None,
        storage_order: int | None = None,
        strides: Sequence[int] | None = None,
    ) -> tuple[np.ndarray, ...]:
        kernel, sizes = list(kernel_shape or ()), x.shape[2:]
        before, spans, steps, gaps = laid_out(sizes, auto_pad, kernel, pads, strides, dilations, bool(ceil_mode))
        lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
        result, places = None, None
        along = np.array([int(np.prod(sizes[:i] if storage_order else sizes[i + 1 :])) for i in range(len(sizes))])
        for offset, view in windows(framed(x, before, spans, lowest), kernel, steps, gaps):
            if len(self.output) > 1:
                here = (
                    np.arange(n) * s + o * d - b
                    for n, s, o, d, b in zip(view.shape[2:], steps, offset, gaps, before, strict=True)
                )
                flat = sum(
                    c.reshape([-1 if a == i else 1 for a in range(len(sizes))]) * along[i] for i, c in enumerate(here)
                )
                mine = np.broadcast_to(flat, view.shape)
                places = mine.copy() if result is None or places is None else np.where(view > result, mine, places)
            result = view.copy() if result is None else np.maximum(result, view, out=result)
        assert result is not None, "a kernel has at least one element"
        if places is None:
            return (result,)
        first = np.arange(int(np.prod(x.shape[:2]))) * int(np.prod(sizes))
        return result, (places + first.reshape(*x.shape[:2], *[1] * len(sizes))).astype(np.int64)


class AveragePool(op_average_pool.AveragePool_19):  # type: ignore[misc]
    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        auto_pad: str | None = None,
        ceil_mode: int | None = None,
        dilations: Sequence[int] | None = None,
        kernel_shape: Sequence[int] | None = None,
        pads: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        count_include_pad: int | None = None,
    ) -> tuple[np.ndarray, ...]:
        kernel = list(kernel_shape or ())
        plain = _plain(x, auto_pad, kernel, pads, strides, dilations)
        ceil_mode = ceil_mode if auto_pad in (None, "", "NOTSET", "VALID") else 0  # the others fix the output's size
        if plain is None or ceil_mode or not _fits(x, kernel, plain[0], plain[2]):
            if auto_pad == "VALID":  # which `onnx.reference` refuses beside `ceil_mode`
                auto_pad, pads = "NOTSET", [0] * 2 * (x.ndim - 2)
            stock: Any = super()._run(x, auto_pad, ceil_mode, dilations, kernel_shape, pads, strides, count_include_pad)
            return tuple(stock)
        inside = np.ones((1, 1, *x.shape[2:]), x.dtype)  # 1 where a position counts
        counted = _total(_padded(inside, plain[0], 1.0 if count_include_pad else 0.0), kernel, plain)
        return ((_total(_padded(x, plain[0], 0.0), kernel, plain) / counted).astype(x.dtype, copy=False),)


def _total(padded: np.ndarray, kernel: Sequence[int], plain: Sequence[Sequence[int]]) -> np.ndarray:
    result = None
    for _, view in windows(padded, kernel, plain[1], plain[2]):
        result = view.copy() if result is None else np.add(result, view, out=result)
    assert result is not None, "a kernel has at least one element"
    return result


class BatchNormalization(op_batch_normalization.BatchNormalization_14):  # type: ignore[misc]
    """Before opset 14 a node with one output normalises by the statistics it is given; `onnx.reference` mixes those
    of the batch in, by the default of `momentum`."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        scale: np.ndarray,
        bias: np.ndarray,
        mean: np.ndarray,
        var: np.ndarray,
        epsilon: float | None = None,
        momentum: float | None = None,
        training_mode: int | None = None,
        **older: Any,
    ) -> tuple[np.ndarray, ...]:
        if training_mode or len(self.output) > 1:
            stock: Any = super()._run(x, scale, bias, mean, var, epsilon, momentum, 1)
            return tuple(stock)
        ones = [1] * (x.ndim - 2)
        scale, bias, mean, var = (v.reshape(-1, *ones) for v in (scale, bias, mean, var))
        y = scale * (x - mean) / np.sqrt(var + (1e-5 if epsilon is None else epsilon)) + bias
        return (y.astype(x.dtype, copy=False),)


def _in_rows(operator: OpRun, x: np.ndarray) -> np.ndarray | None:
    """Before opset 13 the softmax family works on rows of a matrix: all axes from `axis` (1 where absent) are one.

    `onnx.reference` takes one axis, the last where absent. None from opset 13 on, which it has right.
    """
    if operator.run_params["opsets"][""] >= 13:
        return None
    given = [a.i for a in operator.onnx_node.attribute if a.name == "axis"]
    axis = (given[0] if given else 1) % max(x.ndim, 1)
    return x.reshape(int(np.prod(x.shape[:axis])), -1)


class Softmax(op_softmax.Softmax):  # type: ignore[misc]
    op_domain = ""

    def _run(self, X: np.ndarray, axis: int | None = None) -> tuple[np.ndarray, ...]:
        rows = _in_rows(self, X)
        stock: Any = super()._run(X, axis=axis) if rows is None else super()._run(rows, axis=1)
        return (stock[0].reshape(X.shape),)


class LogSoftmax(op_log_softmax.LogSoftmax):  # type: ignore[misc]
    op_domain = ""

    def _run(self, X: np.ndarray, axis: int | None = None) -> tuple[np.ndarray, ...]:
        rows, along = _in_rows(self, X), 1
        if rows is None:
            rows, along = X, next((a.i for a in self.onnx_node.attribute if a.name == "axis"), -1)
        shifted = rows - rows.max(axis=along, keepdims=True)
        result = shifted - np.log(np.exp(shifted).sum(axis=along, keepdims=True))
        return (result.reshape(X.shape).astype(X.dtype, copy=False),)


class Hardmax(op_hardmax.Hardmax):  # type: ignore[misc]
    op_domain = ""

    def _run(self, x: np.ndarray, axis: int | None = None) -> tuple[np.ndarray, ...]:
        rows = _in_rows(self, x)
        stock: Any = super()._run(x, axis=axis) if rows is None else super()._run(rows, axis=1)
        return (stock[0].reshape(x.shape),)


class LRN(op_lrn.LRN):  # type: ignore[misc]
    """`onnx.reference` sums squares for as many channels as there are examples in the batch."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        alpha: float | None = None,
        beta: float | None = None,
        bias: float | None = None,
        size: int | None = None,
    ) -> tuple[np.ndarray, ...]:
        assert None not in (alpha, beta, bias, size), "the schema has defaults for all but `size`, which is required"
        squares = np.square(x)
        before, after = (size - 1) // 2, size // 2  # type: ignore[operator]
        sums = [squares[:, max(0, c - before) : min(x.shape[1], c + after + 1)].sum(axis=1) for c in range(x.shape[1])]
        y = x / (bias + alpha / size * np.stack(sums, axis=1)) ** beta  # type: ignore[operator]
        return (y.astype(x.dtype, copy=False),)


class QuantizeLinear(OpRun):  # type: ignore[misc]
    """Before opset 19, which `onnx.reference` begins with."""

    op_domain = ""
    until = 19

    def _run(
        self, x: np.ndarray, scale: np.ndarray, zero: np.ndarray | None = None, axis: int | None = None, **_: Any
    ) -> tuple[np.ndarray, ...]:
        dtype = np.dtype(np.uint8) if zero is None else zero.dtype
        scale, zero = _along(scale, x, axis), _along(np.zeros((), dtype) if zero is None else zero, x, axis)
        limits = np.iinfo(dtype)
        rounded = np.nan_to_num(np.rint(x / scale)) + zero
        return (np.clip(rounded, limits.min, limits.max).astype(dtype),)


class DequantizeLinear(OpRun):  # type: ignore[misc]
    op_domain = ""
    until = 19

    def _run(
        self, x: np.ndarray, scale: np.ndarray, zero: np.ndarray | None = None, axis: int | None = None, **_: Any
    ) -> tuple[np.ndarray, ...]:
        wide = x.astype(np.int64)
        if zero is not None:
            wide = wide - _along(zero.astype(np.int64), x, axis)
        return ((wide * _along(scale, x, axis)).astype(scale.dtype),)


def _along(parameter: np.ndarray, x: np.ndarray, axis: int | None) -> np.ndarray:
    """One number for all, or one for each slice of `x` along `axis` (1 where absent)."""
    if parameter.size == 1:
        return parameter.reshape(())
    shape = [1] * x.ndim
    shape[1 if axis is None else axis] = parameter.size
    return parameter.reshape(shape)


OPERATORS = (
    Conv, MaxPool, AveragePool, BatchNormalization, Softmax, LogSoftmax, Hardmax, LRN, QuantizeLinear, DequantizeLinear,
)  # fmt: skip


def operators_for(opset: int) -> list[Any]:
    """Those that a model of this opset is run with."""
    return [operator for operator in (*OPERATORS, *REPAIRS) if opset < getattr(operator, "until", opset + 1)]
