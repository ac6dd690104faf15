"""Failures that reach no result: one forward dataflow of bad values, from an operator to everything that reads it.

A *bad* value is NaN, +inf or -inf in some elements. Each operator's rule says which of them it lets through: a
selection drops the elements whose branch is not taken where the operator fails, a minimum drops +inf, ``tanh`` both
infinities, a test for NaN everything. What nothing lets through to a result excuses the failure; the sentences say why.

The dataflow is monotone over (value, kinds): each value is looked at a few times at most, however the graph branches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from analyzer.graph import display_name
from analyzer.numerical.constants import constant_array
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.refinement import implied_cases, reevaluate
from analyzer.numerical.relevance import operands
from analyzer.operators.declaration import (
    ASKS_FINITE,
    BOUNDED,
    CONVERTS,
    ELEMENTWISE,
    FLOORED,
    IDENTITY,
    PLUS_ZERO,
    ROUNDS,
    SELECTION,
    SELECTS,
    SHAPE_ONLY,
)
from analyzer.operators.registry import operator_name, traits_of

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

NAN, ABOVE, BELOW = "nan", "+inf", "-inf"
Kinds = frozenset[str]
ANYTHING: Kinds = frozenset({NAN, ABOVE, BELOW})
NOTHING: Kinds = frozenset()
SWAPPED = {NAN: NAN, ABOVE: BELOW, BELOW: ABOVE}
MOST_VALUES = 400  # looked at for one excuse
SMALLEST_RANGE = 65504.0  # the largest number of the narrowest type that is computed with
Guard = Callable[[ir.Value, bool], bool]  # (condition, truth): the operator does not fail in elements where it holds


@dataclass(frozen=True, slots=True)
class Excuse:
    """Why a failure of `node` reaches no result. `visible`: what reads the value still meets the bad elements."""

    node: ir.Node
    danger: str
    reasons: tuple[str, ...]
    visible: Kinds = NOTHING

    def drops(self, kinds: Kinds) -> bool:
        """Whether values of these kinds reach no result, wherever they come up."""
        return kinds <= self.visible and all(r.startswith(BY_KIND) for r in self.reasons)

    def __str__(self) -> str:
        return f"`{display_name(self.node)}` may meet {self.danger}, excused because {'; '.join(self.reasons)}."


def guarded(run: Run, tensors: tuple[AbstractTensor, ...], safe: Callable[..., bool]) -> Guard:
    """Conditions under which `safe(*tensors)` is proved."""

    def guard(condition: ir.Value, truth: bool) -> bool:
        known = run.ensure(condition)
        if not isinstance(known, AbstractTensor):
            return False
        with run.ledger.quietly():
            return all(
                bool(case) and safe(*(reevaluate(run, t, case, {}, False) for t in tensors))
                for case in implied_cases(known, truth)
            )

    return guard


def excuse(
    run: Run, node: ir.Node, danger: str, guard: Guard, kinds: Kinds = ANYTHING, *, by_kind: bool = False
) -> Excuse | None:
    """Why no result of the graph has a bad element of the node's result, or None if one may.

    Without `by_kind` only selections guarded by a condition count, and the values that are bad are never seen.
    """
    state = {value: (kinds, value is node.outputs[0]) for value in node.outputs}
    queue = list(state)
    reasons: dict[str, None] = {}
    seen = used_kinds = 0
    if not any(value.uses() for value in queue):
        return None
    while queue:
        value = queue.pop()
        bad, aligned = state[value]
        seen += 1
        if value.is_graph_output() or seen > MOST_VALUES:
            return None
        for reader, index in value.uses():
            step = _Step(run, reader, index, value, node, bad, guard if aligned else None, by_kind)
            left, reason = step.passed()
            if left is None:
                return None
            if reason:
                reasons[reason] = None
                used_kinds += reason.startswith(BY_KIND)
            if not left:
                continue
            still = aligned and step.keeps_places()
            for result in reader.outputs:
                known, before = state.get(result, (NOTHING, True))
                merged = (known | left, before and still)
                if merged != (known, before) or result not in state:
                    state[result] = merged
                    queue.append(result)
    return Excuse(node, danger, tuple(reasons) or ("nothing reads its value",), kinds if used_kinds else NOTHING)


BY_KIND = "by its kind: "
MOST_PRODUCERS = 2000  # nodes looked at for one excuse; beyond them there is none, which is safe


def depends(value: ir.Value, node: ir.Node) -> bool:
    """Whether a value is computed from a node's results: what is known of it supposes that the node did not fail.

    Shapes and types are what they are, whatever the numbers.
    """
    seen: set[ir.Node] = set()
    stack = [value.producer()]
    while stack:
        current = stack.pop()
        if current is None or current in seen:
            continue
        if current is node or len(seen) > MOST_PRODUCERS:
            return True
        seen.add(current)
        if traits_of(current) & SHAPE_ONLY:
            continue
        read = current.inputs[:1] if current.op_type == "CastLike" else operands(current)
        stack.extend(v.producer() for v in read if v is not None)
    return False


@dataclass(frozen=True, slots=True)
class _Step:
    """One reader of a bad value."""

    run: Run
    node: ir.Node
    index: int
    value: ir.Value
    origin: ir.Node  # the operator that fails
    bad: Kinds
    guard: Guard | None  # None where the value's elements are no longer those of the operator that fails
    by_kind: bool

    def keeps_places(self) -> bool:
        """Whether element i of the result depends on element i of the value, counted from the last axis."""
        node = self.node
        if operator_name(node) == "BiasAdd":
            return self.index == 0
        if node.op_type == "Select":  # a condition of one axis chooses whole rows
            ranks = {self._rank(v) for v in node.inputs}
            return len(ranks) == 1 and None not in ranks
        return bool(traits_of(node) & (ELEMENTWISE | IDENTITY | CONVERTS))

    def _rank(self, value: ir.Value | None) -> int | None:
        """As the graph records it: what the origin computes is not known yet."""
        if value is not None and value.shape is not None:
            return len(value.shape)
        known = self.run.ensure(value)
        return known.rank if isinstance(known, AbstractTensor) else None

    def passed(self) -> tuple[Kinds | None, str]:
        """The kinds that the reader's results have (None: what comes out is not known), and why others have gone."""
        node, name, traits = self.node, operator_name(self.node), traits_of(self.node)
        if traits & SHAPE_ONLY or (node.op_type == "CastLike" and self.index == 1):
            return NOTHING, ""
        if traits & SELECTION and self.index in (1, 2):
            return self._selected()
        rule = self.run.rule(node)
        if rule is None:
            return None, ""
        if not self.by_kind:
            return (self.bad, "") if rule.elementwise else (None, "")
        if traits & ASKS_FINITE or (name == "Equal" and _infinity(node, self.value) is not None):
            return NOTHING, f"{BY_KIND}`{display_name(node)}` asks for what is not finite"
        left = self._computed(name)
        if left is None:
            moved = traits & (IDENTITY | CONVERTS) or (traits & SELECTS and self.index == 0)
            return (self.bad, "") if moved else (None, "")
        gone = sorted(self.bad - left) if left < self.bad else []
        return left, f"{BY_KIND}`{display_name(node)}` turns {' and '.join(gone)} into a finite number" if gone else ""

    def _selected(self) -> tuple[Kinds | None, str]:
        condition, taken = self.node.inputs[0], self.index == 1
        where = f"`{display_name(self.node)}` takes its other branch there"
        if condition is None:
            return None, ""
        placed = self.guard is not None and self.keeps_places() and not depends(condition, self.origin)
        if placed and self.guard is not None and self.guard(condition, taken):
            return NOTHING, where
        if not self.by_kind:
            return None, ""
        left = frozenset(b for b in self.bad if _truth(condition, self.value, b) is not (not taken))
        return left, f"{BY_KIND}{where}" if left < self.bad else ""

    def _computed(self, name: str) -> Kinds | None:
        """What comes out of an operator that computes; None where it has no rule here."""
        bad, nan = self.bad, self.bad & {NAN}
        others = [self._known(v) for i, v in enumerate(self.node.inputs) if i != self.index and v is not None]
        finite = all(t is not None and _is_finite(t) for t in others)
        if name in ("Min", "Max"):
            bounding = [t for t in others if t is not None and not t.nan]
            if name == "Min":
                return bad - {ABOVE} if any(t.high < np.inf for t in bounding) else bad
            return bad - {BELOW} if any(t.low > -np.inf for t in bounding) else bad
        if name in ("Clip", "ClipByValue"):
            return self._clipped() if self.index == 0 else None
        if traits_of(self.node) & BOUNDED:
            return nan
        if name == "Multinomial":  # takes logarithms: what has the probability 0 is never drawn
            return bad - {BELOW}
        if traits_of(self.node) & FLOORED:
            return bad - {BELOW}
        if name == "Abs":
            return frozenset(ABOVE if b == BELOW else b for b in bad)
        if traits_of(self.node) & ROUNDS:
            return bad
        if name == "Neg":
            return frozenset(SWAPPED[b] for b in bad)
        if name in ("Reciprocal", "Rsqrt"):
            return nan if name == "Reciprocal" else nan | (frozenset({NAN}) if BELOW in bad else NOTHING)
        if not finite:
            return None
        if name in ("Add", "Sum"):
            return bad
        if name == "Sub":
            return bad if self.index == 0 else frozenset(SWAPPED[b] for b in bad)
        if name == "Div" and self.index == 1:
            return nan
        if name in ("Mul", "Div") and len(others) == 1 and (other := others[0]) is not None:
            least = other.dtype.tiny if other.dtype.is_float else 1.0
            if other.low >= least:
                return bad
            return frozenset(SWAPPED[b] for b in bad) if other.high <= -least else ANYTHING
        return None

    def _clipped(self) -> Kinds:
        bounds = (*self.node.inputs[1:3], None, None)[:2]
        return self.bad - {kind for kind, v in zip((BELOW, ABOVE), bounds, strict=True) if self._is_finite_bound(v)}

    def _is_finite_bound(self, value: ir.Value | None) -> bool:
        """Whether a bound is certainly finite; one that takes the type of what it bounds, if it is so in every type."""
        node = value.producer() if value is not None else None
        if node is None or node.op_type != "CastLike":
            known = self._known(value)
            return known is not None and _is_finite(known)
        known = self._known(node.inputs[0])
        return known is not None and not known.nan and max(-known.low, known.high) <= SMALLEST_RANGE

    def _known(self, value: ir.Value | None) -> AbstractTensor | None:
        """What is known of another operand wherever the origin fails: nothing where it is computed from the origin."""
        known = None if value is None or depends(value, self.origin) else self.run.ensure(value)
        return known if isinstance(known, AbstractTensor) else None


def _is_finite(tensor: AbstractTensor) -> bool:
    return not tensor.nan and tensor.low > -np.inf and tensor.high < np.inf


def outcomes(node: ir.Node, rule: str, tensors: tuple[AbstractTensor, ...]) -> Kinds:
    """What an operator gives where it is unsafe."""
    if any(t.nan for t in tensors):
        return ANYTHING
    kind, name = rule.rpartition("/")[2], operator_name(node)
    if kind == "softmax-of-minus-infinity":
        return frozenset({NAN})
    if kind == "extremum-of-infinity":
        return frozenset({ABOVE if name == "ReduceMin" else BELOW})
    if kind == "log-of-nonpositive" and name in ("Log", "Log1p"):
        return frozenset({BELOW}) if tensors[0].low >= (0 if name == "Log" else -1) else frozenset({BELOW, NAN})
    if kind == "division-by-zero" and name in ("Rsqrt", "Reciprocal"):
        return _poles(node.inputs[0], tensors[0])
    if kind == "division-by-zero" and name == "Div":
        above = constant_array(node.inputs[0])
        if above is not None and above.size and (above > 0).all():
            return _poles(node.inputs[1], tensors[0])
        return ANYTHING
    if kind == "pow-domain" and tensors[0].low >= 0:
        power = constant_array(node.inputs[1])
        odd = power is None or bool((power % 2 == 1).any())
        return frozenset({ABOVE, BELOW}) if odd else frozenset({ABOVE})
    return ANYTHING


def _poles(value: ir.Value | None, x: AbstractTensor) -> Kinds:
    return frozenset({ABOVE}) if x.low >= 0 and _plus_zero(value) else frozenset({ABOVE, BELOW})


def _plus_zero(value: ir.Value | None, depth: int = 6) -> bool:
    """Whether a zero is certainly +0."""
    node = value.producer() if value is not None else None
    if node is None or operator_name(node) == "Constant":
        array = constant_array(value)
        return array is not None and bool((array > 0).all())
    if traits_of(node) & PLUS_ZERO:
        return True
    if operator_name(node) == "Mul":
        return depth > 0 and all(_plus_zero(v, depth - 1) for v in node.inputs)
    keeps = traits_of(node) & (IDENTITY | CONVERTS) or operator_name(node) in ("Sqrt", "ReduceSum")
    return depth > 0 and bool(keeps) and _plus_zero(node.inputs[0], depth - 1)


def _infinity(node: ir.Node, value: ir.Value) -> str | None:
    """The infinity that `value` is compared with."""
    for i, other in enumerate(node.inputs):
        if other is not value:
            array = constant_array(other)
            if array is not None and array.size == 1 and node.inputs[1 - i] is value:
                return {float("inf"): ABOVE, -float("inf"): BELOW}.get(float(array.reshape(-1)[0]))
    return None


def _truth(condition: ir.Value | None, value: ir.Value, bad: str) -> bool | None:
    """What a condition is where `value` is the given kind of bad; None if that cannot be said."""
    node = condition.producer() if condition is not None else None
    if node is None:
        return None
    name = operator_name(node)
    if name == "Not":
        inner = _truth(node.inputs[0], value, bad)
        return None if inner is None else not inner
    if name == "Or":
        sides = [_truth(v, value, bad) for v in node.inputs]
        return True if True in sides else (False if sides == [False, False] else None)
    if value not in node.inputs:
        return None
    if name == "IsNaN":
        return bad == NAN
    if name == "IsFinite":
        return False
    if name == "IsInf":
        signs = [node.attributes.get(a) for a in ("detect_positive", "detect_negative")]
        above, below = (a is None or bool(a.as_int()) for a in signs)
        return (bad == ABOVE and above) or (bad == BELOW and below)
    if name == "Equal":
        kind = _infinity(node, value)
        return None if kind is None else bad == kind
    return None


def selected(value: ir.Value | None) -> bool:
    """Whether a selection made the value: no gradient passes it where it took its constant branch."""
    node = value.producer() if value is not None else None
    while node is not None and traits_of(node) & (IDENTITY | CONVERTS) and node.inputs[0] is not None:
        node = node.inputs[0].producer()
    return node is not None and bool(traits_of(node) & SELECTION)
