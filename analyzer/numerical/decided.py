"""Comparisons of an input with constants, losses that ignore a label: what a padding's token or an ignored label is told by."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from analyzer.numerical.constants import constant_array
from analyzer.operators.declaration import CONVERTS, IDENTITY, SELECTS
from analyzer.operators.registry import operator_name, traits_of

MOST_VALUES = 64  # looked at for one input
MOST_NUMBERS = 16  # of a constant; longer ones are tables
MIRRORED = {"Less": "Greater", "Greater": "Less", "LessOrEqual": "GreaterOrEqual", "GreaterOrEqual": "LessOrEqual"}
COMPARISONS = frozenset({"Equal", "NotEqual", *MIRRORED})
IGNORING = frozenset({"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"})  # they compare labels themselves


def decides_alike(value: ir.Value, low: float, high: float, least: float, most: float) -> bool:
    """Whether some comparison has one outcome for all integers in [low, high] and another in [least, most] beside them.

    Where it has, elements outside [low, high] are set apart by the model: padding, what is ignored.
    """
    return any(_apart(name, number, low, high, least, most) for name, number in _comparisons(value))


def _apart(name: str, number: float, low: float, high: float, least: float, most: float) -> bool:
    if name in ("Equal", "NotEqual"):
        return least <= number <= most and not low <= number <= high
    edge = number - 0.5 if name in ("Less", "GreaterOrEqual") else number + 0.5  # between two integers
    return least < edge < most and not low < edge < high


def _comparisons(value: ir.Value) -> Iterator[tuple[str, float]]:
    """Operators that compare elements of a value with numbers; the value stands on the left."""
    seen: set[ir.Value] = set()
    stack = [value]
    while stack and len(seen) < MOST_VALUES:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses():
            node, name = use.node, operator_name(use.node)
            if name in COMPARISONS and len(node.inputs) == 2:
                numbers = constant_array(node.inputs[1 - use.idx])
                if numbers is not None and 0 < numbers.size <= MOST_NUMBERS:
                    mirrored = MIRRORED.get(name, name) if use.idx else name
                    yield from ((mirrored, float(n)) for n in np.asarray(numbers).reshape(-1))
            elif use.idx == 1 and name in IGNORING:
                ignored = node.attributes.get("ignore_index")
                if ignored is not None:
                    yield "Equal", float(ignored.as_int())
            elif use.idx == 0 and traits_of(node) & (IDENTITY | CONVERTS | SELECTS):
                if node.outputs[0].dtype is ir.DataType.BOOL:
                    yield "Equal", 0.0
                stack.append(node.outputs[0])
