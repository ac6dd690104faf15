"""What is known of a value in some elements only: evaluated again from narrower operands, refined by comparisons.

Only element-wise applications are evaluated again, so that a case distinction on the elements of a tensor stays a case
distinction element by element; everything else keeps its bounds, which hold in every case. A tensor of exactly one
element can be narrowed for the whole run: then every application that depends on it is evaluated again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain.affine import Form
from analyzer.numerical.domain.dtypes import Array, select
from analyzer.numerical.domain.tensor import AbstractTensor

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

MAX_DEPTH = 60  # operators followed back from a condition
MAX_APPLICATIONS = 400  # of transfer functions in one refinement; the rest stays as it was, which is sound

Narrowings = Mapping[Any, AbstractTensor]  # by key; under ("order", a, b) what is known of a - b


def reevaluate(run: Run, tensor: Any, known: Narrowings, memo: dict[int, Any], whole: bool, depth: int = 0) -> Any:
    """`tensor` where the values with the keys of `known` are as narrow as given there."""
    if not isinstance(tensor, AbstractTensor):
        return tensor
    if tensor.key in known:
        return _both(known[tensor.key], tensor)
    if tensor.key in memo:
        return memo[tensor.key]
    origin = tensor.origin
    if origin is None or depth > MAX_DEPTH or not (origin.rule.elementwise or (whole and origin.rule.pure)):
        return _through_form(tensor, known)
    memo[tensor.key] = tensor
    inputs = tuple(i if i is None else reevaluate(run, i, known, memo, whole, depth + 1) for i in origin.inputs)
    result = tensor
    if any(a is not b for a, b in zip(inputs, origin.inputs, strict=True)) and len(memo) < MAX_APPLICATIONS:
        result = run.apply_again(tensor, inputs)
        if result.starts == tensor.starts:  # both hold: keep the better of the two
            result.lo, result.hi = _intersection(result.lo, result.hi, tensor.lo, tensor.hi)
    if origin.rule.name == "Sub" and len(origin.inputs) == 2:
        ordered = known.get(("order", origin.inputs[0].key, origin.inputs[1].key))
        if ordered is not None and result.starts is None:
            form = result.form
            result = result.with_bounds(*_intersection(result.lo, result.hi, ordered.lo, ordered.hi))
            result.form = form
    result = _through_form(result, known)
    memo[tensor.key] = result
    return result


def _both(piece: AbstractTensor, tensor: AbstractTensor) -> AbstractTensor:
    """The same value as narrow as either says: `tensor` may have been narrowed before.

    In a block where both cannot hold the case does not occur: it has the piece's bounds.
    """
    if piece.starts != tensor.starts or (np.all(piece.lo >= tensor.lo) and np.all(piece.hi <= tensor.hi)):
        return piece
    lo, hi = np.maximum(piece.lo, tensor.lo), np.minimum(piece.hi, tensor.hi)
    empty = lo > hi
    result = piece.with_bounds(select(empty, piece.lo, lo), select(empty, piece.hi, hi))
    result.nan, result.form = piece.nan and tensor.nan, piece.form
    return result


def _through_form(tensor: AbstractTensor, known: Narrowings) -> AbstractTensor:
    """Bounds from the affine form, where some of its variables are known more narrowly."""
    form = tensor.form
    if form is None or not any(key in known for key in form.terms):
        return tensor
    terms = {key: (known.get(key, v), plain, relu) for key, (v, plain, relu) in form.terms.items()}
    narrower = Form(terms, form.constant, form.error)
    lo, hi = narrower.bounds(tensor.starts)
    if np.shape(lo) not in ((), np.shape(tensor.lo)):
        return tensor
    result = tensor.with_bounds(*_intersection(tensor.lo, tensor.hi, lo, hi))
    result.form = narrower
    return result


def _intersection(lo: Array, hi: Array, other_lo: Array, other_hi: Array) -> tuple[Array, Array]:
    """Both hold; in a block where both cannot, the case does not occur and any bounds will do."""
    new_lo, new_hi = np.maximum(lo, other_lo), np.minimum(hi, other_hi)
    empty = new_lo > new_hi
    if np.any(empty):
        new_lo, new_hi = select(empty, new_hi, new_lo), select(empty, new_lo, new_hi)
    return new_lo, new_hi


def narrowed(tensor: AbstractTensor, lo: float | Any, hi: float | Any) -> AbstractTensor | None:
    """The elements of `tensor` that lie in [lo, hi]; None if there are none.

    The case does not occur in a block without any: it gets the bounds that the other blocks have together.
    """
    new_lo, new_hi = np.maximum(tensor.lo, lo), np.minimum(tensor.hi, hi)
    empty = new_lo > new_hi
    if np.all(empty):
        return None
    if np.any(empty):
        least, most = np.min(new_lo, where=~empty, initial=np.inf), np.max(new_hi, where=~empty, initial=-np.inf)
        new_lo, new_hi = np.where(empty, least, new_lo), np.where(empty, most, new_hi)
    result = tensor.with_bounds(new_lo, new_hi)
    result.nan, result.form = False, tensor.form
    return result


def consequences(piece: AbstractTensor) -> dict[Any, AbstractTensor]:
    """What a value's being as narrow as `piece` says of it and of what it was computed from."""
    return {**_backwards(piece, piece.low, piece.high), piece.key: piece}


_NEGATED = {
    "Greater": "LessOrEqual",
    "GreaterOrEqual": "Less",
    "Less": "GreaterOrEqual",
    "LessOrEqual": "Greater",
    "Equal": "NotEqual",
    "NotEqual": "Equal",
}


def implied(condition: AbstractTensor, truth: bool) -> dict[Any, AbstractTensor] | None:
    """What a condition's being `truth` says of the values it compares; None if it cannot be so in any element."""
    if (truth and condition.high == 0) or (not truth and condition.low == 1):
        return None
    origin = condition.origin
    if origin is None:
        return {}
    name, inputs = origin.rule.name, origin.inputs
    if name == "Not":
        return implied(inputs[0], not truth)
    if (name == "And" and truth) or (name == "Or" and not truth):
        result: dict[Any, AbstractTensor] = {}
        for item in inputs:
            more = implied(item, truth)
            if more is None:
                return None
            for key, tensor in more.items():
                known = result.get(key)
                if known is not None and known.starts == tensor.starts:
                    both = narrowed(known, tensor.lo, tensor.hi)
                    if both is None:
                        return None
                    tensor = both
                result[key] = tensor
        return result
    if name == "Where" and truth and len(inputs) == 3:
        return {}
    if name == "IsNaN" and not truth:
        if not inputs[0].nan:  # nothing new: the value stays as it is, with all that is known of it
            return {}
        clean = inputs[0].with_bounds(inputs[0].lo, inputs[0].hi)
        clean.nan, clean.form = False, inputs[0].form
        return {clean.key: clean}
    if (name == "IsFinite" and truth) or (name == "IsInf" and not truth):
        context, x = origin.context, inputs[0]
        lo = x.dtype.lo if name == "IsFinite" or context.attr("detect_negative", 1) else -np.inf
        hi = x.dtype.hi if name == "IsFinite" or context.attr("detect_positive", 1) else np.inf
        if x.low >= lo and x.high <= hi and not (x.nan and name == "IsFinite"):
            return {}
        piece = narrowed(x, lo, hi)
        if piece is None:
            return None
        piece.nan = x.nan and name == "IsInf"
        return {x.key: piece}
    if name not in _NEGATED:
        return {}
    if (not truth or name == "NotEqual") and (inputs[0].nan or inputs[1].nan):
        return {}  # a comparison with NaN is false, and says nothing; NaN is unlike everything
    if not truth:
        name = _NEGATED[name]
    return _compared(name, inputs[0], inputs[1])


MOST_CASES = 8  # of a disjunction; more are joined, which is coarser and sound


def implied_cases(condition: AbstractTensor, truth: bool) -> list[dict[Any, AbstractTensor]]:
    """What a condition's being `truth` says, of itself too, one dictionary a case; none where it cannot be so.

    What is not equal to a constant lies below it or above it: a range that straddles the constant has two cases.
    """
    own = narrowed(condition, float(truth), float(truth))
    return [] if own is None else [{condition.key: own, **case} for case in _cases(condition, truth)]


def _cases(condition: AbstractTensor, truth: bool) -> list[dict[Any, AbstractTensor]]:
    origin = condition.origin
    name = origin.rule.name if origin is not None else ""
    if origin is not None and name == "Not":
        return implied_cases(origin.inputs[0], not truth)
    if origin is not None and ((name == "And" and truth) or (name == "Or" and not truth)) and len(origin.inputs) == 2:
        first, second = (implied_cases(i, truth) for i in origin.inputs)
        whole = implied(condition, truth)
        if whole is None or not first or not second:
            return []
        if len(first) * len(second) > MOST_CASES:
            return [whole]
        return [{**whole, **one, **other} for one in first for other in second]
    known = implied(condition, truth)
    if known is None:
        return []
    apart = (name == "Equal" and not truth) or (name == "NotEqual" and truth)
    if origin is None or not apart or any(not isinstance(i, AbstractTensor) or i.nan for i in origin.inputs):
        return [known]
    for one, other in (origin.inputs, origin.inputs[::-1]):
        if other.low == other.high and one.low < other.low < one.high:
            pieces = (narrowed(one, above(one, other.low), np.inf), narrowed(one, -np.inf, below(one, other.low)))
            return [{**known, **consequences(piece)} for piece in pieces if piece is not None]
    return [known]


def _compared(name: str, a: AbstractTensor, b: AbstractTensor) -> dict[Any, AbstractTensor] | None:
    if name in ("Less", "LessOrEqual"):
        a, b, name = b, a, {"Less": "Greater", "LessOrEqual": "GreaterOrEqual"}[name]
    result: dict[Any, AbstractTensor] = {}
    if name == "NotEqual":
        for one, other in ((a, b), (b, a)):
            if other.low == other.high and other.low in (one.low, one.high):
                gap = above(one, other.low)
                lo = gap if one.low == other.low else -np.inf
                hi = below(one, other.low) if one.high == other.low else np.inf
                if one.dtype.is_float and not np.isfinite(other.low):
                    lo, hi = (one.dtype.lo, hi) if other.low < 0 else (lo, one.dtype.hi)
                piece = narrowed(one, lo, hi)
                if piece is None:
                    return None
                result[one.key] = piece
        return result
    limits = ((a, b.low, np.inf), (b, -np.inf, a.high))
    if name == "Equal":
        limits = ((a, b.low, b.high), (b, a.low, a.high))
    for index, (tensor, lo, hi) in enumerate(limits):
        if name == "Greater":
            if index == 0:
                lo = above(tensor, lo)
            else:
                hi = below(tensor, hi)
        if lo <= tensor.low and hi >= tensor.high:
            continue
        piece = narrowed(tensor, lo, hi)
        if piece is None:
            return None
        result[tensor.key] = piece
        result.update(_backwards(tensor, lo, hi))
    if a.dtype.is_float and a.low < a.high and b.low < b.high:  # what the comparison says of the difference
        least = a.dtype.smallest if name == "Greater" else 0.0
        most = 0.0 if name == "Equal" else np.inf
        gap_ab = AbstractTensor(a.dtype, None, np.float64(least), np.float64(most))
        result["order", a.key, b.key] = gap_ab
        result["order", b.key, a.key] = AbstractTensor(a.dtype, None, np.float64(-most), np.float64(-least))
    return result


def above(tensor: AbstractTensor, value: float) -> float:
    """The least number of the tensor's dtype above `value`."""
    dtype = tensor.dtype
    if not np.isfinite(value):
        return float(dtype.lo) if value < 0 and dtype.is_float else value
    if not dtype.is_float:
        return float(np.floor(value) + 1)
    if value == 0:
        return float(dtype.smallest)
    step = max(abs(value) * dtype.eps / 2, dtype.smallest)
    if dtype.name == "float32":
        return float(np.nextafter(np.float32(value), np.float32(np.inf)))
    if dtype.name == "float64":
        return float(np.nextafter(value, np.inf))
    return float(value + step * (1 - 1e-9))  # short of the next number, which `value + step` may be rounded to


def below(tensor: AbstractTensor, value: float) -> float:
    """The greatest number of the tensor's dtype below `value`."""
    return -above(tensor, -value)


def _backwards(tensor: AbstractTensor, lo: float, hi: float) -> dict[Any, AbstractTensor]:
    """What bounds on a value say of the values it was computed from."""
    result: dict[Any, AbstractTensor] = {}
    for _ in range(8):
        form = tensor.form
        if form is not None and len(form.terms) == 1:
            ((key, (variable, plain, relu)),) = form.terms.items()
            if key != tensor.key and relu == 0 and plain != 0:
                a, b = (lo - form.constant - form.error) / plain, (hi - form.constant + form.error) / plain
                a, b = min(a, b), max(a, b)
                finite = [abs(v) for v in (a, b) if np.isfinite(v)]
                # what the affine form's own arithmetic loses in the tensor's type
                pad = 4 * variable.dtype.eps * max(finite, default=0.0)
                lo, hi, tensor = a - pad, b + pad, variable
                piece = narrowed(tensor, lo, hi)
                if piece is not None:
                    result.setdefault(key, piece)
                continue
        limits = _operand_limits(tensor, lo, hi)
        if limits is None:
            break
        tensor, lo, hi = limits
        piece = narrowed(tensor, lo, hi)
        if piece is None:
            break
        result.setdefault(tensor.key, piece)
    return result


def _operand_limits(tensor: AbstractTensor, lo: float, hi: float) -> tuple[AbstractTensor, float, float] | None:
    """The operand that a result in [lo, hi] bounds, and its bounds; None if it says nothing."""
    origin = tensor.origin
    if origin is None or not origin.rule.elementwise:
        return None
    name, x = origin.rule.name, origin.inputs[0]
    if not isinstance(x, AbstractTensor):
        return None
    if name == "Abs":
        if x.low >= 0:
            return x, lo, hi
        if x.high <= 0:
            return x, -hi, -lo
        return x, -hi, hi
    if name == "Relu":
        return x, (lo if lo > 0 else -np.inf), hi
    if name == "Max" and len(origin.inputs) == 2 and origin.inputs[1].low == origin.inputs[1].high:
        return x, (lo if lo > origin.inputs[1].high else -np.inf), hi
    if name == "Exp":
        pad = max(1e-3, 8 * tensor.dtype.eps)  # the logarithm of an exponential that is a few units off
        least = np.log(lo) - (pad if lo >= tensor.dtype.tiny else 0.7) if lo > 0 else -np.inf
        return x, float(least), float(np.log(max(hi, tensor.dtype.tiny)) + pad)
    if name in ("Mul", "Div") and tensor.dtype.is_float and isinstance(origin.inputs[1], AbstractTensor):
        return _unscaled(tensor, x, origin.inputs[1], name, lo, hi)
    return None


def _unscaled(
    tensor: AbstractTensor, x: AbstractTensor, by: AbstractTensor, name: str, lo: float, hi: float
) -> tuple[AbstractTensor, float, float] | None:
    """What x * c or x / c in [lo, hi], rounded, says of x."""
    if name == "Mul" and x.low == x.high:
        x, by = by, x
    if by.low != by.high or not by.dtype.tiny < abs(by.low) < 1 / by.dtype.tiny:
        return None
    factor = float(by.low if name == "Mul" else 1 / by.low)
    ends = [v if np.isinf(v) else v / factor for v in (lo, hi)]
    a, b = sorted(ends if factor > 0 else [v if np.isfinite(v) else -v for v in ends])
    slack = tensor.dtype.tiny / abs(factor)  # a result below it carries few bits, or is 0
    pads = [abs(v) * 4 * tensor.dtype.eps + slack if np.isfinite(v) else 0.0 for v in (a, b)]
    return x, a - pads[0], b + pads[1]


def refine_by(run: Run, condition: AbstractTensor, truth: bool, tensor: AbstractTensor) -> AbstractTensor | None:
    """`tensor` in the elements where `condition` is `truth`; None if there are none."""
    known = implied(condition, truth)
    if known is None:
        return None
    if not known:
        return tensor
    with run.ledger.quietly():
        result: AbstractTensor = reevaluate(run, tensor, known, {}, False)
    return result
