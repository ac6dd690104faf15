"""Inputs that a model divides by as they stand: quantities (a wavelength, a distance, a step) that are not 0.

As it stands an input is itself in another shape or type, or times a number: ``1 / x``, ``2 * pi / x[:, None]``. A
complex quotient is computed with the square of its real and imaginary parts, the latter of which are 0 then.
"""

from __future__ import annotations

from enum import Enum

import onnx_ir as ir

from analyzer.numerical.constants import constant_array
from analyzer.operators.declaration import CONVERTS, IDENTITY, RESHAPES
from analyzer.operators.registry import operator_name, traits_of

MOST_VALUES = 64  # looked at for one input
HIGHEST_RANK = 2  # images and maps hold data, zeros among them
DEEPEST = 6  # operators between zeros and where they are read


class _Held(Enum):
    ITSELF = "the input, times a number perhaps"
    PAIR = "the input beside zeros along the last axis: a complex number"
    PART = "one of the two"
    SQUARE = "the square of a part, or of both"


def divided_by(value: ir.Value) -> bool:
    """Whether the model divides by a floating-point input of rank 2 at most as it stands."""
    if value.dtype is None or not value.dtype.is_floating_point():
        return False
    if value.shape is None or len(value.shape) > HIGHEST_RANK:
        return False
    stack, seen = [(value, _Held.ITSELF)], {value}
    while stack and len(seen) < MOST_VALUES:
        current, kind = stack.pop()
        for use in current.uses():
            node, name = use.node, operator_name(use.node)
            if kind in (_Held.ITSELF, _Held.SQUARE) and (name, use.idx) in (("Div", 1), ("Reciprocal", 0)):
                return True
            left = _left(node, name, use.idx, kind)
            if left is not None and node.outputs[0] not in seen:
                seen.add(node.outputs[0])
                stack.append((node.outputs[0], left))
    return False


def _left(node: ir.Node, name: str, position: int, kind: _Held) -> _Held | None:
    """What an operator makes of an operand of this kind; None of something else."""
    if position == 0 and (traits_of(node) & (IDENTITY | CONVERTS) or name == "Neg"):
        return kind
    if position == 0 and (traits_of(node) & RESHAPES or name == "Expand"):
        return kind if kind is not _Held.PAIR else None
    others = [v for i, v in enumerate(node.inputs) if i != position]
    if name == "Mul" and node.inputs[0] is node.inputs[1]:
        return _Held.SQUARE if kind is _Held.PART else None
    if name == "Mul" or (name == "Div" and position == 0):
        return kind if all(_is_another_number(v) for v in others) else None
    if name == "Concat" and kind is _Held.ITSELF:
        return _Held.PAIR if len(others) == 1 and is_zero(others[0]) else None
    if name in ("Slice", "Gather") and position == 0 and kind is _Held.PAIR:
        return _Held.PART
    return _Held.SQUARE if name == "Add" and kind is _Held.SQUARE and _is_square(others[0]) else None


def _is_another_number(value: ir.Value | None) -> bool:
    array = constant_array(value)
    return array is not None and array.size > 0 and bool((array != 0).all())


def _is_square(value: ir.Value | None) -> bool:
    node = value.producer() if value is not None else None
    return node is not None and operator_name(node) == "Mul" and node.inputs[0] is node.inputs[1]


def is_zero(value: ir.Value | None) -> bool:
    """Whether a value holds nothing but zeros: a constant, spread to another shape perhaps."""
    for _ in range(DEEPEST):
        array = constant_array(value)
        if array is not None:
            return array.size > 0 and not array.any()
        node = value.producer() if value is not None else None
        spread = node is not None and (traits_of(node) & (IDENTITY | CONVERTS | RESHAPES) or node.op_type == "Expand")
        if node is None or not (spread or node.op_type == "CastLike"):
            return False
        value = node.inputs[0]
    return False
