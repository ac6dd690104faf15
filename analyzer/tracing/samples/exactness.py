"""Which floating-point results are the program's own to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_KEEPING_WHOLE = (
    "+", "-", "*", "@", "add", "sub", "mul", "neg", "abs", "matmul", "mm", "bmm", "mv", "dot", "sum",
    "double", "float", "to", "t", "T", "mT",
)  # fmt: skip
_OF_DOUBLES, _OF_OTHERS = 1 << 53, 1 << 8  # up to here a type holds every whole number; bfloat16 holds the fewest


def of_whole_numbers(name: str, given: Sequence[Any], found: Any) -> bool:
    """Whether sums and products of whole numbers gave it that are so small that nothing is rounded, in any order."""
    if name not in _KEEPING_WHOLE:
        return False
    operands = [np.asarray(part) for part in given if isinstance(part, (np.ndarray, bool, int, float))]
    if any(a.dtype.kind not in "biuf" or (a.dtype.kind == "f" and not _are_whole(a)) for a in operands):
        return False
    largest = [max(float(np.abs(a.astype(float)).max(initial=0)), 1.0) for a in operands]
    most_added = max((a.size for a in operands), default=0) + 1
    doubles = all(np.asarray(a).dtype == np.float64 for a in (*operands, found) if np.asarray(a).dtype.kind == "f")
    return float(np.prod(largest)) * most_added <= (_OF_DOUBLES if doubles else _OF_OTHERS)


def _are_whole(numbers: np.ndarray) -> bool:
    return bool(np.isfinite(numbers).all() and (numbers == np.round(numbers)).all())
