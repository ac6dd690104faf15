"""Operators of ONNX Runtime's own domain, ``com.microsoft``, which optimised and quantised files are made of.

Each follows its entry in ONNX Runtime's list of contributed operators; the specification has none of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun

from .reference_attention import ATTENTIONS
from .reference_operators import Conv
from .reference_quantized import QUANTIZED

DOMAIN = "com.microsoft"
Results = tuple[np.ndarray, ...]


def _erf(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.vectorize(math.erf, otypes=[np.float64])(x)).reshape(np.shape(x))


def _gelu(x: np.ndarray) -> Results:
    return ((0.5 * x * (1 + _erf(x / np.sqrt(2.0)))).astype(x.dtype),)


class Gelu(OpRun):  # type: ignore[misc]
    op_domain = DOMAIN

    def _run(self, x: np.ndarray, **_: Any) -> Results:  # the attributes of the standard's own Gelu
        return _gelu(x)


class BiasGelu(OpRun):  # type: ignore[misc]
    op_domain = DOMAIN

    def _run(self, x: np.ndarray, bias: np.ndarray) -> Results:
        return _gelu(x + bias)


class FastGelu(OpRun):  # type: ignore[misc]
    op_domain = DOMAIN

    def _run(self, x: np.ndarray, bias: np.ndarray | None = None) -> Results:
        v = x if bias is None else x + bias
        inner = np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)
        return ((0.5 * v * (1 + np.tanh(inner))).astype(x.dtype),)


class QuickGelu(OpRun):  # type: ignore[misc]
    op_domain = DOMAIN

    def _run(self, x: np.ndarray, alpha: float = 1.702) -> Results:
        return ((x * np.exp(-np.logaddexp(0, -alpha * x))).astype(x.dtype),)


class FusedMatMul(OpRun):  # type: ignore[misc]
    """`transBatchA` moves the first axis behind all but the last one."""

    op_domain = DOMAIN

    def _run(
        self, a: np.ndarray, b: np.ndarray, alpha: float = 1.0, transA: int = 0, transB: int = 0, transBatchA: int = 0,
        transBatchB: int = 0,
    ) -> Results:  # fmt: skip
        def laid(x: np.ndarray, batch: int, last: int) -> np.ndarray:
            x = np.moveaxis(x, 0, -2) if batch and x.ndim > 2 else x
            return np.swapaxes(x, -1, -2) if last and x.ndim > 1 else x

        return (np.asarray(alpha * (laid(a, transBatchA, transA) @ laid(b, transBatchB, transB))).astype(a.dtype),)


class TransposeMatMul(FusedMatMul):
    op_domain = DOMAIN


ACTIVATIONS: dict[str, Any] = {
    "": lambda x, p: x,
    "Relu": lambda x, p: np.maximum(x, 0),
    "Sigmoid": lambda x, p: np.exp(-np.logaddexp(0, -x)),
    "Tanh": lambda x, p: np.tanh(x),
    "LeakyRelu": lambda x, p: np.where(x < 0, (p[0] if p else 0.01) * x, x),
    "Clip": lambda x, p: np.clip(x, p[0], p[1]),
    "HardSigmoid": lambda x, p: np.clip(p[0] * x + p[1], 0, 1),
}


def _activated(x: np.ndarray, name: str, parameters: Any) -> np.ndarray:
    if name not in ACTIVATIONS:
        raise NotImplementedError(f"the fused activation {name}")
    return np.asarray(ACTIVATIONS[name](x, list(parameters or ()))).astype(x.dtype)


class FusedConv(Conv):
    """A convolution, a sum and an activation."""

    op_domain = DOMAIN

    def _run(  # type: ignore[override]
        self, X: np.ndarray, W: np.ndarray, B: np.ndarray | None = None, Z: np.ndarray | None = None,
        activation: str = "", activation_params: Any = None, auto_pad: str = "NOTSET", dilations: Any = None,
        group: int = 1, kernel_shape: Any = None, pads: Any = None, strides: Any = None,
    ) -> Results:  # fmt: skip
        (y,) = super()._run(X, W, B, auto_pad, dilations, group, kernel_shape or W.shape[2:], pads, strides)
        return (_activated(y if Z is None else y + Z, activation, activation_params),)


class FusedGemm(OpRun):  # type: ignore[misc]
    op_domain = DOMAIN

    def _run(
        self, A: np.ndarray, B: np.ndarray, C: np.ndarray | None = None, activation: str = "",
        activation_alpha: float | None = None, activation_beta: float | None = None,
        activation_gamma: float | None = None, alpha: float = 1.0, beta: float = 1.0, transA: int = 0, transB: int = 0,
    ) -> Results:  # fmt: skip
        y = alpha * ((A.T if transA else A) @ (B.T if transB else B)) + (0 if C is None else beta * C)
        parameters = [p for p in (activation_alpha, activation_beta, activation_gamma) if p is not None]
        return (_activated(y.astype(A.dtype), activation, parameters),)


def _normalized(x: np.ndarray, epsilon: float, centred: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Over the last axis: the result, the mean and the inverse of the deviation."""
    mean = x.mean(-1, keepdims=True) if centred else np.zeros((*x.shape[:-1], 1), x.dtype)
    inverse = 1 / np.sqrt(np.square(x - mean).mean(-1, keepdims=True) + epsilon)
    return (x - mean) * inverse, mean, inverse


class SkipLayerNormalization(OpRun):  # type: ignore[misc]
    op_domain = DOMAIN

    def _run(
        self, x: np.ndarray, skip: np.ndarray, gamma: np.ndarray, beta: np.ndarray | None = None,
        bias: np.ndarray | None = None, epsilon: float = 1e-12,
    ) -> Results:  # fmt: skip
        total = x + skip + (0 if bias is None else bias)
        y, mean, inverse = _normalized(total, epsilon, True)
        y = y * gamma + (0 if beta is None else beta)
        return (y.astype(x.dtype), mean, inverse, total.astype(x.dtype))[: len(self.output)]


class SkipSimplifiedLayerNormalization(OpRun):  # type: ignore[misc]
    op_domain = DOMAIN

    def _run(
        self, x: np.ndarray, skip: np.ndarray, gamma: np.ndarray, bias: np.ndarray | None = None,
        epsilon: float = 1e-12,
    ) -> Results:  # fmt: skip
        total = x + skip + (0 if bias is None else bias)
        y, mean, inverse = _normalized(total, epsilon, False)
        return ((y * gamma).astype(x.dtype), mean, inverse, total.astype(x.dtype))[: len(self.output)]


class SimplifiedLayerNormalization(OpRun):  # type: ignore[misc]
    """Stands in the standard's domain, though the standard calls it RMSNormalization."""

    op_domain = ""

    def _run(
        self, x: np.ndarray, scale: np.ndarray, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
    ) -> Results:
        shape = x.shape
        flat = x.reshape(*shape[: axis % x.ndim], -1)
        y, _, inverse = _normalized(flat, epsilon, False)
        kept = [n if i < axis % x.ndim else 1 for i, n in enumerate(shape)]
        return ((y.reshape(shape) * scale).astype(x.dtype), inverse.reshape(kept))[: len(self.output)]


class EmbedLayerNormalization(OpRun):  # type: ignore[misc]
    op_domain = DOMAIN

    def _run(
        self, ids: np.ndarray, segments: np.ndarray | None, words: np.ndarray, places: np.ndarray,
        segment: np.ndarray | None = None, gamma: Any = None, beta: Any = None, mask: np.ndarray | None = None,
        position_ids: np.ndarray | None = None, epsilon: float = 1e-12, mask_index_type: int = 1,
    ) -> Results:  # fmt: skip
        where = np.arange(ids.shape[1])[None, :] if position_ids is None else position_ids
        total = words[ids] + places[where]
        if segments is not None and segment is not None:
            total = total + segment[segments]
        y, _, _ = _normalized(total, epsilon, True)
        count = np.zeros(ids.shape[0], np.int32) if mask is None else (mask == 1).sum(1).astype(np.int32)
        return (y * gamma + beta, count, total)[: len(self.output)]


CONTRIBUTED = (
    Gelu, BiasGelu, FastGelu, QuickGelu, FusedMatMul, TransposeMatMul, FusedConv, FusedGemm, SkipLayerNormalization,
    SkipSimplifiedLayerNormalization, SimplifiedLayerNormalization, EmbedLayerNormalization, *ATTENTIONS, *QUANTIZED,
)  # fmt: skip
