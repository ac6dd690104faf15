"""Quantised operators of ONNX Runtime's own domain, ``com.microsoft``: whole numbers multiplied, then scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun

from .reference_operators import AveragePool
from .reference_recurrent import LSTM

Results = tuple[np.ndarray, ...]


def _real(x: np.ndarray, scale: np.ndarray, zero: np.ndarray | None, axis: int | None = None) -> np.ndarray:
    """What quantised numbers stand for; `axis`: of scales that are more than one."""

    def along(p: np.ndarray) -> np.ndarray:
        if p.size == 1:
            return p.reshape(())
        return p if axis is None else p.reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])

    shifted = x.astype(np.int64) - (0 if zero is None else along(zero).astype(np.int64))
    return np.asarray(shifted * along(scale))


def _whole(y: np.ndarray, scale: np.ndarray, zero: np.ndarray | None, like: np.ndarray) -> Results:
    dtype = like.dtype if zero is None else zero.dtype
    limits = np.iinfo(dtype)
    shifted = np.rint(y / scale) + (0 if zero is None else zero.astype(np.int64))
    return (np.clip(shifted, limits.min, limits.max).astype(dtype),)


def _dynamic(x: np.ndarray) -> np.ndarray:
    """`x` as DynamicQuantizeLinear keeps it."""
    low, high = min(float(x.min(initial=0)), 0.0), max(float(x.max(initial=0)), 0.0)
    scale = (high - low) / 255 or 1.0
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return np.asarray((np.clip(np.rint(x / scale) + zero, 0, 255) - zero) * scale)


class DynamicQuantizeMatMul(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(
        self, a: np.ndarray, b: np.ndarray, b_scale: np.ndarray, b_zero: np.ndarray | None = None,
        bias: np.ndarray | None = None,
    ) -> Results:  # fmt: skip
        y = _dynamic(a) @ _real(b, b_scale, b_zero, -1) + (0 if bias is None else bias)
        return (np.asarray(y).astype(a.dtype),)


class MatMulIntegerToFloat(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(
        self, a: np.ndarray, b: np.ndarray, a_scale: np.ndarray, b_scale: np.ndarray, a_zero: np.ndarray | None = None,
        b_zero: np.ndarray | None = None, bias: np.ndarray | None = None,
    ) -> Results:  # fmt: skip
        y = _real(a, a_scale, a_zero, -2) @ _real(b, b_scale, b_zero, -1) + (0 if bias is None else bias)
        return (np.asarray(y).astype(a_scale.dtype),)


class QGemm(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(
        self, a: np.ndarray, a_scale: np.ndarray, a_zero: np.ndarray, b: np.ndarray, b_scale: np.ndarray,
        b_zero: np.ndarray, c: np.ndarray | None = None, y_scale: np.ndarray | None = None,
        y_zero: np.ndarray | None = None, alpha: float = 1.0, transA: int = 0, transB: int = 0,
    ) -> Results:  # fmt: skip
        left, right = _real(a, a_scale, a_zero), _real(b, b_scale, b_zero, 0 if transB else 1)
        y = alpha * ((left.T if transA else left) @ (right.T if transB else right))
        if c is not None:
            y = y + c * (alpha * a_scale * b_scale)
        return (y.astype(a_scale.dtype),) if y_scale is None else _whole(y, y_scale, y_zero, a)


class QLinearAdd(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"
    function: Any = staticmethod(np.add)

    def _run(
        self, a: np.ndarray, a_scale: np.ndarray, a_zero: np.ndarray | None, b: np.ndarray, b_scale: np.ndarray,
        b_zero: np.ndarray | None, c_scale: np.ndarray, c_zero: np.ndarray | None = None,
    ) -> Results:  # fmt: skip
        value = self.function(_real(a, a_scale, a_zero), _real(b, b_scale, b_zero))
        return _whole(value, c_scale, c_zero, a)


class QLinearMul(QLinearAdd):
    op_domain = "com.microsoft"
    function: Any = staticmethod(np.multiply)


class QLinearSigmoid(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(
        self, x: np.ndarray, x_scale: np.ndarray, x_zero: np.ndarray | None, y_scale: np.ndarray,
        y_zero: np.ndarray | None = None,
    ) -> Results:  # fmt: skip
        return _whole(np.exp(-np.logaddexp(0, -_real(x, x_scale, x_zero))), y_scale, y_zero, x)


class QLinearLeakyRelu(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(
        self, x: np.ndarray, x_scale: np.ndarray, x_zero: np.ndarray | None, y_scale: np.ndarray,
        y_zero: np.ndarray | None = None, alpha: float = 0.01,
    ) -> Results:  # fmt: skip
        value = _real(x, x_scale, x_zero)
        return _whole(np.where(value < 0, alpha * value, value), y_scale, y_zero, x)


class QLinearGlobalAveragePool(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(
        self, x: np.ndarray, x_scale: np.ndarray, x_zero: np.ndarray, y_scale: np.ndarray, y_zero: np.ndarray,
        channels_last: int = 0,
    ) -> Results:  # fmt: skip
        axes = tuple(range(1, x.ndim - 1) if channels_last else range(2, x.ndim))
        return _whole(_real(x, x_scale, x_zero).mean(axes, keepdims=True), y_scale, y_zero, x)


class QLinearAveragePool(AveragePool):
    op_domain = "com.microsoft"

    def _run(  # type: ignore[override]
        self, x: np.ndarray, x_scale: np.ndarray, x_zero: np.ndarray | None, y_scale: np.ndarray,
        y_zero: np.ndarray | None = None, channels_last: int = 0, **attributes: Any,
    ) -> Results:  # fmt: skip
        value = _real(x, x_scale, x_zero)
        (pooled,) = super()._run(np.moveaxis(value, -1, 1) if channels_last else value, **attributes)
        return _whole(np.moveaxis(pooled, 1, -1) if channels_last else pooled, y_scale, y_zero, x)


class QLinearConcat(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(self, y_scale: np.ndarray, y_zero: np.ndarray, *parts: np.ndarray, axis: int = 0) -> Results:
        triples = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        return _whole(np.concatenate([_real(*t) for t in triples], axis=axis), y_scale, y_zero, parts[0])


class QLinearSoftmax(OpRun):  # type: ignore[misc]
    """As the standard's Softmax of the operator set `opset`: before 13 over all axes from `axis` on."""

    op_domain = "com.microsoft"

    def _run(
        self, x: np.ndarray, x_scale: np.ndarray, x_zero: np.ndarray | None, y_scale: np.ndarray,
        y_zero: np.ndarray | None = None, axis: int = -1, opset: int = 13,
    ) -> Results:  # fmt: skip
        value = _real(x, x_scale, x_zero)
        rows = value if opset >= 13 else value.reshape(*x.shape[: axis % x.ndim], -1)
        along = axis if opset >= 13 else -1
        weights = np.exp(rows - rows.max(along, keepdims=True))
        return _whole((weights / weights.sum(along, keepdims=True)).reshape(x.shape), y_scale, y_zero, x)


class MatMulNBits(OpRun):  # type: ignore[misc]
    """Weights of 2, 4 or 8 bits, in blocks along the summed axis; the low bits of a byte come first."""

    op_domain = "com.microsoft"

    def _run(
        self, a: np.ndarray, b: np.ndarray, scales: np.ndarray, zeros: np.ndarray | None = None,
        groups: np.ndarray | None = None, bias: np.ndarray | None = None, K: int = 0, N: int = 0, bits: int = 4,
        block_size: int = 32, accuracy_level: int = 0, **_: Any,
    ) -> Results:  # fmt: skip
        blocks = -(-K // block_size)
        numbers = _unpacked(b.reshape(N, -1), bits)[:, : blocks * block_size].astype(np.float64)
        if zeros is None:
            offset = np.full((N, blocks), float(1 << (bits - 1)))
        elif zeros.dtype == np.uint8:
            offset = _unpacked(zeros.reshape(N, -1), bits)[:, :blocks].astype(np.float64)
        else:
            offset = zeros.reshape(N, blocks).astype(np.float64)
        group = np.arange(K) // block_size if groups is None else groups[:K]
        weights = (numbers[:, :K] - offset[:, group]) * scales.reshape(N, blocks)[:, group]
        return (np.asarray(a @ weights.T + (0 if bias is None else bias)).astype(a.dtype),)


def _unpacked(packed: np.ndarray, bits: int) -> np.ndarray:
    """(rows, bytes) -> (rows, numbers)."""
    shifts = np.arange(0, 8, bits)
    return np.asarray((packed[:, :, None] >> shifts) & ((1 << bits) - 1)).reshape(packed.shape[0], -1)


class DynamicQuantizeLSTM(LSTM):
    """The weights are quantised. Engines quantise what they multiply with them too, each in its own portions; the
    operator does not say how, so that only its real value is computed here."""

    op_domain = "com.microsoft"

    def _run(  # type: ignore[override]
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        initial_c: Any = None, P: Any = None, W_scale: Any = None, W_zero: Any = None, R_scale: Any = None,
        R_zero: Any = None, **attributes: Any,
    ) -> Results:  # fmt: skip
        def real(x: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> np.ndarray:
            each = [s.reshape(len(x), 1, -1) for s in (scale, zero.astype(np.int64))]
            return np.asarray(((x.astype(np.int64) - each[1]) * each[0]).transpose(0, 2, 1))

        return super()._run(
            X, real(W, W_scale, W_zero), real(R, R_scale, R_zero), B, sequence_lens, initial_h, initial_c, P,
            **attributes,
        )  # fmt: skip


QUANTIZED = (
    DynamicQuantizeMatMul, MatMulIntegerToFloat, QGemm, QLinearAdd, QLinearMul, QLinearSigmoid, QLinearLeakyRelu,
    QLinearGlobalAveragePool, QLinearAveragePool, QLinearConcat, QLinearSoftmax, MatMulNBits, DynamicQuantizeLSTM,
)  # fmt: skip
