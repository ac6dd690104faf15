"""A softmax whose rows of -inf alone reach no result: what was masked before it is masked again or cleaned after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import CONVERTS, IDENTITY, SHAPE_ONLY

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run
    from analyzer.numerical.transfer.registry import Rule

DEPTH = 8  # of two conditions that are compared


def replaced_after(run: Run, softmax: ir.Node) -> bool:
    """Whether each use of the result replaces the rows that were masked whole, which are NaN.

    ``where(mask, softmax(where(mask, scores, -inf)), 0)``, or NaN replaced by a number. No gradient of them gets
    through either: that of the first mask is 0 there.
    """
    mask = _mask(run, softmax.inputs[0])
    return mask is not None and _all_replaced(run, softmax.outputs[0], *mask)


def _mask(run: Run, value: ir.Value | None) -> tuple[ir.Value, bool] | None:
    """The condition under which an element of `value` is -inf, and whether it is its truth that makes it so."""
    node = value.producer() if value is not None else None
    rule = run.rule(node) if node is not None else None
    if node is None or rule is None:
        return None
    if _passes(rule):
        return _mask(run, node.inputs[0])
    if rule.name != "Where" or len(node.inputs) != 3 or node.inputs[0] is None:
        return None
    first, second = (run.ensure(v) for v in node.inputs[1:])
    if not isinstance(first, AbstractTensor) or not isinstance(second, AbstractTensor):
        return None
    if first.high == -np.inf and second.low > -np.inf:
        return node.inputs[0], True
    if second.high == -np.inf and first.low > -np.inf:
        return node.inputs[0], False
    return None


def _passes(rule: Rule) -> bool:
    """Whether rows of NaN or -inf come out of it where they went in, and nowhere else."""
    return bool(rule.operator.traits & (IDENTITY | CONVERTS)) or rule.name == "Dropout"


def _all_replaced(run: Run, value: ir.Value, condition: ir.Value, truth: bool) -> bool:
    uses = list(value.uses())
    if not uses or value.is_graph_output():
        return False
    for node, index in uses:
        rule = run.rule(node)
        if rule is None:
            return False
        if rule.name == "IsNaN" or rule.operator.traits & SHAPE_ONLY or (rule.name == "CastLike" and index == 1):
            continue
        if _passes(rule) and index == 0:
            if not _all_replaced(run, node.outputs[0], condition, truth):
                return False
            continue
        if rule.name != "Where" or index == 0 or node.inputs[0] is None:
            return False
        again, flipped = _plain(run, node.inputs[0], index == 2)  # the truth that replaces the result
        cleaned = again.producer()
        if cleaned is not None and cleaned.op_type in ("IsNaN", "IsNan") and cleaned.inputs[0] is value and flipped:
            continue
        base, wanted = _plain(run, condition, truth)
        if flipped != wanted or not _same(again, base):
            return False
    return True


def _plain(run: Run, condition: ir.Value, truth: bool) -> tuple[ir.Value, bool]:
    """The condition without negations, and the truth of it that is meant."""
    node = condition.producer()
    rule = run.rule(node) if node is not None else None
    if node is None or rule is None or node.inputs[0] is None:
        return condition, truth
    if rule.name == "Not":
        return _plain(run, node.inputs[0], not truth)
    if rule.name == "Equal":
        other = run.ensure(node.inputs[1])
        if isinstance(other, AbstractTensor) and other.dtype.kind == "boolean" and other.low == other.high:
            return _plain(run, node.inputs[0], truth if other.low else not truth)
    return condition, truth


def _same(a: ir.Value | None, b: ir.Value | None, depth: int = DEPTH) -> bool:
    """Whether two values are computed alike from the same ones."""
    if a is b:
        return True
    if a is None or b is None or depth == 0:
        return False
    first, second = a.producer(), b.producer()
    if first is None or second is None:
        return _same_constant(a, b)
    if (first.domain, first.op_type, a.index()) != (second.domain, second.op_type, b.index()):
        return False
    if {k: str(v) for k, v in first.attributes.items()} != {k: str(v) for k, v in second.attributes.items()}:
        return first.op_type == "Constant" and _same_constant(a, b)
    if first.op_type.startswith("Random") or len(first.inputs) != len(second.inputs):
        return False
    return all(_same(x, y, depth - 1) for x, y in zip(first.inputs, second.inputs, strict=True))


def _same_constant(a: ir.Value, b: ir.Value) -> bool:
    one, other = ir.convenience.get_const_tensor(a), ir.convenience.get_const_tensor(b)
    if one is None or other is None or one.size > 64 or one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.is_floating_point() and (a.is_initializer() or b.is_initializer()):
        return False  # these may be trained apart
    return bool(np.array_equal(one.numpy(), other.numpy()))
