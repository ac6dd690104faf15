"""Results that are not finite and that everything that reads them throws away: bounds, and tests for NaN and infinity.

``minimum(1 / norm, 1 / limit)`` is finite for a norm of 0, ``where(isnan(r), 0, r)`` for a quotient of zeros.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from analyzer.numerical.constants import constant_array
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import CONVERTS, IDENTITY, PLUS_ZERO, SELECTION, SHAPE_ONLY
from analyzer.operators.registry import operator_name, traits_of

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

NAN, ABOVE, BELOW = "nan", "+inf", "-inf"
ANYTHING = frozenset({NAN, ABOVE, BELOW})


def outcomes(node: ir.Node, rule: str, operands: tuple[AbstractTensor, ...]) -> frozenset[str]:
    """What an operator gives where it is unsafe."""
    if any(t.nan for t in operands):
        return ANYTHING
    kind, name = rule.rpartition("/")[2], operator_name(node)
    if kind == "log-of-nonpositive" and name in ("Log", "Log1p"):
        return frozenset({BELOW}) if operands[0].low >= (0 if name == "Log" else -1) else frozenset({BELOW, NAN})
    if kind == "division-by-zero" and name in ("Rsqrt", "Reciprocal"):
        return _poles(node.inputs[0], operands[0], 1.0)
    if kind == "division-by-zero" and name == "Div":
        above = constant_array(node.inputs[0])
        if above is not None and above.size and (above > 0).all():
            return _poles(node.inputs[1], operands[0], 1.0)
        return ANYTHING
    if kind == "pow-domain" and operands[0].low >= 0:
        power = constant_array(node.inputs[1])
        odd = power is None or bool((power % 2 == 1).any())
        return frozenset({ABOVE, BELOW}) if odd else frozenset({ABOVE})
    return ANYTHING


def _poles(value: ir.Value | None, x: AbstractTensor, sign: float) -> frozenset[str]:
    return frozenset({ABOVE}) if x.low >= 0 and sign > 0 and _plus_zero(value) else frozenset({ABOVE, BELOW})


def _plus_zero(value: ir.Value | None, depth: int = 6) -> bool:
    """Whether a zero is certainly +0."""
    node = value.producer() if value is not None else None
    if node is None:
        array = constant_array(value)
        return array is not None and bool((array > 0).all())
    if traits_of(node) & PLUS_ZERO:
        return True
    name = operator_name(node)
    if name == "Constant":
        array = constant_array(value)
        return array is not None and bool((array > 0).all())
    keeps = traits_of(node) & (IDENTITY | CONVERTS) or name in ("Sqrt", "Mul")
    return depth > 0 and bool(keeps) and all(_plus_zero(v, depth - 1) for v in node.inputs)


def thrown_away(run: Run, value: ir.Value, bad: frozenset[str]) -> bool:
    """Whether no reader of `value` lets any of its `bad` results through."""
    uses = list(value.uses())
    if not uses or value.is_graph_output():
        return False
    for node, index in uses:
        if _tests(node, value) or traits_of(node) & SHAPE_ONLY or (node.op_type == "CastLike" and index == 1):
            continue
        left = _let_through(run, node, index, value, bad)
        if left and (left == bad or not thrown_away(run, node.outputs[0], left)):
            return False
    return True


def _let_through(run: Run, node: ir.Node, index: int, value: ir.Value, bad: frozenset[str]) -> frozenset[str]:
    name = operator_name(node)
    if traits_of(node) & SELECTION and index in (1, 2):
        condition = node.inputs[0]
        return frozenset(b for b in bad if _truth(condition, value, b) is not (index != 1))
    if name in ("Min", "Max"):
        others = [run.ensure(v) for i, v in enumerate(node.inputs) if i != index]
        lower = name == "Min"
        finite = any(
            isinstance(t, AbstractTensor) and not t.nan and _finite(t.high if lower else t.low) for t in others
        )
        return bad - {ABOVE if lower else BELOW} if finite else bad
    if name in ("Clip", "ClipByValue") and index == 0:
        bounds = [run.ensure(v) if v is not None else None for v in (*node.inputs[1:3], None, None)[:2]]
        caught = {
            kind
            for kind, t in zip((BELOW, ABOVE), bounds, strict=True)
            if isinstance(t, AbstractTensor) and not t.nan and _finite(t.low) and _finite(t.high)
        }
        return bad - caught
    return bad


def _finite(number: float) -> bool:
    return abs(number) != float("inf")


def _tests(node: ir.Node, value: ir.Value) -> bool:
    """Whether a reader only asks what kind of number it is."""
    name = operator_name(node)
    if name in ("IsNaN", "IsInf", "IsFinite"):
        return True
    return name == "Equal" and _infinity(node, value) is not None


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
