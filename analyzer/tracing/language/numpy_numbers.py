"""Numbers of NumPy that are Python's too: a ``numpy.float64`` is a ``float``, but computes as NumPy does.

Divided by zero it is infinite or no number, where Python raises. Beside an array of narrower elements NumPy 1 takes
it as a number of Python's, and NumPy 2 as an array of its own type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from analyzer.tracing.language.values import Unknown, Value

OF_NUMPY = "a number of NumPy"  # the reason of one that is not known
_MOST_FACTORS = 8


def _as_numpy(name: str) -> Callable[..., Any]:
    """An operation of Python's numbers as NumPy computes it; of what is no number it is the other's to say."""

    def operation(self: NumpyFloat, *others: Any) -> Any:
        if not all(isinstance(other, (int, float)) for other in others):
            return NotImplemented
        with np.errstate(all="ignore"):
            found = getattr(np.float64(self), name)(*(float(other) for other in others))
        return NumpyFloat(found) if isinstance(found, float) else found

    return operation


class NumpyFloat(float):
    """A ``numpy.float64`` that is known. What is computed of it and a number of Python's is another."""

    __slots__ = ()

    __add__, __radd__ = _as_numpy("__add__"), _as_numpy("__radd__")
    __sub__, __rsub__ = _as_numpy("__sub__"), _as_numpy("__rsub__")
    __mul__, __rmul__ = _as_numpy("__mul__"), _as_numpy("__rmul__")
    __truediv__, __rtruediv__ = _as_numpy("__truediv__"), _as_numpy("__rtruediv__")
    __floordiv__, __rfloordiv__ = _as_numpy("__floordiv__"), _as_numpy("__rfloordiv__")
    __mod__, __rmod__ = _as_numpy("__mod__"), _as_numpy("__rmod__")
    __pow__, __rpow__ = _as_numpy("__pow__"), _as_numpy("__rpow__")
    __neg__, __pos__, __abs__ = _as_numpy("__neg__"), _as_numpy("__pos__"), _as_numpy("__abs__")


def float_of_numpy(origin: str = "data") -> Unknown:
    """A ``numpy.float64`` that is not known."""
    return Unknown(OF_NUMPY, origin, pytype="float")


def is_of_numpy(value: Value, depth: int = 3) -> bool:
    """Whether a number is NumPy's, or may be computed of one."""
    if isinstance(value, Unknown):
        parts = value.factors[:_MOST_FACTORS] if depth else ()
        return value.reason == OF_NUMPY or any(is_of_numpy(part, depth - 1) for part in parts)
    return isinstance(value, NumpyFloat)
