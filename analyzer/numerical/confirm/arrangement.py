"""How the numbers of an input stand to each other: in order, evenly spaced, in rows that are not all alike."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence

import numpy as np

FEWEST_ROWS = 4  # of fewer rows a pair that is equal is most of the batch
KEPT_ROWS = 2  # an equal pair beside other rows is data
UNEVEN = 1e-3  # of a step: more than what rounding makes of even ones
NEGLIGIBLE = 1e-5  # of the largest number: an eigenvalue of 0, rounded


def in_order(array: np.ndarray, order: tuple[int, int]) -> np.ndarray:
    """The numbers sorted along an axis: rising (1) or falling (-1)."""
    axis, sign = order
    rising = np.sort(array, axis=axis)
    return np.flip(rising, axis) if sign < 0 else rising


def evenly(array: np.ndarray, axis: int, least: float, ends: tuple[float, float]) -> np.ndarray:
    """The numbers at equal steps along an axis, from the first to the last, each as large as `least` and of its sign.

    Where the range of the numbers ends before, steps are as large as it permits.
    """
    rows = np.moveaxis(array.astype(np.float64), axis, -1)
    count = rows.shape[-1] - 1
    if count < 1:
        return array
    step = (rows[..., -1:] - rows[..., :1]) / count
    rounding = UNEVEN * np.abs(step) + 4 * np.finfo(array.dtype).eps * np.abs(rows).max(-1, keepdims=True)
    even = np.abs(np.diff(rows, axis=-1) - step) <= rounding
    if bool(even.all()) and bool((np.sign(least) * step >= 0.999 * abs(least)).all()):
        return array
    room = (ends[1] - ends[0]) / count
    most = np.sign(least) * min(abs(least), room)
    step = np.where(np.sign(least) * step >= abs(most), step, most)
    away = np.maximum(-count * step, 0.0), np.maximum(count * step, 0.0)
    first = np.clip(rows[..., :1], ends[0] + away[0], np.maximum(ends[1] - away[1], ends[0] + away[0]))
    made: np.ndarray = np.moveaxis(np.clip(first + step * np.arange(count + 1), *ends), -1, axis).astype(array.dtype)
    return made


def semidefinite(array: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """The matrices of the last two axes, symmetric and without a negative eigenvalue, between the ends of a range.

    What is so already stays. A symmetric matrix loses its negative eigenvalues; where numbers leave the range then, all
    become smaller.
    """
    matrices = array.astype(np.float64)
    turned = np.swapaxes(matrices, -1, -2)
    largest = np.abs(matrices).max(initial=0.0)
    if bool((matrices == turned).all()) and bool((np.linalg.eigvalsh(matrices) >= -NEGLIGIBLE * largest).all()):
        return array
    values, vectors = np.linalg.eigh((matrices + turned) / 2)
    made = (vectors * np.maximum(values, 0.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    above, below = (made / end if end else made * 0 for end in ends[::-1])
    made = np.clip(made / max(above.max(initial=1.0), below.max(initial=1.0)), *ends)
    found: np.ndarray = ((made + np.swapaxes(made, -1, -2)) / 2).astype(array.dtype)
    return found


def alike_in_pairs(batches: Sequence[np.ndarray]) -> bool:
    """Whether two batches of four rows or more are as far from each other in more than half of their rows.

    So are equal ones, and those that stand at opposite ends of their range.
    """
    return any(
        a.shape == b.shape and len(a) >= FEWEST_ROWS and 2 * _most_alike(np.abs(a - b)) > len(a)
        for a, b in itertools.combinations(batches, 2)
    )


def _most_alike(array: np.ndarray) -> int:
    """How often the most frequent row occurs."""
    return int(np.unique(array.reshape(len(array), -1), axis=0, return_counts=True)[1].max())


def unlike_rows(array: np.ndarray, name: str, ends: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The numbers with half of the rows along the first axis different at least, of four rows or more.

    What repeats an earlier row gets numbers between `ends` that depend on the input's name alone. Two equal rows stay,
    and so does the first feature of all: a pair, a blank row and a constant feature are data beside ordinary rows.
    """
    count = len(array) if array.ndim > 1 else 0
    if count < FEWEST_ROWS:
        return array
    rows = array.reshape(count, -1)
    _, first = np.unique(rows, axis=0, return_index=True)
    if 2 * len(first) >= count:
        return array
    repeated = np.setdiff1d(np.arange(KEPT_ROWS, count), first)
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    made = array.copy()
    ordinary = rng.uniform(*ends, array.shape).astype(array.dtype)
    if array.shape[-1] > 1:
        ordinary[..., 0] = array[..., 0]
    made[repeated] = ordinary[repeated]
    return made
