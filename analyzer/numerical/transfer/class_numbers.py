"""Class numbers that are compared with those of classes, or of what belongs to classes: rows of matches.

``labels[:, None] == classes`` holds somewhere in each row if the labels are whole numbers between two ends and each of
these is among the classes; it fails somewhere if the classes are not all the same.
"""

from __future__ import annotations

import math

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.attained import Attained
from analyzer.numerical.transfer.whole import holds_whole

MOST = 1 << 12  # classes


def rows_of_matches(a: AbstractTensor, b: AbstractTensor, result: AbstractTensor) -> list[Attained]:
    """What each row of ``a == b`` has somewhere: a match, no match."""
    return [*_rows(a, b, result), *_rows(b, a, result)]


def _rows(labels: AbstractTensor, classes: AbstractTensor, result: AbstractTensor) -> list[Attained]:
    held = None if classes.data is None else np.asarray(classes.data)
    if held is None or held.dtype.kind not in "iuf" or not 1 < held.size <= MOST or held.size != max(held.shape):
        return []
    if result.rank is None or labels.shape is None or labels.nan or classes.nan:
        return []
    back = held.ndim - held.shape.index(held.size)  # the place of the axis, from the end
    axis = result.rank - back
    if axis < 0 or result.shape is None or (len(labels.shape) >= back and labels.shape[-back] != 1):
        return []
    found: list[Attained] = []
    if _all_there(labels, held):
        found.append((1.0, 1.0, (axis,)))
    if bool((held != held.reshape(-1)[0]).any()):
        found.append((0.0, 0.0, (axis,)))
    return found


def _all_there(labels: AbstractTensor, held: np.ndarray) -> bool:
    """Whether each value that a label may have is among the classes."""
    least, most = labels.low, labels.high
    if not (math.isfinite(least) and math.isfinite(most)) or most - least > MOST:
        return False
    possible = np.arange(math.ceil(least), math.floor(most) + 1)
    return holds_whole(labels) and bool(np.isin(possible, held).all())
