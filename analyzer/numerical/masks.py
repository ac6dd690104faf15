"""What an input of zeros and ones selects: told by its name, or by the numbers that the model hides with it."""

from __future__ import annotations

import re

import onnx_ir as ir

from analyzer.graph.model import FILLED
from analyzer.graph.ranges import Parts
from analyzer.numerical.constants import constant_array
from analyzer.numerical.decided import FAR
from analyzer.operators.declaration import CONVERTS, IDENTITY, RESHAPES
from analyzer.operators.registry import operator_name, traits_of

HIDDEN = -1e4  # what is filled with such a number or a lower one loses every comparison: hidden from a softmax
MOST_VALUES = 64  # looked at for one input
MOST_ROWS = 128

# Words of a parameter's name, between underscores.
_NAMED = re.compile(
    r"mask|(?<![^_/.])(valid|present|visible|observed|known|selected|unpadded)(?=_|\d*$)", re.IGNORECASE
)


def named_mask(name: str) -> bool:
    """Whether an input is called a mask: one truth value selects, the other leaves out."""
    return _NAMED.search(name.partition(":")[0]) is not None


def selecting(value: ir.Value) -> int | None:
    """The truth value of an input that selects, where the other hides scores behind a large negative number.

    So do masks of attention: ``scores.masked_fill(~mask, -inf)``, ``scores + (1 - mask) * -1e9``. None where no
    reader says so, or two contradict each other.
    """
    found: set[int] = set()
    stack, seen = [(value, 1)], {value}
    while stack and len(seen) < MOST_VALUES:
        current, selects = stack.pop()
        for use in current.uses():
            node, name = use.node, operator_name(use.node)
            follows = _followed(node, name, use.idx)
            if name in ("Where", "Select", "SelectV2") and use.idx == 0:
                if _hides(node.inputs[2]):
                    found.add(selects)
                elif _hides(node.inputs[1]):
                    found.add(1 - selects)
            elif name == "Mul" and len(node.inputs) == 2 and _hides(node.inputs[1 - use.idx]):
                found.add(1 - selects)  # the number is added where the value is 1
            elif follows is not None and node.outputs[0] not in seen:
                seen.add(node.outputs[0])
                stack.append((node.outputs[0], selects if follows else 1 - selects))
    return found.pop() if len(found) == 1 else None


def _followed(node: ir.Node, name: str, position: int) -> bool | None:
    """Whether the result has the truth values of an operand, or the other ones (False); None where neither."""
    if traits_of(node) & (IDENTITY | CONVERTS | RESHAPES) or name == "Expand":  # rows stay rows
        return True if position == 0 else None
    if name in ("Not", "LogicalNot") or (name == "Sub" and position == 1 and _is(node.inputs[0], 1.0)):
        return False
    if name == "Equal" and len(node.inputs) == 2:
        other = node.inputs[1 - position]
        return True if _is(other, 1.0) else False if _is(other, 0.0) else None
    return None


def filled_rows(value: ir.Value) -> tuple[int, Parts] | None:
    """The truth value that selects and the rows of a mask of scores, where each row of its example has a selected one.

    Rows run along the last axis. Of sizes that are not known the first rows are told.
    """
    truth = selecting(value) if FILLED in value.metadata_props else None
    if truth is None or str(truth) not in value.metadata_props[FILLED].split() or value.shape is None:
        return None
    leading = tuple(value.shape)[:-1]
    sizes = [d if isinstance(d, int) else MOST_ROWS for d in leading]
    if not sizes or any(not isinstance(d, int) for d in leading[1:]):
        return None
    parts: Parts = ((),)
    for size in reversed(sizes):
        parts = tuple(((i, i + 1), *rest) for i in range(size) for rest in parts)
        if len(parts) > MOST_ROWS:
            return None
    return truth, tuple((*part, (0, FAR)) for part in parts)


def _hides(value: ir.Value | None) -> bool:
    array = constant_array(value)
    return array is not None and array.size > 0 and array.dtype.kind == "f" and bool((array <= HIDDEN).all())


def _is(value: ir.Value | None, number: float) -> bool:
    array = constant_array(value)
    return array is not None and array.size == 1 and float(array.reshape(-1)[0]) == number
