"""What an entry point's own example inputs show of others, whichever framework's tensors they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

FEWEST_TRUTHS = 8  # of fewer numbers, written by hand, zeros and ones say little
FEWEST_BINARY = 4  # they say what is like them; of fewer still, not even that
FEWEST_WHOLE_TRUTHS = 4  # the same of whole numbers, which are seldom 0 or 1 by chance
FEWEST_ROWS = 3  # of fewer rows of zeros and ones, each may hold a single one by chance
FEWEST_SIGNS = 8  # of fewer random numbers all may be positive by chance, unless they keep away from 0 as well
AWAY = 0.1  # of the largest: an example whose numbers are no smaller keeps away from 0
CHANCE = 1 / 500  # random numbers that are in order so seldom are no random ones: six of a row
FEWEST_SIZES = 4  # of fewer numbers, written by hand, the size says little
FEWEST_STEPS = 4  # numbers; three random ones may be evenly spaced by design of a small example
UNEVEN = 1e-3  # of a step: more than what rounding makes of even ones
FEWEST_WHOLE = 4  # whole numbers in a floating-point tensor; of fewer, written by hand, that says little
LARGEST_WHOLE = 1 << 16  # larger random numbers are whole because their type has no digits left
FEWEST_UNLIKE = 4  # rows of a batch
MOST_ROWS = 256  # of a matrix whose eigenvalues are computed, and in each run of a search again
ROUNDED = 1e-5  # of the largest number: what rounding makes of two equal ones, or of an eigenvalue of 0
MOST_COLUMNS = 64  # of features


def examples_show(named: Mapping[str, Any]) -> dict[str, Any]:
    """``truths``, ``onehot``, ``spans`` … of the manifest, of tensors of numbers."""
    found = {name: _numbers(value) for name, value in named.items()}
    arrays = {name: array for name, array in found.items() if array is not None and array.size}
    floating = {name: array for name, array in arrays.items() if array.dtype.kind == "f"}
    return {
        "truths": [name for name, array in arrays.items() if _true_or_false(array)],
        "binary": [name for name, array in floating.items() if _binary(array)],
        "onehot": [name for name, array in floating.items() if _true_or_false(array) and _one_hot(array)],
        "spans": {name: span for name, array in floating.items() for span in _span(array)},
        "ordered": {name: order for name, array in floating.items() for order in _order(array)},
        "even": {name: even for name, array in floating.items() for even in _even(array)},
        "unlike": [name for name, array in floating.items() if _unlike(array)],
        "definite": [name for name, array in floating.items() if _definite(array)],
        "whole": [name for name, array in floating.items() if _whole(array)],
        "columns": {name: columns for name, array in floating.items() for columns in _columns(array)},
        "filled": {name: truths for name, array in arrays.items() for truths in _filled(array)},
        "shown": {name: [*ends, array.size] for name, array in arrays.items() for ends in _ends(array)},
    }


def _numbers(value: Any) -> Any:
    """A NumPy array of numbers or truth values, else None; half types are widened."""
    import numpy

    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        return None
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu()
            if value.is_floating_point() and value.element_size() < 4:
                value = value.float()
        array = value.numpy() if hasattr(value, "numpy") else numpy.asarray(value)
        if array.dtype.kind == "V":  # bfloat16 and the like
            array = array.astype(numpy.float32)
    except (TypeError, ValueError, RuntimeError, NotImplementedError):
        return None  # a sparse tensor, or one without values
    return array if array.dtype.kind in "fiub" else None


def _true_or_false(array: Any) -> bool:
    """Zeros and ones, some of each: labels, masks."""
    if array.dtype.kind == "b" or array.size < (FEWEST_TRUTHS if array.dtype.kind == "f" else FEWEST_WHOLE_TRUTHS):
        return False
    return _some_of_each(array)


def _binary(array: Any) -> bool:
    """The same of fewer floating-point numbers (labels, targets, masks); an identity matrix may be a covariance."""
    return FEWEST_BINARY <= array.size < FEWEST_TRUTHS and _some_of_each(array) and not _definite(array)


def _some_of_each(array: Any) -> bool:
    ones = array == 1
    return bool(((array == 0) | ones).all() and ones.any() and not ones.all())


def _one_hot(array: Any) -> bool:
    """Whether along an axis each row holds a single one: a class for every row."""
    rows = (array.size // size if (size := array.shape[axis]) > 1 else 0 for axis in range(array.ndim))
    return any(n >= FEWEST_ROWS and bool((array.sum(axis) == 1).all()) for axis, n in enumerate(rows))


def _order(array: Any) -> list[list[int]]:
    """The last axis along which all rows rise (1) or all fall (-1), where that is no accident: edges of bins, times."""
    import numpy

    for axis in reversed(range(array.ndim)):
        size = array.shape[axis]
        if size < 2 or array.size // size * math.lgamma(size + 1) < -math.log(CHANCE):
            continue
        steps = numpy.diff(array, axis=axis)
        found = [sign for sign in (1, -1) if bool((sign * steps > 0).all())]
        if found:
            return [[axis, found[0]]]
    return []


def _even(array: Any) -> list[list[float]]:
    """The last axis along which all rows are the same evenly spaced numbers, and the step: times, a grid."""
    import numpy

    for axis in reversed(range(array.ndim)):
        rows = numpy.moveaxis(array, axis, -1).reshape(-1, array.shape[axis]).astype(float)
        if rows.shape[1] < FEWEST_STEPS or not numpy.isfinite(rows).all() or (rows != rows[0]).any():
            continue
        steps = numpy.diff(rows[0])
        step = float(steps.mean())
        if step != 0 and bool((abs(steps - step) <= UNEVEN * abs(step)).all()):
            return [[axis, step]]
    return []


def _unlike(array: Any) -> bool:
    """Whether all rows along the first axis differ, and hold numbers that are no counts, classes or truth values."""
    import numpy

    if array.ndim < 2 or len(array) < FEWEST_UNLIKE or bool((array == numpy.round(array)).all()):
        return False
    return len(numpy.unique(array.reshape(len(array), -1), axis=0)) == len(array)


def _definite(array: Any) -> bool:
    """Whether the last two axes hold symmetric matrices whose eigenvalues are all above 0: covariances, kernels."""
    import numpy

    if array.ndim < 2 or not 2 <= array.shape[-1] == array.shape[-2] <= MOST_ROWS or not numpy.isfinite(array).all():
        return False
    matrices, largest = array.astype(float), float(abs(array).max())
    if largest == 0 or bool((abs(matrices - numpy.swapaxes(matrices, -1, -2)) > ROUNDED * largest).any()):
        return False
    return bool((numpy.linalg.eigvalsh(matrices) > ROUNDED * largest).all())


def _whole(array: Any) -> bool:
    """Whole numbers and nothing else, not all equal and not zeros and ones alone: labels, counts, values of pixels.

    Those in even steps or in order may be times, places or a grid, where others stand between them.
    """
    import numpy

    if array.size < FEWEST_WHOLE or not numpy.isfinite(array).all() or abs(array).max() > LARGEST_WHOLE:
        return False
    if bool((array != numpy.round(array)).any()) or _even(array) or _order(array):
        return False
    return bool((array != array.reshape(-1)[0]).any()) and not bool(((array == 0) | (array == 1)).all())


def _columns(array: Any) -> list[list[list[float]]]:
    """The least and the greatest numbers of each feature (place on the last axis), where these differ in their size."""
    import numpy

    if array.ndim < 2 or not 2 <= array.shape[-1] <= MOST_COLUMNS or array.shape[-1] == array.size:
        return []
    rows = array.reshape(-1, array.shape[-1]).astype(float)
    rows = rows[numpy.isfinite(rows).all(axis=1)]
    if len(rows) < 2:
        return []
    low, high = rows.min(axis=0), rows.max(axis=0)
    sizes = numpy.maximum(abs(low), abs(high))
    return [[low.tolist(), high.tolist()]] if sizes.min() <= AWAY * sizes.max() else []


def _filled(array: Any) -> list[list[int]]:
    """Of zeros and ones, some of each, those that every row along the last axis holds."""
    if array.ndim < 2 or array.shape[-1] < 2 or not bool(((array == 0) | (array == 1)).all()):
        return []
    if bool((array == array.reshape(-1)[0]).all()):
        return []
    return [[truth for truth in (0, 1) if bool((array == truth).any(axis=-1).all())]]


def _ends(array: Any) -> list[list[float]]:
    low, high = float(array.min()), float(array.max())
    return [[low, high]] if math.isfinite(low) and math.isfinite(high) else []


def _span(array: Any) -> list[list[float]]:
    """Between which numbers the example lies, where it tells something of others: not all are equal.

    As far below 0 as above where the numbers are too few to tell a sign.
    """
    ends = _ends(array)
    if array.size < FEWEST_SIZES or not ends or ends[0][0] == ends[0][1]:
        return []
    low, high = ends[0]
    most = max(-low, high)
    away = max(low, -high) >= AWAY * most
    return [[low, high] if away or array.size >= FEWEST_SIGNS else [-most, most]]
