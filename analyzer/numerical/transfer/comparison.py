"""Comparisons, logic, selection, bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.dims import broadcast_shapes
from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor, count, from_data, join
from analyzer.numerical.refinement import refine_by
from analyzer.numerical.transfer.attained import Attained, attained_by, peaked
from analyzer.numerical.transfer.bisection import near_fact
from analyzer.numerical.transfer.class_numbers import rows_of_matches
from analyzer.numerical.transfer.covers import cover_fact
from analyzer.numerical.transfer.diagonal_masks import order_of, picked_by, picks_one_at_most
from analyzer.numerical.transfer.facts import are_axes
from analyzer.numerical.transfer.first_elements import first_is_above
from analyzer.numerical.transfer.kinds import build, like, operands_on_common_blocks
from analyzer.numerical.transfer.ordered_pairs import where_kept
from analyzer.numerical.transfer.peaks import of_kept
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.unit_rows import selected_unit
from analyzer.numerical.transfer.views import own_axes


def _boolean(ctx: Context, shape: Any, starts: Any, sure: Any, possible: Any) -> AbstractTensor:
    return build(dtypes.BOOL, shape, starts, np.where(sure, 1.0, 0.0)[()], np.where(possible, 1.0, 0.0)[()])


LARGEST_CHOICE = 1 << 16  # elements of known operands that a known condition chooses from


def _compare(ctx: Context, a: AbstractTensor, b: AbstractTensor, strict: bool) -> AbstractTensor:
    """a > b (or a >= b)."""
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    if a.key == b.key:
        al, ah, bl, bh = (np.zeros_like(v) for v in (al, ah, bl, bh))
    nan = a.nan or b.nan
    if strict:
        above = _boolean(ctx, shape, starts, (al > bh) & (not nan), ah > bl)
        rows = [] if nan else [_one_of_row(*pair) for pair in ((a, b), (b, a)) if pair[0].shape == above.shape]
        known = [(0.0, 0.0, tuple(axes)) for axes in rows if axes is not None]
        above.facts = peaked([*known, *_first_of_row(a, b, above)], above)
        return _computed(np.greater, _with_own(above, a, b, 0.0), a, b)
    result = _boolean(ctx, shape, starts, (al >= bh) & (not nan), ah >= bl)
    for one, other in ((a, b), (b, a)):
        axes = None if nan else _one_of_row(one, other)
        if axes is not None and one.shape == result.shape:
            result.facts = {"max": (1.0, axes)}
    if not result.facts:
        result.facts = peaked(_first_of_row(a, b, result), result)
    return _computed(np.greater_equal, _with_own(result, a, b, 1.0), a, b)


def _first_of_row(a: AbstractTensor, b: AbstractTensor, result: AbstractTensor) -> list[Attained]:
    """What the first elements of a row show along their axis, where those of a are known to be above those of b."""
    axis = first_is_above(a, b) if a.shape == result.shape else None
    return [] if axis is None else [(1.0, 1.0, (axis,))]


def _computed(operation: Callable[..., Array], result: AbstractTensor, *operands: AbstractTensor) -> AbstractTensor:
    """`result` with its elements, where those of all operands are known: a mask is read row by row."""
    known = [np.asarray(o.data) for o in (_with_single(o) for o in operands) if o.data is not None]
    if len(known) == len(operands) and all(k.dtype.kind in "iufb" for k in known):
        result.data = operation(*known)
    return result


def _with_single(x: AbstractTensor) -> AbstractTensor:
    """With the data of a single number that is known."""
    if x.data is not None or x.shape != () or x.nan or x.low != x.high:
        return x
    return replace(x, data=np.asarray(x.low))


@transfer("Greater")
def greater(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return _compare(ctx, a, b, True)


@transfer("GreaterOrEqual")
def greater_or_equal(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return _compare(ctx, a, b, False)


@transfer("Less")
def less(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return _compare(ctx, b, a, True)


@transfer("LessOrEqual")
def less_or_equal(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return _compare(ctx, b, a, False)


@transfer("ApproximateEqual")
def approximately_equal(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    """|a - b| < tolerance, of which equal bounds say nothing but that a value is near itself."""
    shape, starts, ((al, _), _) = operands_on_common_blocks(ctx, a, b)
    certain = a.key == b.key and not a.nan and float(ctx.attr("tolerance", 1e-5)) > 0
    return _boolean(ctx, shape, starts, np.full_like(al, certain, dtype=bool), np.ones_like(al, dtype=bool))


@transfer("Equal")
def equal(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    if a.dtype.kind == dtypes.OTHER:
        return _boolean(ctx, shape, starts, False, True)
    nan = a.nan or b.nan
    same = (al == ah) & (bl == bh) & (al == bl)
    if a.key == b.key:
        same = np.ones_like(same)
    result = _boolean(ctx, shape, starts, same & (not nan), (ah >= bl) & (bh >= al))
    for one, other in ((a, b), (b, a)):
        axes = None if nan else _one_of_row(one, other)
        if axes is not None and one.shape == result.shape:
            result.facts = {"max": (1.0, axes)}
        if not nan and _one_hot(one, other):
            last = (len(one.shape or ()) - 1,)
            result.facts = {"max": (1.0, last), "peaks": {last: 1.0}}
    result = _with_own(result, a, b, 1.0)
    if not nan and result.rank and (picks_one_at_most(a, b, result) or picks_one_at_most(b, a, result)):
        unlike = 0.0, 0.0, (result.rank - 1,)
        result.facts = {**result.facts, **peaked([*attained_by(result), unlike], result)}
    if rows := rows_of_matches(a, b, result):
        known = [known for known in attained_by(result) if known not in rows]
        result.facts = {**result.facts, **peaked([*rows, *known], result)}
    return _computed(np.equal, result, a, b)


def _with_own(result: AbstractTensor, a: AbstractTensor, b: AbstractTensor, outcome: float) -> AbstractTensor:
    """With what is known of numbers that are compared with themselves among others: ``labels[:, None] == labels``."""
    pair = None if result.facts or a.nan or b.nan else own_axes(a, b, result.shape)
    if pair is not None:
        result.facts = peaked([(outcome, outcome, (axis,)) for axis in pair], result)
    return result


def _one_hot(classes: AbstractTensor, numbers: AbstractTensor) -> bool:
    """Whether `numbers` are 0, 1, … n - 1 and each of `classes`, along a last axis of size 1, is one of them."""
    held = None if numbers.data is None else np.asarray(numbers.data)
    if held is None or held.ndim != 1 or not held.size or not np.array_equal(held, np.arange(held.size)):
        return False
    last = bool(classes.shape) and classes.shape is not None and classes.shape[-1] == 1
    return last and classes.dtype.kind == dtypes.INTEGER and classes.low >= 0 and classes.high <= held.size - 1


def _one_of_row(x: AbstractTensor, extreme: AbstractTensor) -> Any:
    """The axes over which `extreme` is one of the elements of `x`, the largest, say, so that one equals it; else None.

    Of no elements the extreme is none of them.
    """
    kind, source, axes, kept = extreme.facts.get("reduced", ("", x, None, False))
    if not kept or not are_axes(axes):
        return None
    if kind in ("max of absolutes", "min of absolutes"):
        absolute = x.origin is not None and x.origin.rule.name == "Abs"
        same = absolute and x.origin is not None and x.origin.inputs[0].key == source.key
    else:
        same = kind in ("max", "min", "chosen") and source.key == x.key
    return axes if same and x.shape is not None and count(x.shape, axes)[0] >= 1 else None


@transfer("NotEqual")
def not_equal(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    alike = equal(ctx, a, b)
    result = like(alike, 1 - alike.hi, 1 - alike.lo)
    if not (a.nan or b.nan):
        result.facts = peaked([(1 - most, 1 - least, axes) for least, most, axes in attained_by(alike)], result)
    return _computed(np.not_equal, _with_own(result, a, b, 0.0), a, b)


# the name under which comparisons are understood by refinement
@transfer("Not")
def logical_not(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return _computed(np.logical_not, like(x, 1 - x.hi, 1 - x.lo), x)


@transfer("And")
def logical_and(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    return _computed(np.logical_and, build(dtypes.BOOL, shape, starts, np.minimum(al, bl), np.minimum(ah, bh)), a, b)


@transfer("Or")
def logical_or(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    return _computed(np.logical_or, build(dtypes.BOOL, shape, starts, np.maximum(al, bl), np.maximum(ah, bh)), a, b)


@transfer("Xor")
def logical_xor(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    known = (al == ah) & (bl == bh)
    value = np.abs(al - bl)
    return build(dtypes.BOOL, shape, starts, np.where(known, value, 0.0)[()], np.where(known, value, 1.0)[()])


@transfer("IsNaN")
def is_nan(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    zeros = np.zeros_like(x.lo)[()]
    result = like(x, zeros, zeros + 1.0 if x.nan else zeros, dtypes.BOOL)
    result.nan = False
    return result


@transfer("IsInf")
def is_inf(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    zeros = np.zeros_like(x.lo)[()]
    result = like(x, zeros, np.where(np.isinf(x.lo) | np.isinf(x.hi), 1.0, 0.0)[()], dtypes.BOOL)
    result.nan = False
    return result


@transfer("IsFinite")
def is_finite(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    unordered = np.isinf(x.lo) | np.isinf(x.hi) | x.nan
    result = like(x, np.where(unordered, 0.0, 1.0)[()], np.ones_like(x.lo)[()], dtypes.BOOL)
    result.nan = False
    return result


@transfer("Where")
def where(ctx: Context, condition: AbstractTensor, a: Any, b: Any) -> Any:
    """Each branch as it is in the elements that take it."""
    if not isinstance(a, AbstractTensor):
        return a
    if ctx.op == "Select" and condition.rank == 1 and a.rank is not None and a.rank > 1:
        return join(a, b)  # one truth value a row
    known = _known_choice(condition, a, b)
    if known is not None:
        return known
    sides = []
    for branch, truth in ((a, True), (b, False)):
        if a.dtype.kind == dtypes.OTHER:
            sides.append(branch)
        else:
            side = refine_by(ctx.run, condition, truth, branch)
            sides.append(None if side is None else where_kept(side, condition, truth))
    first, second = sides
    if first is None and second is None:
        first, second = a, b
    present = [s for s in (first, second) if s is not None]
    shape, starts, bounds = operands_on_common_blocks(ctx, condition, *present)
    (cl, ch), *values = bounds
    if shape is not None and None in (a.shape, b.shape):
        shape = None
    elif a.shape is not None and b.shape is not None and shape is not None:
        shape = broadcast_shapes([shape, a.shape, b.shape]) if condition.shape is not None else None
        if shape is None or (starts is not None and len(starts) != len(shape)):
            starts = None
            cl, ch = condition.low, condition.high
            values = [(s.low, s.high) for s in present]
    for branch, side, certain in ((a, first, condition.low >= 1), (b, second, condition.high <= 0)):
        if certain and branch is side and shape is not None and branch.shape == shape:
            return branch  # with all that is known of it
    if len(values) == 1:
        lo, hi = values[0]
        nan = present[0].nan
    else:
        (al, ah), (bl, bh) = values
        lo = np.where(cl >= 1, al, np.where(ch <= 0, bl, np.minimum(al, bl)))[()]
        hi = np.where(cl >= 1, ah, np.where(ch <= 0, bh, np.maximum(ah, bh)))[()]
        nan = present[0].nan or present[1].nan
    result = build(a.dtype, shape, starts, lo, hi, nan=nan)
    facts = _masked(condition, a, b) or _shown(condition, a, b, result)
    result.facts = near_fact(result, a, b) if facts is None else _left(facts, a if a.low > -np.inf else b, result)
    if a.dtype.is_float and isinstance(b, AbstractTensor):
        result.facts = {
            **result.facts,
            **selected_unit(condition, a, b, result),
            **cover_fact(condition, a, b, result),
            **of_kept(condition, a, b, result),
        }
    if a.dims is not None and a.dims == b.dims:
        result.dims = a.dims
    return result


def _known_choice(condition: AbstractTensor, a: AbstractTensor, b: Any) -> AbstractTensor | None:
    """What a known condition chooses of known operands, a constant mask of -inf say."""
    if not a.dtype.is_float or not isinstance(b, AbstractTensor) or condition.data is None:
        return None
    sides = [np.asarray(s.data) for s in (a, b) if s.data is not None]
    if len(sides) < 2 or any(s.dtype.kind != "f" or s.dtype != sides[0].dtype for s in sides):
        return None
    try:
        chosen = np.where(np.asarray(condition.data).astype(bool), *sides)
    except ValueError:
        return None
    return from_data(chosen, a.dtype) if chosen.size <= LARGEST_CHOICE else None


def _masked(condition: AbstractTensor, a: AbstractTensor, b: AbstractTensor) -> Any:
    """The axes along which a known condition picks a finite branch at least once."""
    diagonal, rows = picked_by(condition), order_of(condition)
    if diagonal is not None and rows is not None and (a.low == -np.inf) != (b.low == -np.inf):
        return (-1, -2) if rows > 1 or diagonal == (b.low == -np.inf) else None
    if condition.data is None or condition.rank is None:
        return None
    picks = np.asarray(condition.data).astype(bool)
    if a.low > -np.inf and b.low == -np.inf:
        pass
    elif b.low > -np.inf and a.low == -np.inf:
        picks = ~picks
    else:
        return None
    return tuple(-i for i in range(1, picks.ndim + 1) if bool(picks.any(axis=-i).all()))


def _left(axes: tuple[int, ...], shown: AbstractTensor, result: AbstractTensor) -> dict[str, Any]:
    """The facts of what a mask leaves along `axes` (from the end) of numbers above -inf."""
    rank = result.rank
    if rank is None or shown.may_be_infinite or shown.nan or result.nan:
        return {"finite": axes}
    return {"finite": axes, **peaked([(shown.low, shown.high, (rank + axis,)) for axis in axes], result)}


def _shown(condition: AbstractTensor, a: AbstractTensor, b: AbstractTensor, result: AbstractTensor) -> Any:
    """The axes along which a condition is known to pick a finite branch somewhere, by what its rows attain."""
    if condition.rank is None or result.shape is None or condition.nan or (a.low == -np.inf) == (b.low == -np.inf):
        return None
    wanted = 1.0 if a.low > -np.inf else 0.0
    shape, rank = condition.shape or (), condition.rank
    found = {
        axes[0] - rank for least, most, axes in attained_by(condition) if len(axes) == 1 and least == most == wanted
    }
    return tuple(axis for axis in sorted(found) if shape[axis] == result.shape[axis]) or None


@transfer("BitwiseAnd", "BitwiseOr", "BitwiseXor")
def bitwise(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    """Between 0 and the next power of two where both are non-negative."""
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    if a.low >= 0 and b.low >= 0:
        if "And" in ctx.op:
            return build(a.dtype, shape, starts, np.zeros_like(al + bl)[()], np.minimum(ah, bh))
        top = np.exp2(np.ceil(np.log2(np.maximum(ah, bh) + 1))) - 1
        return build(a.dtype, shape, starts, np.zeros_like(top)[()], np.minimum(top, a.dtype.hi))
    return AbstractTensor(a.dtype, shape, np.float64(a.dtype.lo), np.float64(a.dtype.hi))


@transfer("BitwiseNot")
def bitwise_not(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    if x.dtype.lo < 0:
        return like(x, -1 - x.hi, -1 - x.lo)
    return like(x, x.dtype.hi - x.hi, x.dtype.hi - x.lo)


@transfer("BitShift")
def bit_shift(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    left = ctx.op == "LeftShift" or str(ctx.attr("direction", "RIGHT")) == "LEFT"
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    bits = 64.0
    if left:
        if a.low < 0 or np.any(ah * np.exp2(np.minimum(bh, 2 * bits)) > a.dtype.hi):
            return AbstractTensor(a.dtype, shape, np.float64(a.dtype.lo), np.float64(a.dtype.hi))
        return build(a.dtype, shape, starts, al * np.exp2(bl), ah * np.exp2(bh))
    if a.low < 0:
        return AbstractTensor(a.dtype, shape, np.float64(min(a.low, -1.0)), np.float64(max(a.high, 0.0)))
    return build(
        a.dtype,
        shape,
        starts,
        np.floor(al * np.exp2(-np.minimum(bh, 1e3))),
        np.floor(ah * np.exp2(-np.maximum(bl, 0))),
    )


@transfer("BitCast")
def bit_cast(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """The same bits as another type: any number, NaN and infinities included."""
    dtype = ctx.type_attr("to", "type") or ctx.element_type()
    lo, hi = (-np.inf, np.inf) if dtype.is_float else (dtype.lo, dtype.hi)
    return AbstractTensor(dtype, ctx.declared_shape(), np.float64(lo), np.float64(hi), None, dtype.is_float)
