"""ONNX forms of Torch operators that keep Torch's numerical behaviour.

Torch computes these without intermediate overflow, division by zero or logarithm of zero; the exporter's own forms do
not (``log_sigmoid(x)`` would become ``Log(Sigmoid(x))``, which is -inf below -104), and an analysis would report a
problem that the model does not have.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def table(torch: Any) -> dict[Any, Callable[..., Any]]:
    """Torch overload -> function over ONNX operators, for ``custom_translation_table``."""
    from onnxscript import opset18 as op

    def log_sigmoid(self: Any) -> Any:
        return op.Sub(op.Min(self, op.CastLike(0.0, self)), op.Log(op.Add(op.Exp(op.Neg(op.Abs(self))), 1.0)))

    def logaddexp(self: Any, other: Any) -> Any:
        apart = op.Abs(op.Sub(self, other))
        return op.Add(op.Max(self, other), op.Log(op.Add(op.Exp(op.Neg(apart)), 1.0)))

    def logaddexp2(self: Any, other: Any) -> Any:
        apart = op.Mul(op.Abs(op.Sub(self, other)), math.log(2))
        return op.Add(op.Max(self, other), op.Div(op.Log(op.Add(op.Exp(op.Neg(apart)), 1.0)), math.log(2)))

    def xlogy(self: Any, other: Any) -> Any:
        zero = op.CastLike(0.0, self)
        absent = op.Equal(self, zero)
        return op.Where(absent, zero, op.Mul(self, op.Log(op.Where(absent, op.CastLike(1.0, other), other))))

    def atan2(self: Any, other: Any) -> Any:
        zero = op.CastLike(0.0, self)
        upright = op.Equal(other, zero)
        angle = op.Atan(op.Div(self, op.Where(upright, op.CastLike(1.0, other), other)))
        behind = op.Where(op.Less(self, zero), op.Sub(angle, math.pi), op.Add(angle, math.pi))
        turned = op.Where(op.Less(other, zero), behind, angle)
        return op.Where(upright, op.Mul(op.Sign(self), math.pi / 2), turned)

    aten = torch.ops.aten
    return {
        aten.log_sigmoid.default: log_sigmoid,
        aten.logaddexp.default: logaddexp,
        aten.logaddexp2.default: logaddexp2,
        aten.xlogy.Tensor: xlogy,
        aten.special_xlogy.default: xlogy,
        aten.atan2.default: atan2,
    }
