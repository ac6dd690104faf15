"""Rows of which at least one element is not minus infinity, so that their maximum is finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor, block_sizes
from analyzer.numerical.transfer.shown_places import shown_along
from analyzer.operators.declaration import IDENTITY, RESHAPES


def keeps_finite(a: AbstractTensor, b: AbstractTensor) -> Any:
    """The `finite` fact of a sum: one operand has it, the other is finite everywhere."""
    for one, other in ((a, b), (b, a)):
        if other.low > -np.inf and other.high < np.inf:
            axes = one.facts.get("finite")
            if axes is None and one.data is not None and one.rank is not None:
                axes = tuple(-i for i in range(1, one.rank + 1) if finite_along(one, -i))
            if axes:
                return axes
    return None


def finite_along(tensor: AbstractTensor, axis: int) -> bool:
    """Whether along `axis` (negative, counted from the end) at least one element is not -inf."""
    if tensor.low > -np.inf:
        return True
    if told_finite(tensor, axis) or least_shown(tensor, axis) > -np.inf:
        return True
    if tensor.data is not None and tensor.rank is not None and -axis <= tensor.rank:
        return bool(np.all(np.any(np.asarray(tensor.data) > -np.inf, axis=axis)))
    if tensor.starts is not None and tensor.shape is not None and -axis <= len(tensor.starts):
        least, _ = block_sizes(tensor.starts[axis], tensor.shape[axis])
        shown = np.moveaxis(tensor.lo > -np.inf, axis, -1) & (least >= 1)
        if bool(np.all(np.any(shown, axis=-1))):
            return True
    return shown_along(tensor, axis)


def told_finite(tensor: AbstractTensor, axis: int) -> bool:
    """Whether the fact `finite` tells so, of the tensor or of what it is under another shape of the axes before."""
    current = tensor
    for _ in range(8):
        if axis in current.facts.get("finite", ()):
            return True
        origin = current.origin
        source = origin.inputs[0] if origin is not None and origin.inputs else None
        if not isinstance(source, AbstractTensor) or not source.shape or not current.shape:
            return False
        alike = source.shape[axis:] == current.shape[axis:] and len(source.shape) >= -axis
        if not alike or not origin.rule.operator.traits & (RESHAPES | IDENTITY):
            return False
        current = source
    return False


def least_shown(tensor: AbstractTensor, axis: int) -> float:
    """What the greatest element of each row is at least, by the fact `attained`; minus infinity if it says nothing."""
    place = (tensor.rank or 0) + axis
    known = tensor.facts.get("attained", ())
    return max((float(least) for least, _, axes in known if axes == (place,)), default=-np.inf)
