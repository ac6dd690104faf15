"""Gradients that still point somewhere where the true one vanishes or explodes. Values are the true ones.

A search that follows true gradients stops where a sigmoid saturates or a ReLU is closed, which is exactly where the
defects lie. Each function here replaces only the backward pass.
"""

from __future__ import annotations

import functools
from typing import Any

FLOOR = 0.01  # smallest slope of a monotone function
CEILING = 1e4  # largest


@functools.cache
def functions() -> dict[str, Any]:
    """The autograd functions by name; torch is imported on the first call."""
    import torch

    def bounded(slope: Any, sign: Any = 1.0) -> Any:
        """|slope| kept within [FLOOR, CEILING], with the given sign."""
        return torch.nan_to_num(slope.abs(), nan=1.0, posinf=CEILING).clamp(FLOOR, CEILING) * sign

    def unary(forward: Any, slope: Any) -> Any:
        class UnarySurrogate(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                y = forward(x)
                ctx.save_for_backward(x, y)
                return y

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                x, y = ctx.saved_tensors
                return (torch.nan_to_num(g, posinf=CEILING, neginf=-CEILING) * slope(x, y)).to(x.dtype)

        return UnarySurrogate.apply

    def softmax(dim: int, log: bool) -> Any:
        class SoftmaxSurrogate(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return torch.log_softmax(x, dim) if log else torch.softmax(x, dim)

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                g = torch.nan_to_num(g, posinf=CEILING, neginf=-CEILING)
                return g - g.mean(dim, keepdim=True)  # the logit gap, however saturated

        return SoftmaxSurrogate.apply

    class Clamp(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, lo: Any, hi: Any) -> Any:
            y = x
            if lo is not None:
                y = torch.maximum(y, lo)
            if hi is not None:
                y = torch.minimum(y, hi)
            ctx.save_for_backward(x == y)
            ctx.shape = x.shape
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (inside,) = ctx.saved_tensors
            passed = torch.where(inside, g, g * FLOOR)
            return passed.sum_to_size(ctx.shape), None, None

    one = torch.ones_like
    return {
        "relu": unary(torch.relu, lambda x, y: torch.where(x > 0, one(x), one(x) * FLOOR)),
        "sigmoid": unary(torch.sigmoid, lambda x, y: bounded(y * (1 - y))),
        "tanh": unary(torch.tanh, lambda x, y: bounded(1 - y * y)),
        "exp": unary(torch.exp, lambda x, y: bounded(y)),
        "expm1": unary(torch.expm1, lambda x, y: bounded(y + 1)),
        "log": unary(torch.log, lambda x, y: bounded(1 / x)),
        "log1p": unary(torch.log1p, lambda x, y: bounded(1 / (1 + x))),
        "sqrt": unary(torch.sqrt, lambda x, y: bounded(0.5 / y)),
        "rsqrt": unary(torch.rsqrt, lambda x, y: bounded(0.5 * y**3, -1.0)),
        "reciprocal": unary(torch.reciprocal, lambda x, y: bounded(y * y, -1.0)),
        "softplus": unary(torch.nn.functional.softplus, lambda x, y: bounded(torch.sigmoid(x))),
        "abs": unary(torch.abs, lambda x, y: torch.where(x < 0, -one(x), one(x))),
        "sign": unary(torch.sign, lambda x, y: one(x)),
        "floor": unary(torch.floor, lambda x, y: one(x)),
        "ceil": unary(torch.ceil, lambda x, y: one(x)),
        "round": unary(torch.round, lambda x, y: one(x)),
        "erf": unary(torch.erf, lambda x, y: bounded(1.128379 * torch.exp(-x * x))),
        "clamp": Clamp.apply,
        "softmax": softmax,
    }
