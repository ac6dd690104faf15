"""The larger and the smaller of values, element by element."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import affine
from analyzer.numerical.domain.dims import Shape
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.arithmetic import linear
from analyzer.numerical.transfer.kinds import build, independent, operands_on_common_blocks
from analyzer.numerical.transfer.registry import transfer


def _extremum(ctx: Context, tensors: tuple[AbstractTensor, ...], choose: Any) -> AbstractTensor:
    shape, starts, sides = operands_on_common_blocks(ctx, *tensors)
    lo, hi = reduce(choose, [s[0] for s in sides]), reduce(choose, [s[1] for s in sides])
    dtype = tensors[0].dtype
    result = build(dtype, shape, starts, lo, hi, nan=any(t.nan for t in tensors))
    if all(t.tight is not None or t.low == t.high for t in tensors):
        result.tight = independent(*tensors)
    return result


def _decided(
    tensors: tuple[AbstractTensor, ...], wins: Callable[[AbstractTensor, AbstractTensor], Any]
) -> AbstractTensor | None:
    """The operand that the result always is, with all that is known of it; None where there is no such.

    JAX starts each maximum of a softmax with -inf: what is computed from the row stays related to it.
    """
    for at, one in enumerate(tensors):
        others = tensors[:at] + tensors[at + 1 :]
        spread = one.shape is not None and all(_within(other.shape, one.shape) for other in others)
        if spread and all(wins(one, other) and not other.nan for other in others):
            return one
    return None


def _within(shape: Shape | None, whole: Shape) -> bool:
    """Whether broadcasting `shape` against `whole` gives `whole`."""
    if shape is None or len(shape) > len(whole):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(whole), strict=False))


@transfer("Max")
def maximum(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    if (one := _decided(tensors, lambda x, y: x.low > y.high or y.high == -np.inf)) is not None:
        return one
    result = _extremum(ctx, tensors, np.maximum)
    result.facts = {"above": tensors}
    if len(tensors) == 2:
        _relate_extremum(ctx, result, *tensors, 1.0)
    return result


@transfer("Min")
def minimum(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    if (one := _decided(tensors, lambda x, y: x.high < y.low or y.low == np.inf)) is not None:
        return one
    result = _extremum(ctx, tensors, np.minimum)
    result.facts = {"below": tensors}
    if len(tensors) == 2:
        _relate_extremum(ctx, result, *tensors, -1.0)
    return result


def _relate_extremum(ctx: Context, result: AbstractTensor, a: AbstractTensor, b: AbstractTensor, sign: float) -> None:
    """Note that max(a, b) = b + relu(a - b), min(a, b) = a - relu(a - b): rectifiers, by another name where b is 0."""
    dtype = a.dtype
    finite = all(t.low > -np.inf and t.high < np.inf and not t.nan for t in (a, b))
    if not (ctx.options.affine and dtype.is_float and finite) or a.low == a.high:
        return
    if b.low == b.high == 0:
        rectified = affine.relu(a)
        base = affine.form_of(a) if rectified is not None else affine.variable(a)
        rectified = rectified or affine.relu_of_variable(a)
        result.form = rectified if sign > 0 else affine.combine(base, rectified, 1.0, -1.0)
        return
    if b.low == b.high:
        return
    with ctx.run.ledger.quietly():
        difference = linear(ctx, a, b, -1.0)
    difference.key, difference.final = ctx.run.number(("Sub", "Sub", 0, (a.key, b.key), None)), True
    result.facts = {**result.facts, "extremum": (a, b, difference, sign > 0)}
    base = affine.form_of(b if sign > 0 else a)
    form = affine.combine(base, affine.relu_of_variable(difference), 1.0, sign)
    if form is not None:
        error = max(abs(difference.low), abs(difference.high)) * dtype.eps / 2 + dtype.tiny
        result.form = affine.Form(form.terms, form.constant, form.error + error)
