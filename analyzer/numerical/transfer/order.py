"""Which of two values is the larger, element by element, by how they were computed.

Rounding keeps order: where the operands of a sum, a difference or a product of what is not negative are in order, so
are the results, exactly. So ``min(a, b) - max(c, d)`` is at most ``a - c``, and the overlap of two boxes at most the
area of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.refinement import refine_by
from analyzer.numerical.transfer.facts import are_axes, difference_sign
from analyzer.operators.declaration import SELECTS

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

DEPTH = 12  # operators followed back on either side: an overlap over an area is seven deep
MOST_STEPS = 300  # pairs looked at for one question; what is not answered within them is not known, which is safe


def at_least(run: Run, larger: AbstractTensor, smaller: AbstractTensor) -> bool:
    """Whether every element of `larger` is certainly at least the element of `smaller` that it meets."""
    if larger.nan or smaller.nan:
        return False
    return _Question(run).holds(larger, smaller, DEPTH)


@dataclass
class _Question:
    run: Run
    steps: int = 0
    asked: dict[tuple[int, int], bool] = field(default_factory=dict)  # pairs of keys, and whether they are in order

    def holds(self, b: AbstractTensor, a: AbstractTensor, depth: int) -> bool:
        """Whether b >= a."""
        if b.low >= a.high or b.key == a.key or _told(b, a):
            return True
        self.steps += 1
        pair = b.key, a.key
        if depth == 0 or self.steps > MOST_STEPS or pair in self.asked:
            return self.asked.get(pair, False)
        self.asked[pair] = False  # no use in asking again on the way
        ways = (self._by_smaller, self._by_larger, self._by_both)
        self.asked[pair] = any(way(b, a, depth - 1) for way in ways)
        return self.asked[pair]

    def _by_smaller(self, b: AbstractTensor, a: AbstractTensor, depth: int) -> bool:
        """What `a` was computed from is small enough."""
        name, x = _made(a)
        if name == "Min":
            return any(self.holds(b, p, depth) for p in x)
        if name == "Max":
            return all(self.holds(b, p, depth) for p in x)
        if name == "Relu":
            return b.low >= 0 and self.holds(b, x[0], depth)
        if name == "Clip" and len(x) > 1:
            above = len(x) == 3 and b.low >= x[2].high
            return above or (b.low >= x[1].high and self.holds(b, x[0], depth))
        if name == "Add":
            return any(q.high <= 0 and self.holds(b, p, depth) for p, q in (x, x[::-1]))
        if name == "Sub":
            return x[1].low >= 0 and self.holds(b, x[0], depth)
        middle = _middle(name, x)
        if middle is not None and all(self.holds(b, p, depth) for p in middle):
            return True
        if name == "Mul":  # between 0 and one factor
            return b.low >= 0 and any(_share(q) and self.holds(b, p, depth) for p, q in (x, x[::-1]))
        if name == "Where":
            return self._branches(b, x, depth)
        return False

    def _branches(self, b: AbstractTensor, x: tuple[AbstractTensor, ...], depth: int) -> bool:
        """Whether each branch is at most `b`, known as narrowly as the condition says."""
        for branch, truth in ((x[1], True), (x[2], False)):
            piece = refine_by(self.run, x[0], truth, branch)
            if piece is None:
                continue
            question = _Question(self.run, self.steps)  # of what is known more narrowly: asked anew
            proved = question.holds(b, piece, depth)
            self.steps = question.steps
            if not proved:
                return False
        return True

    def _by_larger(self, b: AbstractTensor, a: AbstractTensor, depth: int) -> bool:
        """What `b` was computed from is large enough."""
        name, y = _made(b)
        if name == "Max":
            return any(self.holds(p, a, depth) for p in y)
        if name == "Min":
            return all(self.holds(p, a, depth) for p in y)
        if name == "Relu":
            return a.high <= 0 or self.holds(y[0], a, depth)
        if name == "Clip" and len(y) > 1:
            below = len(y) == 2 or y[2].low >= a.high
            return below and (y[1].low >= a.high or self.holds(y[0], a, depth))
        if name == "Add":
            return any(q.low >= 0 and self.holds(p, a, depth) for p, q in (y, y[::-1]))
        if name == "Sub":
            return (y[1].high <= 0 and self.holds(y[0], a, depth)) or (
                y[1].key == a.key and self._twice(y[0], a, depth)
            )
        middle = _middle(name, y)
        if middle is not None and all(self.holds(p, a, depth) for p in middle):
            return True
        if name == "Mul":
            return a.high <= 0 and any(_share(q) and self.holds(p, a, depth) for p, q in (y, y[::-1]))
        return False

    def _twice(self, total: AbstractTensor, a: AbstractTensor, depth: int) -> bool:
        """Whether a sum is at least 2 a, which is a number of the type, so that rounding does not make it less.

        A union ``p + q - t`` of two sets is at least their overlap t.
        """
        name, terms = _made(total)
        if name != "Add" or depth <= 0:
            return False
        p, q = terms
        if self.holds(p, a, depth - 1) and self.holds(q, a, depth - 1):
            return True
        return any(y.low >= 0 and self._twice(x, a, depth - 1) for x, y in ((p, q), (q, p)))

    def _by_both(self, b: AbstractTensor, a: AbstractTensor, depth: int) -> bool:
        """Both were computed alike from operands that are in order."""
        (whole, kept), (part, shown) = (t.facts.get("seen", (None, None)) for t in (b, a))
        if whole is not None and part is not None:
            alike = kept == shown and whole.shape == part.shape and b.shape == a.shape
            return alike and self.holds(whole, part, depth)
        name, y = _made(b)
        other, x = _made(a)
        if name != other or not name:
            return False
        if name == "Add":
            return any(self.holds(y[0], p, depth) and self.holds(y[1], q, depth) for p, q in (x, x[::-1]))
        if name == "Sub":
            return self.holds(y[0], x[0], depth) and self.holds(x[1], y[1], depth)
        if name == "Mul" and all(t.low >= 0 for t in x):
            return any(self.holds(y[0], p, depth) and self.holds(y[1], q, depth) for p, q in (x, x[::-1]))
        if name == "Div":
            same = y[1].key == x[1].key or y[1].low == y[1].high == x[1].low == x[1].high
            return same and y[1].low > 0 and self.holds(y[0], x[0], depth)
        if name == "Neg":
            return self.holds(x[0], y[0], depth)
        if name in ("Relu", "Sqrt"):
            return self.holds(y[0], x[0], depth)
        if name in ("ReduceProd", "ReduceSum") and _of_pairs(b, a) and x[0].low >= 0:
            return self.holds(y[0], x[0], depth)
        return selected_alike(b, a) and self.holds(y[0], x[0], depth)


def _of_pairs(b: AbstractTensor, a: AbstractTensor) -> bool:
    """Whether both are products, or sums, of at most two numbers along the same axes: the area of width and height.

    Of more numbers a kernel may choose the order by how they lie in memory, and so how it rounds.
    """
    (kind, whole, axes, kept), other = (t.facts.get("reduced", ("", None, None, None)) for t in (b, a))
    if kind not in ("sum", "product") or other[0] != kind or not isinstance(whole, AbstractTensor):
        return False
    alike = whole.shape == other[1].shape and (axes, kept) == tuple(other[2:])
    return alike and are_axes(axes) and count(whole.shape, axes)[1] <= 2


def _told(b: AbstractTensor, a: AbstractTensor) -> bool:
    """Whether facts say it, and exactly: of extremes and their elements, of the operands of a maximum."""
    return difference_sign(b, a) == (True, True)


def _share(factor: AbstractTensor) -> bool:
    return factor.low >= 0 and factor.high <= 1


def _middle(name: str, x: tuple[AbstractTensor, ...]) -> tuple[AbstractTensor, ...] | None:
    """The two numbers of which ``(p + q) / 2`` is the middle: twice a number is one of the type, and so is its half."""
    for total, factor in (x, x[::-1]) if name == "Mul" else (x,) if name == "Div" else ():
        if factor.low == factor.high == (0.5 if name == "Mul" else 2.0):
            added, terms = _made(total)
            return terms if added == "Add" else None
    return None


def _made(x: AbstractTensor) -> tuple[str, tuple[AbstractTensor, ...]]:
    """The operator that computed a floating-point value and its operands; nothing where an operand is missing.

    The greatest number of a clipping may be missing.
    """
    origin = x.origin
    inputs: tuple[AbstractTensor, ...] = origin.inputs if origin is not None else ()
    if origin is not None and origin.rule.name == "Clip" and len(inputs) == 3 and inputs[2] is None:
        inputs = inputs[:2]
    if origin is None or not x.dtype.is_float or any(not isinstance(i, AbstractTensor) for i in inputs):
        return "", ()
    name, count = origin.rule.name, len(inputs)
    if origin.context.is_tf and not origin.rule.elementwise:
        return "", ()
    if (name in ("Add", "Sub", "Mul", "Div") and count != 2) or (name == "Where" and count != 3) or count == 0:
        return "", ()
    if name == "Where" and inputs[0].rank != x.rank and origin.context.op == "Select":
        return "", ()  # one truth value a row
    if any(i.nan or not np.isfinite((i.low, i.high)).all() for i in inputs):
        return "", ()
    return name, inputs


def selected_alike(b: AbstractTensor, a: AbstractTensor) -> bool:
    """Whether both hold the same places of operands of one shape."""
    first, second = b.origin, a.origin
    if first is None or second is None or not (first.inputs and second.inputs and first.rule.pure):
        return False
    if any(not isinstance(i, AbstractTensor) for i in (*first.inputs, *second.inputs)):
        return False
    whole = first.inputs[0].shape is not None and first.inputs[0].shape == second.inputs[0].shape
    selects = first.rule.operator.traits & SELECTS and first.rule.operator is second.rule.operator
    others = [i.key for i in first.inputs[1:]] == [i.key for i in second.inputs[1:]]
    run = first.context.run
    same = first.context.op == second.context.op and first.output == second.output
    return bool(whole and selects and others and same) and run.attributes(first.context) == run.attributes(
        second.context
    )
