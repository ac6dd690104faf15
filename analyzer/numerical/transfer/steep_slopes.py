"""Derivatives that overflow just beside 0: of a reciprocal, a root below a quotient, a negative power, a logarithm.

The forward value is finite, and so would the product of all derivatives be; PyTorch and TensorFlow compute them one by
one. `1 / x` multiplies the gradient by its own square, which float32 cannot hold below 5.4e-20, `rsqrt` by its own
cube (below 2.1e-26), and what comes before hands 0 times infinity on where it saturates or the operand is 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analyzer.graph import torch_function
from analyzer.numerical.context import Context
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.gradient_paths import is_trained
from analyzer.operators.conditions import GRADIENT_OVERFLOW

COMPUTED = ("float16", "bfloat16", "float32", "float64")  # narrower ones are stored, and computed with in these


def of_reciprocal(ctx: Context, x: AbstractTensor) -> None:
    """-1 / x²; of the root that stands for PyTorch's own `rsqrt`, whose derivative is computed as the cube."""
    power = 3.0 if torch_function(ctx.node) == "rsqrt" else 2.0
    _demand(ctx, 0, x, float(x.dtype.hi ** (-1 / power)))


def of_inverse_root(ctx: Context, x: AbstractTensor) -> None:
    """-x ** -1.5 / 2, as the cube of the result."""
    _demand(ctx, 0, x, float(x.dtype.hi ** (-2 / 3)))


def of_logarithm(ctx: Context, x: AbstractTensor) -> None:
    """1 / x: beyond float16 below 1.5e-5, in wider types for denormal numbers alone."""
    if x.dtype.name == "float16":
        _demand(ctx, 0, x, float(1 / x.dtype.hi))


def of_power(ctx: Context, x: AbstractTensor, exponent: float) -> None:
    """p x ** (p - 1) of a negative p."""
    if exponent < 0:
        _demand(ctx, 0, x, float((x.dtype.hi / max(1.0, -exponent)) ** (1 / (exponent - 1))))


def of_divisor(ctx: Context, divisor: AbstractTensor, result: AbstractTensor) -> None:
    """-(a / b) / b, where the divisor alone is small enough and the quotient large enough."""
    largest = max(abs(result.low), abs(result.high))
    _demand(ctx, 1, divisor, float(min(divisor.dtype.hi**-0.5, largest / divisor.dtype.hi)))


def _demand(ctx: Context, index: int, x: AbstractTensor, edge: float) -> None:
    """Demand that operand `index` is not nearer to 0 than `edge`, where it is proved to be apart from 0 itself."""
    if ctx.run.ledger.quiet or not ctx.options.backward or x.dtype.name not in COMPUTED:
        return
    apart = _farther_than(x.dtype.smallest)
    safe = _farther_than(edge)
    if x.nan or not apart(x) or safe(x) or not is_trained(ctx.node.inputs[index]):
        return
    ctx.check(GRADIENT_OVERFLOW, f"|x| < {edge:.2g}", {index: x}, safe, backward=True)


def _farther_than(least: float) -> Callable[[AbstractTensor], bool]:
    return lambda t: bool(np.all((t.lo >= least) | (t.hi <= -least)))
