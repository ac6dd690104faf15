"""Whether a gradient passes through a value at all: from a float that is trained or given, to a float result."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import onnx_ir as ir

from analyzer.graph import torch_function
from analyzer.graph.model import UNTRAINED, Role, role_of
from analyzer.numerical.constants import constant_array
from analyzer.numerical.inference import called_constant
from analyzer.numerical.relevance import operands
from analyzer.operators.declaration import DETACHED, IDENTITY, ROUNDS, SELECTS
from analyzer.operators.registry import operator_name, traits_of

FILLED = 0.49  # of the largest number; half of it is a habit
COMPLEX = (ir.DataType.COMPLEX64, ir.DataType.COMPLEX128)
MOST_STEPS = 50  # between an operator and the ReLU whose elements it reads


def carries_gradient(node: ir.Node) -> bool:
    """Whether something differentiable stands above `node` and a floating-point result below it.

    A value of unknown dtype counts as one, and so does whatever a body is given from outside.
    """
    return _reaches(node.inputs, _sources, _above) and _reaches(node.outputs, _is_result, _below)


def passes_gradient(value: ir.Value) -> bool:
    """Whether a floating-point result stands below one of a node's results."""
    return bool(value.uses() or value.is_graph_output()) and _reaches((value,), _is_result, _below)


def is_trained(value: ir.Value | None) -> bool:
    """Whether a weight that training moves stands above a value, with nothing in between that stops its gradient."""
    return _reaches((value,), _is_trained_weight, _above)


def is_filled(value: ir.Value | None, largest: float) -> bool:
    """Whether a mask has put numbers into a value that are about as large as they may be, as ``finfo(dtype).min``."""
    node = value.producer() if value is not None else None
    if node is None or operator_name(node) != "Where":
        return False
    constants = (constant_array(v) for v in node.inputs[1:3])
    return any(c is not None and c.size and float(np.abs(c).max()) >= FILLED * largest for c in constants)


def detaches(node: ir.Node) -> bool:
    """Whether no gradient passes the node; ``x.detach()`` of PyTorch has no operator of its own in ONNX."""
    stops = DETACHED | ROUNDS if node.domain == "tf" else DETACHED  # PyTorch's is 0, and 0 times infinity NaN
    return bool(traits_of(node) & stops) or torch_function(node) == "detach"


def closed_where_zero(value: ir.Value | None) -> ir.Node | None:
    """The ReLU whose elements `value` holds: its gradient is 0 wherever its result is, whatever comes back to it.

    So it is in PyTorch, which selects (``threshold_backward``). TensorFlow multiplies by a mask, and infinity times 0
    is NaN: its own operator is not meant.
    """
    for _ in range(MOST_STEPS):
        node = value.producer() if value is not None else None
        if node is None or node.domain not in ("", "ai.onnx"):
            return None
        if node.op_type == "Relu":
            return node
        if not traits_of(node) & (SELECTS | IDENTITY):
            return None
        value = node.inputs[0]
    return None


def _is_float(value: ir.Value) -> bool:
    """A real or complex number."""
    if value.dtype is not None:
        return value.dtype.is_floating_point() or value.dtype in COMPLEX
    node = value.producer()
    to = node.attributes.get("to") if node is not None and node.op_type == "Cast" else None
    return to is None or to.is_ref() or ir.DataType(to.as_int()).is_floating_point()


def _reaches(
    start: Iterable[ir.Value | None],
    found: Callable[[ir.Value], bool],
    onward: Callable[[ir.Value], Iterable[ir.Value | None]],
) -> bool:
    queue = [v for v in start if v is not None and _is_float(v)]
    seen = set(queue)
    while queue:
        value = queue.pop()
        if found(value):
            return True
        for other in onward(value):
            if other is not None and other not in seen and _is_float(other):
                seen.add(other)
                queue.append(other)
    return False


def _sources(value: ir.Value) -> bool:
    """A graph input, a stored weight, a body's formal parameter."""
    return value.producer() is None


def _is_trained_weight(value: ir.Value) -> bool:
    parameter = value.producer() is None and role_of(value) is Role.PARAMETER
    return parameter and UNTRAINED not in value.metadata_props and not called_constant(value)


def _above(value: ir.Value) -> Iterable[ir.Value | None]:
    node = value.producer()
    return () if node is None or detaches(node) else operands(node)


def _is_result(value: ir.Value) -> bool:
    """A training graph's last operators need not be listed as results."""
    return value.is_graph_output() or not value.uses()


def _below(value: ir.Value) -> Iterable[ir.Value | None]:
    for node, _ in value.uses():
        if not detaches(node):
            yield from node.outputs
