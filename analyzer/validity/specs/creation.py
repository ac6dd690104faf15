"""Parameters and tensors made from sizes: they read no operand."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import need_min_rank, need_not_negative
from analyzer.validity.terms import Poly, Term, ceil_div

STEP_SIGN = Rule("arange-step", Category.ILLEGAL_VALUE, "a range from {start} to {end} cannot go in steps of {step}")
SIZES = ("empty", "zeros", "ones", "rand", "randn", "full")


@define("torch", "Parameter", *SIZES, "new_empty", "new_zeros", "new_ones", "new_full")
@define("keras", "Parameter", *SIZES)
def made(case: Case, *_like: TensorType, shape: Any, dtype: str = "float32") -> TensorType:
    """A tensor of `shape`."""
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for axis, size in enumerate(sizes):
        need_not_negative(case, **{f"shape[{axis}]": size})
    return TensorType(sizes, dtype)


@define("torch", "arange")
@define("keras", "arange")
def counted(case: Case, *, start: Term = 0, end: Term = None, step: Term = 1, dtype: str = "int64") -> TensorType:
    """Whole numbers from `start` to below `end` (from 0 to below `start`, where it stands alone)."""
    low, high = (0, start) if end is None else (start, end)
    if not all(isinstance(v, (int, Poly)) for v in (low, high, step)):
        return TensorType((case.fresh("count"),), "float32")
    number = case.concrete(step, "step")
    case.require(STEP_SIGN, number != 0, start=low, end=high, step=number)
    if number > 0:
        case.require(STEP_SIGN, high >= low, start=low, end=high, step=number)
        return TensorType((ceil_div(high - low, number),), dtype)
    case.require(STEP_SIGN, low >= high, start=low, end=high, step=number)
    return TensorType((ceil_div(low - high, -number),), dtype)


@define("torch", "linspace")
def spaced(case: Case, *, start: Any = 0, end: Any = 1, steps: Term, dtype: str = "float32") -> TensorType:
    """`steps` numbers of equal distance."""
    need_not_negative(case, steps=steps)
    return TensorType((steps,), dtype)


@define("torch", "eye")
def identity(case: Case, *, n: Term, m: Term = None, dtype: str = "float32") -> TensorType:
    """An identity matrix of n rows."""
    columns = n if m is None else m
    need_not_negative(case, n=n, m=columns)
    return TensorType((n, columns), dtype)


@define("torch", "triu", "tril")
def triangle(case: Case, x: TensorType, *, diagonal: Any = 0) -> TensorType:
    """One half of each matrix."""
    need_min_rank(case, x, 2)
    return TensorType(x.shape, x.dtype)
