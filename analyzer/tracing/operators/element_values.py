"""Elements known of small tensors of whole numbers or truths: nested tuples of terms, or of `True` and `False`."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

from analyzer.validity.terms import Poly


def are_truths(elements: Any) -> bool:
    """Whether they are truths and nothing else, so that a tensor of them is a mask."""
    if isinstance(elements, tuple):
        return bool(elements) and all(map(are_truths, elements))
    return isinstance(elements, bool)


def converted(elements: Any, dtype: str | None) -> Any:
    """The elements in a tensor of another element type; None where they are not known.

    Truths are 0 and 1 among numbers; whole numbers in a mask are whether they are other than 0.
    """
    if dtype == "bool":
        return _each(elements, lambda e: None if isinstance(e, Poly) else bool(e))
    if dtype is None and _holds_truths(elements):
        return None
    return _each(elements, lambda e: int(e) if isinstance(e, bool) else e)


def joined(elements: tuple[Any, ...]) -> tuple[Any, ...]:
    """Rows of one array: truths among numbers are numbers."""
    return elements if are_truths(elements) else converted(elements, "int64")


def count_true(mask: Any) -> int | None:
    """How many of known elements are true; None where one is not known."""
    if isinstance(mask, tuple):
        counts = [count_true(part) for part in mask]
        return None if any(c is None for c in counts) else sum(c for c in counts if c is not None)
    return int(bool(mask)) if isinstance(mask, int) else None


def running(name: str, elements: Any) -> Any:
    """Running sums (`cumsum`) or products (`cumprod`) of a row of elements; None where they are not known."""
    numbers = converted(elements, "int64") if isinstance(elements, tuple) else None
    if name not in ("cumsum", "cumprod") or numbers is None or any(isinstance(e, tuple) for e in numbers):
        return None
    return tuple(itertools.accumulate(numbers, operator.add if name == "cumsum" else operator.mul))


def order_of(elements: Any) -> Any:
    """The places of a row's whole numbers in rising order (`argsort`); None where they are unknown or two are equal."""
    if not isinstance(elements, tuple) or not all(type(e) is int for e in elements):
        return None
    return tuple(sorted(range(len(elements)), key=elements.__getitem__)) if len({*elements}) == len(elements) else None


def _holds_truths(elements: Any) -> bool:
    return any(map(_holds_truths, elements)) if isinstance(elements, tuple) else isinstance(elements, bool)


def _each(elements: Any, function: Callable[[Any], Any]) -> Any:
    if not isinstance(elements, tuple):
        return None if elements is None else function(elements)
    found = tuple(_each(part, function) for part in elements)
    return None if any(part is None for part in found) else found
