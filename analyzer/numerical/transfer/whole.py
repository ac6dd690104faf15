"""Whole numbers, whatever type holds them: exponents of polynomials, counts, class numbers made real."""

from __future__ import annotations

import numpy as np

from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import CONVERTS, IDENTITY, RESHAPES, SELECTS

MOST = 16  # operators looked through


def holds_whole(tensor: AbstractTensor) -> bool:
    """Whether every element is a finite whole number, as a constant, a rounding or integers made real are.

    An input may be assumed to hold nothing else.
    """
    if tensor.nan or tensor.may_be_infinite:
        return False
    current = tensor
    for _ in range(MOST):
        if current.dtype.kind == dtypes.INTEGER or current.dtype.kind == dtypes.BOOLEAN or "whole" in current.facts:
            return True
        if _known(current):
            return True
        origin = current.origin
        if origin is None or not isinstance(first := origin.inputs[0] if origin.inputs else None, AbstractTensor):
            return False
        if origin.rule.name in ("Round", "Floor", "Ceil"):
            return True
        ordered = origin.rule.name == "TopK" and not origin.output
        if not ordered and not origin.rule.operator.traits & (IDENTITY | CONVERTS | SELECTS | RESHAPES):
            return False
        current = first
    return False


def _known(tensor: AbstractTensor) -> bool:
    values = tensor.data
    if values is None:
        values = tensor.lo if np.array_equal(tensor.lo, tensor.hi) else None
    return values is not None and bool(np.all(np.floor(values) == values))
