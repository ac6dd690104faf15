"""Between which numbers whatever is drawn at random lies for certain, so that a comparison with it has one answer.

`if random.random() < 1.0` always goes one way. What `attained` tells is the other side: numbers that are really drawn.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import NamedTuple

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Unknown, Value
from analyzer.tracing.paths.attained import making_of
from analyzer.validity.terms import product

MOST_STEPS = 12  # of the making that are looked back over


class Bounds(NamedTuple):
    """No number lies outside; `below`: and none is the high one."""

    low: float
    high: float
    below: bool = False


_UNIT = frozenset((  # from 0 up to 1, which is not drawn
    "random.random", "torch.rand", "torch.rand_like", "numpy.random.rand", "numpy.random.random",
    "numpy.random.random_sample", "numpy.random.ranf", "numpy.random.sample",
))  # fmt: skip
_FROM = {"numpy.random.uniform": 0, "tf.random.uniform": 1}  # arguments before those that say from where to where
_ENDS = frozenset(("low", "high", "minval", "maxval", "dtype"))
_KEEPING = frozenset((
    "[]", "item", "view", "reshape", "flatten", "squeeze", "unsqueeze", "clone", "detach", "cpu", "cuda", "numpy",
    "contiguous",
))  # fmt: skip
_ROUNDING = frozenset(("to", "float", "double", "half"))  # to another type: the nearest may be the bound itself


def bounds_of(value: Value, budget: int = MOST_STEPS) -> Bounds | None:
    """None where there are none that are known."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Bounds(float(value), float(value)) if math.isfinite(value) else None
    if isinstance(value, Unknown):
        return bounds_of(value.element, budget) if value.element is not None else None
    making = making_of(value) if isinstance(value, Tensor) and budget else None
    if making is None:
        return None
    if making.name in _UNIT:
        return Bounds(0.0, 1.0, True)
    if making.name in _FROM and _FROM[making.name] >= len(making.args) and not _ENDS & making.kwargs.keys():
        return Bounds(0.0, 1.0, True)
    if making.name in ("random.uniform", "numpy.random.uniform") and len(making.args) >= 2:
        ends = [v for v in making.args[:2] if isinstance(v, (int, float)) and math.isfinite(v)]
        return Bounds(float(min(ends)), float(max(ends))) if len(ends) == 2 else None
    source = bounds_of(making.args[0], budget - 1) if making.args else None
    if making.short in _KEEPING:
        return source
    if making.short in _ROUNDING and source is not None:
        whole = isinstance(value, Tensor) and not (value.dtype or "").startswith("float")
        return None if whole else Bounds(source.low, source.high)
    other = bounds_of(making.args[1], budget - 1) if len(making.args) == 2 and making.short in _ARITHMETIC else None
    return _of_numbers(making.short, source, other) if source is not None and other is not None else None


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "add": operator.add, "sub": operator.sub,
    "mul": operator.mul,
}  # fmt: skip


def _of_numbers(sign: str, left: Bounds, right: Bounds) -> Bounds:
    corners = [_ARITHMETIC[sign](a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    number = right if left.below else left
    same = number.low == number.high == (1.0 if sign in ("*", "mul") else 0.0) and (sign in ("+", "*", "add", "mul"))
    return Bounds(min(corners), max(corners), same and (left.below or right.below))  # rounding may reach the bound


def settled_by_bounds(sign: str, left: Value, right: Value) -> bool | None:
    """Whether ``left sign right`` holds for every number that can be drawn, or for none; None where either may be."""
    mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    if isinstance(left, (int, float)) and not isinstance(left, bool) and sign in mirrored:
        left, right, sign = right, left, mirrored[sign]
    if isinstance(right, bool) or not isinstance(right, (int, float)) or sign not in mirrored:
        return None
    found = bounds_of(left)
    if found is None:
        return None
    over = right > found.high or (found.below and right == found.high)  # all lie below the limit
    if sign in ("<", ">="):
        return (sign == "<") if over else (sign == ">=") if right <= found.low else None
    over = over or right == found.high
    return (sign == "<=") if over else (sign == ">") if right < found.low else None


_ORDERS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "less": "<", "greater": ">", "less_equal": "<=",
           "greater_equal": ">="}  # fmt: skip


def settled_truth(value: Value, budget: int = MOST_STEPS) -> bool | None:
    """The truth of each of its elements, where the bounds of what is compared decide it whatever is drawn."""
    held = value.element if isinstance(value, Unknown) else value
    making = making_of(held) if isinstance(held, Tensor) and budget else None
    if making is None or not making.args:
        return None
    sign = _ORDERS.get(making.short, making.short)
    if sign in ("<", "<=", ">", ">=") and len(making.args) == 2:
        return settled_by_bounds(sign, *making.args)
    each = settled_truth(making.args[0], budget - 1) if making.short in _OF_TRUTHS else None
    if each is None or making.short in _KEEPING:
        return each
    if making.short in ("~", "logical_not"):
        return not each
    if each is (making.short == "all"):
        return each
    dims = making.args[0].dims if isinstance(making.args[0], Tensor) else None
    count = product(dims) if dims is not None else 0
    return each if isinstance(count, int) and count > 0 else None  # of no element all are true, and none is


_OF_TRUTHS = _KEEPING | {"~", "logical_not", "all", "any"}
