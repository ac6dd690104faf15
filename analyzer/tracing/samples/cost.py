"""What a function of elements would cost, before it is called: source may be hostile and ask for whatever it likes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Value

MOST_ELEMENTS = 1 << 20  # of one array, some megabytes
MOST_PRODUCTS = 1 << 28  # multiplications of one call, a fifth of a second
MOST_ROWS = 256  # of a matrix that is inverted or taken apart
# What gives no more elements than it is given, however many these are.
_FEWER = frozenset(
    ("[]", "nonzero", "argwhere", "flatnonzero", "unique", "unique_consecutive", "masked_select", "where", "extract",
     "compress", "setdiff1d", "intersect1d", "union1d", "isin", "delete", "equal", "allclose", "array_equal", "isclose",
     "ndim", "size", "count_nonzero", "item")
)  # fmt: skip
# And what gives as many as the numbers that it is given say.
_COUNTED = frozenset(("bincount", "repeat_interleave", "repeat", "one_hot"))
_PRODUCTS = frozenset(
    ("@", "matmul", "mm", "bmm", "mv", "dot", "inner", "tensordot", "addmm", "baddbmm", "kron", "outer")
)
_MATRICES = frozenset(
    ("inverse", "inv", "det", "solve", "cholesky", "matrix_rank", "matrix_power", "pinv", "cov", "corrcoef")
)


def affordable(name: str, given: Sequence[Any], named: Mapping[str, Any], result: Value) -> bool:
    """Whether a call with these arguments stays within the bounds."""
    arrays = [a for a in _flat([*given, *named.values()]) if isinstance(a, np.ndarray)]
    sizes = _sizes_of(result)
    if sizes is None:
        elements = sum(a.size for a in arrays)
        if name == "[]":
            chosen = _known(result) * max((a.size for a in arrays), default=1)
            return chosen <= MOST_ELEMENTS
        if name in _COUNTED:
            return _counted(arrays, [*given, *named.values()]) <= MOST_ELEMENTS
        if name == "arange":
            return _ranged(given, named) <= MOST_ELEMENTS
        return name in _FEWER and elements <= MOST_ELEMENTS
    if sum(sizes) > MOST_ELEMENTS or sum(a.size for a in arrays) > 4 * MOST_ELEMENTS:
        return False
    if name in _PRODUCTS:
        inner = max((max(a.shape, default=1) for a in arrays), default=1)
        return max(sum(sizes), 1) * inner <= MOST_PRODUCTS
    if name == "einsum":
        return _letters(given) <= MOST_PRODUCTS
    if name == "cdist":
        return sum(sizes) * max((a.shape[-1] for a in arrays if a.ndim), default=1) <= MOST_ELEMENTS * 16
    if name in _MATRICES:
        return all(max(a.shape, default=1) <= MOST_ROWS for a in arrays)
    return True


def _flat(values: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        found.extend(_flat(value) if isinstance(value, (list, tuple)) else [value])
    return found


def _sizes_of(result: Value) -> list[int] | None:
    """The numbers of elements of a result's tensors; None where one is not known."""
    parts = result.items if isinstance(result, ListV) else result if isinstance(result, tuple) else (result,)
    found = []
    for part in parts:
        if not isinstance(part, Tensor) or part.dims is None or not all(isinstance(d, int) for d in part.dims):
            return None
        found.append(math.prod(d for d in part.dims if isinstance(d, int)))
    return found


def _known(result: Value) -> int:
    """The product of the sizes that are known; a dimension that is not may have as many elements as there are."""
    if not isinstance(result, Tensor) or result.dims is None:
        return MOST_ELEMENTS + 1
    open_ones = sum(not isinstance(d, int) for d in result.dims)
    return math.prod(d for d in result.dims if isinstance(d, int)) if open_ones < 2 else MOST_ELEMENTS + 1


def _counted(arrays: Sequence[Any], given: Sequence[Any]) -> int:
    numbers = [abs(v) for v in _flat(given) if isinstance(v, int)]
    largest = max([*numbers, *(int(np.abs(a).max()) for a in arrays if a.size and a.dtype.kind in "iu")], default=1)
    return max(largest, 1) * max((a.size for a in arrays), default=1)


def _ranged(given: Sequence[Any], named: Mapping[str, Any]) -> float:
    """How many numbers a range has, of ends that may be tensors of one element."""
    ends = [float(v) for v in (*given, *(named[k] for k in ("start", "end", "step") if k in named))]
    start, end, step = (0.0, ends[0], 1.0) if len(ends) == 1 else (*ends, 1.0)[:3]
    return (end - start) / step


def _letters(given: Sequence[Any]) -> int:
    """The product of the sizes of all letters of an equation; unbounded where it is not written so."""
    equation = given[0] if given and isinstance(given[0], str) else ""
    operands = [a for a in _flat(given[1:]) if isinstance(a, np.ndarray)]
    terms = equation.partition("->")[0].replace(" ", "").split(",")
    if not equation or "." in equation or len(terms) != len(operands):
        return MOST_PRODUCTS + 1
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, operands, strict=True):
        sizes.update(zip(term, operand.shape, strict=False))
    return math.prod(sizes.values())
