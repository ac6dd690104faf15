"""Proofs by cases where bounds alone prove nothing: predicate splitting (DEBAR, section 4.4), blocks one by one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.refinement import above, below, consequences, narrowed, reevaluate
from analyzer.operators.declaration import COMPARISON, PIECEWISE_LINEAR

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run


MAX_VALUES = 150  # looked at for one proof
MAX_CUTS = 4  # of one value
NARROW = 1e-4  # of bounds' own size: what separates those of one number that was computed
VAIN_APPLICATIONS = 5_000  # of operators in one run, a few seconds: most models need less than a hundred
MAX_CANDIDATES = 8  # inputs that are split; each doubles the work

Candidate = tuple[AbstractTensor, list[float]]


def _candidates(operands: tuple[AbstractTensor, ...]) -> list[Candidate]:
    """Values that the operands depend on along several paths or non-linearly, and where to split them."""
    uses: dict[int, int] = {}
    thresholds: dict[int, set[float]] = {}
    compared: dict[int, set[float]] = {}  # with what: the end of a range may be a case of its own (``x == 0``)
    seen: dict[int, AbstractTensor] = {t.key: t for t in operands}
    queue = list(operands)
    for tensor in queue:  # grows while it is walked
        if len(seen) > MAX_VALUES:
            break
        origin = tensor.origin
        inputs = origin.inputs if origin is not None and origin.rule.elementwise else ()
        tensors = [i for i in inputs if isinstance(i, AbstractTensor)]
        constants = [c for c in map(_threshold, tensors) if c is not None]
        kinked = bool(tensors) and bool(origin.rule.operator.traits & PIECEWISE_LINEAR)
        decides = bool(tensors) and bool(origin.rule.operator.traits & COMPARISON)
        for item in tensors:
            if decides:
                compared.setdefault(item.key, set()).update(constants)
            uses[item.key] = uses.get(item.key, 0) + (2 if kinked else 1)
            if kinked:
                thresholds.setdefault(item.key, set()).update((*constants, 0.0))
        rectified = [v for v, _, relu in tensor.form.terms.values() if relu] if tensor.form is not None else []
        for item in rectified:  # the variables of ReLU terms (DEBAR's choice)
            uses[item.key] = uses.get(item.key, 0) + 2
            thresholds.setdefault(item.key, set()).add(0.0)
        for item in (*tensors, *rectified):
            if item.key not in seen:
                seen[item.key] = item
                queue.append(item)
    for tensor in queue:
        for operand, values in _preimages(tensor, thresholds.get(tensor.key, set())):
            thresholds.setdefault(operand.key, set()).update(values)
    found = []
    for key, tensor in seen.items():
        if uses.get(key, 0) < 2 or tensor.low >= tensor.high or tensor.nan:  # NaN lies in none of the pieces
            continue
        cuts = sorted({_on_grid(tensor, c) for c in thresholds.get(key, {0.0})})
        ends = [c for c in compared.get(key, ()) if c in (tensor.low, tensor.high)]
        cuts = [c for c in cuts if tensor.low < c < tensor.high]
        if not cuts and np.isfinite(tensor.low) and np.isfinite(tensor.high):
            cuts = [_on_grid(tensor, 0.5 * (tensor.low + tensor.high))]
        cuts += ends
        if cuts:
            found.append((tensor, sorted(sorted(cuts, key=abs)[:MAX_CUTS])))
    return found[:MAX_CANDIDATES]


def _threshold(tensor: AbstractTensor) -> float | None:
    """The number that is the tensor's, or nearly so (computed from constants): of its bounds the one nearer to 0."""
    low, high = tensor.low, tensor.high
    if low == high or (low * high > 0 and high - low <= NARROW * abs(low)):
        nearer = min(low, high, key=abs)
        return float(nearer) if np.isfinite(nearer) else None
    return None


def _on_grid(tensor: AbstractTensor, cut: float) -> float:
    """The number of the tensor's dtype nearest to a cut: pieces with their ends apart leave out what lies between."""
    return float(tensor.dtype.nearest(np.float64(cut))) if tensor.dtype.is_float else float(np.rint(cut))


def _preimages(tensor: AbstractTensor, values: set[float]) -> Iterator[tuple[AbstractTensor, list[float]]]:
    """Where an operand crosses a threshold of the value computed from it."""
    form, origin = tensor.form, tensor.origin
    if not values:
        return
    if form is not None and len(form.terms) == 1:
        ((variable, plain, relu),) = form.terms.values()
        if plain and not relu and variable.key != tensor.key:
            yield variable, [float(variable.dtype.nearest(np.float64((v - form.constant) / plain))) for v in values]
    if origin is None or not origin.rule.elementwise or not isinstance(origin.inputs[0], AbstractTensor):
        return
    name, x = origin.rule.name, origin.inputs[0]
    if name == "Abs":
        yield x, [s * v for v in values if v >= 0 for s in (1, -1)]
    elif name in ("Square", "Sqrt", "Exp"):
        inverse = {"Square": np.sqrt, "Sqrt": np.square, "Exp": np.log}[name]
        yield x, [float(inverse(v)) for v in values if v > 0]


def proves_by_splitting(run: Run, operands: tuple[AbstractTensor, ...], safe: Callable[..., bool]) -> bool:
    """Whether case distinctions on up to two values the operands depend on prove `safe(*operands)` in every case.

    Cases share their ends first; where that is not enough, the ends are cases of their own. A run in which much of
    this was in vain (a long recurrence, each step of which depends on all before) goes on without.
    """
    if run.vain_left <= 0:
        return False
    before = run.applications
    proved = _proved(run, operands, safe)
    run.vain_left -= 0 if proved else run.applications - before
    return proved


def _proved(run: Run, operands: tuple[AbstractTensor, ...], safe: Callable[..., bool]) -> bool:
    candidates = _candidates(operands)
    budget = run.options.max_splits
    groups: list[tuple[Candidate, ...]] = [(c,) for c in candidates]
    groups += list(itertools.combinations(candidates[:4], 2))
    with run.ledger.quietly():
        for group in groups:
            for ends_apart in (False, True):
                cases = list(itertools.product(*(_pieces(t, cuts, ends_apart) for t, cuts in group)))
                budget -= len(cases)
                if budget < 0:
                    return False
                tensors = tuple(t for t, _ in group)
                if all(_holds(run, operands, safe, case) or _never(run, tensors, case) for case in cases):
                    return True
    return False


def _pieces(tensor: AbstractTensor, cuts: list[float], ends_apart: bool) -> list[AbstractTensor]:
    edges = [-np.inf, *cuts, np.inf]
    if not ends_apart:
        pieces = [narrowed(tensor, a, b) for a, b in itertools.pairwise(edges)]
    else:
        pieces = [narrowed(tensor, c, c) for c in cuts]
        # infinite edges are none: an infinity belongs to the piece at this end
        least = [a if np.isinf(a) else above(tensor, a) for a in edges[:-1]]
        most = [b if np.isinf(b) else below(tensor, b) for b in edges[1:]]
        pieces += [narrowed(tensor, a, b) for a, b in zip(least, most, strict=True)]
    return [p for p in pieces if p is not None]


def _holds(
    run: Run, operands: tuple[AbstractTensor, ...], safe: Callable[..., bool], case: tuple[AbstractTensor, ...]
) -> bool:
    known: dict[Any, AbstractTensor] = {}
    for piece in case:
        for key, tensor in consequences(piece).items():
            known[key] = tensor if key == piece.key else known.get(key, tensor)
    whole, memo = _single(case), dict[int, Any]()
    return safe(*(reevaluate(run, t, known, memo, whole) for t in operands))


def _never(run: Run, tensors: tuple[AbstractTensor, ...], case: tuple[AbstractTensor, ...]) -> bool:
    """Whether no element is such a case: one of the pieces lies apart from what the others say of its value."""
    whole = _single(case)
    for place, (tensor, piece) in enumerate(zip(tensors, case, strict=True)):
        others = {k: t for i, p in enumerate(case) if i != place for k, t in consequences(p).items()}
        if not others or piece.key in others:
            continue
        value = reevaluate(run, tensor, others, {}, whole)
        if value.low > piece.high or value.high < piece.low:
            return True
    return False


def _single(case: tuple[AbstractTensor, ...]) -> bool:
    return all(p.shape is not None and all(d == 1 for d in p.shape) for p in case)
