"""Labels that a model leaves out of its own loss: the terms of a cross entropy are read only where they are another.

``tf.boolean_mask(loss, labels != 0)``, ``(loss * (labels != 0)).sum()``, ``loss[labels != -1]``: such a number says
nothing, as one that a loss ignores by an argument.
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from analyzer.numerical.constants import constant_array
from analyzer.operators.declaration import CLASS_LOSS, CONVERTS, IDENTITY, RESHAPES, SELECTS, Trait
from analyzer.operators.registry import operator_name, traits_of

COPIES = IDENTITY | CONVERTS | RESHAPES
MOST_VALUES = 64  # looked at behind one loss
DEEPEST = 16  # operators between a comparison and what it selects


def left_out(loss: ir.Node) -> float | None:
    """The label that a cross entropy's terms are read without, each for itself; None where something reads all."""
    reduction = loss.attributes.get("reduction")
    each = reduction.as_string() == "none" if reduction is not None else loss.domain == "tf"
    if not traits_of(loss) & CLASS_LOSS or len(loss.inputs) < 2 or not each or loss.outputs[0].is_graph_output():
        return None
    labels = source(loss.inputs[1])
    numbers = set(_numbers(loss.outputs[0], labels))
    return numbers.pop() if len(numbers) == 1 else None


def _numbers(terms: ir.Value, labels: ir.Value | None) -> Iterator[float | None]:
    """For each operator that reads the terms, the label without which it does; None for one that reads all."""
    stack, seen = [terms], {terms}
    while stack:
        for use in stack.pop().uses():
            node, result = use.node, use.node.outputs[0] if use.node.outputs else None
            if use.idx != 0 or result is None or not traits_of(node) & COPIES:
                yield _without(node, use.idx, labels)
            elif result.is_graph_output() or len(seen) > MOST_VALUES:
                yield None
            elif result not in seen:
                seen.add(result)
                stack.append(result)


def _without(node: ir.Node, position: int, labels: ir.Value | None) -> float | None:
    """The label without which an operator selects the operand at `position`; None where it selects by another thing."""
    name = operator_name(node)
    if name == "Mul" and len(node.inputs) == 2:
        return _compared(node.inputs[1 - position], labels, 1)
    if name == "Where" and position in (1, 2) and len(node.inputs) == 3:
        return _compared(node.inputs[0], labels, int(position == 1))
    if name in ("Compress", "MaskedSelect", "BooleanMask") and position == 0:
        return _compared(node.inputs[1], labels, 1)
    if name in ("Gather", "GatherND") and position == 0:
        made = source(node.inputs[1], COPIES | SELECTS)
        found = made.producer() if made is not None else None
        return _compared(found.inputs[0], labels, 1) if found and operator_name(found) == "NonZero" else None
    return None


def _compared(mask: ir.Value | None, labels: ir.Value | None, truth: int) -> float | None:
    """The label at which a mask does not have this truth, and only there."""
    for _ in range(DEEPEST):
        mask = source(mask)
        node = mask.producer() if mask is not None else None
        if node is None:
            return None
        name = operator_name(node)
        if name in ("Not", "LogicalNot"):
            mask, truth = node.inputs[0], 1 - truth
            continue
        if name != ("NotEqual" if truth else "Equal") or len(node.inputs) != 2:
            return None
        numbers = [a for v in node.inputs if (a := constant_array(v)) is not None and a.size == 1]
        if len(numbers) != 1 or labels not in [source(v) for v in node.inputs]:
            return None
        return float(numbers[0].reshape(-1)[0])
    return None


def source(value: ir.Value | None, copies: Trait = COPIES) -> ir.Value | None:
    """What a value is a copy of, in another shape or type perhaps."""
    for _ in range(DEEPEST):
        made = value.producer() if value is not None else None
        if made is None or not traits_of(made) & copies:
            break
        value = made.inputs[0]
    return value
