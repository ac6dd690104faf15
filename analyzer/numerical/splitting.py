"""Evaluating a slice again with narrower values: predicate splitting (DEBAR, section 4.4), refinement by comparisons.

Only element-wise applications are evaluated again, so that a case distinction on the elements of a tensor stays a case
distinction element by element; everything else keeps its bounds, which hold in every case. A tensor of exactly one
element can be split for the whole run: then every application that depends on it is evaluated again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from analyzer.numerical.domain.affine import form_of
from analyzer.numerical.domain.dtypes import select
from analyzer.numerical.domain.tensor import AbstractTensor

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

MAX_DEPTH = 60
MAX_APPLICATIONS = 400

Bounds = tuple[float, float]


def reevaluate(
    run: Run, tensor: Any, known: Mapping[int, AbstractTensor], memo: dict[int, Any], whole: bool, depth: int = 0
) -> Any:
    """`tensor` where the values with the keys of `known` are as narrow as given there."""
    if not isinstance(tensor, AbstractTensor):
        return tensor
    if tensor.key in known:
        return known[tensor.key]
    if tensor.key in memo:
        return memo[tensor.key]
    origin = tensor.origin
    if origin is None or depth > MAX_DEPTH or not (origin.rule.elementwise or (whole and origin.rule.pure)):
        return tensor
    memo[tensor.key] = tensor
    inputs = tuple(i if i is None else reevaluate(run, i, known, memo, whole, depth + 1) for i in origin.inputs)
    result = tensor
    if any(a is not b for a, b in zip(inputs, origin.inputs, strict=True)) and len(memo) < MAX_APPLICATIONS:
        result = run.apply_again(tensor, inputs)
        if result.starts == tensor.starts:  # both hold: keep the better of the two
            lo, hi = np.maximum(result.lo, tensor.lo), np.minimum(result.hi, tensor.hi)
            empty = lo > hi  # this case cannot happen in this block
            if np.any(empty):
                lo, hi = select(empty, hi, lo), select(empty, lo, hi)
            result.lo, result.hi = lo, hi
    memo[tensor.key] = result
    return result


def narrowed(tensor: AbstractTensor, lo: float | Any, hi: float | Any) -> AbstractTensor | None:
    """The elements of `tensor` that lie in [lo, hi]; None if there are none. Blocks without any keep their bounds."""
    new_lo, new_hi = np.maximum(tensor.lo, lo), np.minimum(tensor.hi, hi)
    empty = new_lo > new_hi
    if np.all(empty):
        return None
    if np.any(empty):
        new_lo, new_hi = np.where(empty, tensor.lo, new_lo), np.where(empty, tensor.hi, new_hi)
    result = tensor.with_bounds(new_lo, new_hi)
    result.nan = False
    return result


def _candidates(operands: tuple[AbstractTensor, ...]) -> list[tuple[AbstractTensor, list[float]]]:
    """Values that the operands depend on along several paths or non-linearly, and where to split them."""
    uses: dict[int, int] = {}
    thresholds: dict[int, set[float]] = {}
    seen: dict[int, AbstractTensor] = {}
    kinked = {"Relu", "Abs", "Max", "Min", "Where", "Clip", "Sign", "LeakyRelu", "Elu", "Maximum", "Minimum"}
    queue: list[AbstractTensor] = list(operands)
    for tensor in queue:
        seen[tensor.key] = tensor
    while queue:
        tensor = queue.pop(0)
        origin = tensor.origin
        if origin is None or not origin.rule.elementwise or len(seen) > 150:
            continue
        tensors = [i for i in origin.inputs if isinstance(i, AbstractTensor)]
        constants = [t.low for t in tensors if t.low == t.high and np.isfinite(t.low)]
        for item in tensors:
            uses[item.key] = uses.get(item.key, 0) + 1
            if origin.rule.name in kinked or origin.rule.name in COMPARISONS:
                thresholds.setdefault(item.key, set()).update((*constants, 0.0))
                uses[item.key] += 1
            if item.key not in seen:
                seen[item.key] = item
                queue.append(item)
    found = []
    for key, tensor in seen.items():
        if uses.get(key, 0) < 2 or tensor.low >= tensor.high or tensor.dtype.kind == "bool":
            continue
        cuts = sorted(c for c in thresholds.get(key, {0.0}) if tensor.low < c < tensor.high)
        if not cuts and np.isfinite(tensor.low) and np.isfinite(tensor.high) and uses[key] >= 2:
            cuts = [0.5 * (tensor.low + tensor.high)]
        if cuts:
            found.append((tensor, cuts[:4]))
    return found[:8]


def proves_by_splitting(run: Run, operands: tuple[AbstractTensor, ...], safe: Callable[..., bool]) -> bool:
    """Whether case distinctions on up to two values the operands depend on prove `safe(*operands)` in every case."""
    candidates = _candidates(operands)
    budget = run.options.max_splits
    groups: list[tuple[tuple[AbstractTensor, list[float]], ...]] = [(c,) for c in candidates]
    groups += list(itertools.combinations(candidates[:4], 2))
    with run.quietly():
        for group in groups:
            cases = list(itertools.product(*(_pieces(t, cuts) for t, cuts in group)))
            budget -= len(cases)
            if budget < 0:
                return False
            if all(_holds(run, operands, safe, case) for case in cases):
                return True
    return False


def _pieces(tensor: AbstractTensor, cuts: list[float]) -> list[AbstractTensor]:
    edges = [-np.inf, *cuts, np.inf]
    pieces = [narrowed(tensor, a, b) for a, b in itertools.pairwise(edges)]
    return [p for p in pieces if p is not None]


def _holds(
    run: Run, operands: tuple[AbstractTensor, ...], safe: Callable[..., bool], case: tuple[AbstractTensor, ...]
) -> bool:
    known = {piece.key: piece for piece in case}
    whole = all(p.shape is not None and all(d == 1 for d in p.shape) for p in case)
    memo: dict[int, Any] = {}
    return safe(*(reevaluate(run, t, known, memo, whole) for t in operands))


COMPARISONS = {"Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal", "NotEqual"}
_NEGATED = {
    "Greater": "LessOrEqual",
    "GreaterOrEqual": "Less",
    "Less": "GreaterOrEqual",
    "LessOrEqual": "Greater",
    "Equal": "NotEqual",
    "NotEqual": "Equal",
}


def implied(condition: AbstractTensor, truth: bool) -> dict[int, AbstractTensor] | None:
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
        result: dict[int, AbstractTensor] = {}
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
        clean = inputs[0].with_bounds(inputs[0].lo, inputs[0].hi)
        clean.nan, clean.form = False, inputs[0].form
        return {clean.key: clean}
    if name not in COMPARISONS:
        return {}
    if not truth:
        if inputs[0].nan or inputs[1].nan:  # a comparison with NaN is false, and says nothing
            return {}
        name = _NEGATED[name]
    return _compared(name, inputs[0], inputs[1])


def _compared(name: str, a: AbstractTensor, b: AbstractTensor) -> dict[int, AbstractTensor] | None:
    if name in ("Less", "LessOrEqual"):
        a, b, name = b, a, {"Less": "Greater", "LessOrEqual": "GreaterOrEqual"}[name]
    step = 0.0
    result: dict[int, AbstractTensor] = {}
    if name == "NotEqual":
        for one, other in ((a, b), (b, a)):
            if other.low == other.high and other.low in (one.low, one.high):
                gap = _above(one, other.low)
                lo = gap if one.low == other.low else -np.inf
                hi = -_above(one, -other.low) if one.high == other.low else np.inf
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
                lo = _above(tensor, lo)
            else:
                hi = -_above(tensor, -hi)
        if lo <= tensor.low and hi >= tensor.high:
            continue
        piece = narrowed(tensor, lo, hi)
        if piece is None:
            return None
        result[tensor.key] = piece
        result.update(_backwards(tensor, lo + step, hi))
    return result


def _above(tensor: AbstractTensor, value: float) -> float:
    """The least number of the tensor's dtype above `value`."""
    if not np.isfinite(value):
        return value
    dtype = tensor.dtype
    if not dtype.is_float:
        return float(np.floor(value) + 1)
    step = max(abs(value) * dtype.eps / 2, dtype.smallest)
    if dtype.name == "float32":
        return float(np.nextafter(np.float32(value), np.float32(np.inf)))
    if dtype.name == "float64":
        return float(np.nextafter(value, np.inf))
    return float(value + step * (1 - 1e-9))


def _backwards(tensor: AbstractTensor, lo: float, hi: float) -> dict[int, AbstractTensor]:
    """What bounds on a value say of the values it was computed from."""
    result: dict[int, AbstractTensor] = {}
    for _ in range(8):
        form = tensor.form
        if form is not None and len(form.terms) == 1:
            ((key, (variable, plain, relu)),) = form.terms.items()
            if key != tensor.key and relu == 0 and plain != 0:
                a, b = (lo - form.constant - form.error) / plain, (hi - form.constant + form.error) / plain
                a, b = min(a, b), max(a, b)
                pad = (
                    4
                    * variable.dtype.eps
                    * (max(abs(v) for v in (a, b) if np.isfinite(v)) if np.isfinite(a) or np.isfinite(b) else 0)
                )
                piece = narrowed(variable, a - pad, b + pad)
                if piece is not None:
                    result.setdefault(key, piece)
                tensor, lo, hi = variable, a - pad, b + pad
                continue
        origin = tensor.origin
        if origin is None or not origin.rule.elementwise:
            break
        name = origin.rule.name
        if name == "Abs":
            lo, hi, tensor = -hi, hi, origin.inputs[0]
        elif name == "Cast" and origin.inputs[0].dtype.kind == tensor.dtype.kind == "float":
            break
        elif name == "Exp":
            with np.errstate(all="ignore"):
                lo, hi = np.log(max(lo, 0.0)) - 1e-3, np.log(max(hi, 0.0)) + 1e-3
            tensor = origin.inputs[0]
        else:
            break
        piece = narrowed(tensor, lo, hi)
        if piece is None:
            break
        result.setdefault(tensor.key, piece)
    return result


def refine_by(run: Run, condition: AbstractTensor, truth: bool, tensor: AbstractTensor) -> AbstractTensor | None:
    """`tensor` in the elements where `condition` is `truth`; None if there are none."""
    known = implied(condition, truth)
    if known is None:
        return None
    if not known:
        return tensor
    with run.quietly():
        result: AbstractTensor = reevaluate(run, tensor, known, {}, False)
    return result


def unused_where_unsafe(
    run: Run, value: ir.Value, operands: tuple[AbstractTensor, ...], safe: Callable[..., bool], depth: int = 4
) -> bool:
    """Whether `value` reaches nothing but branches of Where that are taken only where `safe(*operands)` holds.

    Then the operator may give NaN or infinity, yet no result of the run has it; the gradient does (0 * inf).
    """
    uses = list(value.uses())
    if not uses or depth == 0 or value.is_graph_output():
        return False
    for node, index in uses:
        rule = run.rule(node)
        if rule is None or not rule.elementwise:
            return False
        if rule.name == "Where" and index in (1, 2):
            condition = run.ensure(node.inputs[0])
            if not isinstance(condition, AbstractTensor):
                return False
            known = implied(condition, index == 1)
            if known is None:
                continue
            with run.quietly():
                if not known or not safe(*(reevaluate(run, t, known, {}, False) for t in operands)):
                    return False
        elif not unused_where_unsafe(run, node.outputs[0], operands, safe, depth - 1):
            return False
    return True


__all__ = ["form_of", "implied", "narrowed", "proves_by_splitting", "reevaluate", "refine_by", "unused_where_unsafe"]
