"""Arrays of a run on made-up numbers: what an index chooses of them, and what is written into their memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


def memory_of(array: Any) -> Any:
    """The array that owns the memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def chosen(own: Any, index: Any) -> Any:
    """An element as the view of it that a tensor is."""
    place = places_of(index)
    found = own[place]
    if isinstance(found, np.ndarray):
        return found
    return own[(*place, ...) if isinstance(place, tuple) and Ellipsis not in place else (place, ...)]


def places_of(index: Any) -> Any:
    """An index as NumPy takes it: lists are arrays."""
    if isinstance(index, tuple):
        return tuple(map(places_of, index))
    return np.array(index) if isinstance(index, list) else index


def write(array: Any, place: Any, given: Any) -> bool:
    if given is None or not array.flags.writeable:
        return False
    try:
        with quiet():
            array[place] = given
    except (ValueError, IndexError, TypeError):
        return False
    return True


@contextmanager
def quiet() -> Iterator[None]:
    """NumPy says nothing of divisions by zero."""
    with np.errstate(all="ignore"):
        yield
