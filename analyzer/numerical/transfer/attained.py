"""Values that some element of a row has: 0 after the maximum is subtracted, and what becomes of it element by element.

The fact ``attained: (least, most, axes)`` says that along `axes` some element lies in [least, most]. It passes through
every element-wise operator, whose rule is asked what becomes of such an element; where that is positive, the row has a
peak (see `peaks`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.peaks import as_fact, peaks_of

if TYPE_CHECKING:
    from analyzer.numerical.context import Context


def attained_by(x: Any) -> tuple[float, float, tuple[int, ...]] | None:
    """What some element of `x` along which axes is known to be."""
    if not isinstance(x, AbstractTensor):
        return None
    known: tuple[float, float, tuple[int, ...]] | None = x.facts.get("attained")
    if known is None and "max" in x.facts:
        value, axes = x.facts["max"]
        known = (value, value, tuple(axes))
    return known


def add_attained(context: Context, inputs: tuple[Any, ...], result: AbstractTensor) -> None:
    """Adds to the facts of an element-wise result what becomes of an element that an operand is known to have."""
    if not result.dtype.is_float or result.nan or "attained" in result.facts:
        return
    for place, x in enumerate(inputs):
        known = attained_by(x)
        if known is None or x.shape is None or x.shape != result.shape:
            continue
        least, most, axes = known
        point = AbstractTensor(x.dtype, x.shape, np.float64(least), np.float64(most))
        others = [i if place == j or not isinstance(i, AbstractTensor) else _anonymous(i) for j, i in enumerate(inputs)]
        with context.run.ledger.quietly():
            found = context.rule.function(context, *(point if j == place else i for j, i in enumerate(others)))
        if not isinstance(found, AbstractTensor) or found.nan or not np.isfinite((found.low, found.high)).all():
            continue
        if found.low > result.low or found.high < result.high:
            facts: dict[str, Any] = {**result.facts, "attained": (found.low, found.high, axes)}
            peak = {**peaks_of(result), axes: max(found.low, peaks_of(result).get(axes, 0.0))}
            result.facts = {**facts, **as_fact(peak, result.dtype)}
            return


def _anonymous(x: AbstractTensor) -> AbstractTensor:
    """The bounds of a tensor alone: its relations to other values are not those of a single element."""
    return AbstractTensor(x.dtype, x.shape, np.float64(x.low), np.float64(x.high), None, x.nan)
