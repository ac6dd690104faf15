"""Which nodes are variables, which of them training changes, and what they start from."""

from __future__ import annotations

import re
from collections import defaultdict

from analyzer.loading.tensorflow_nodes import Node, Tensor
from analyzer.operators.registry import operator_named

VARIABLES = frozenset((*operator_named("Variable").tf, *operator_named("VariableHandle").tf))
_APPLY = re.compile(r"^(Resource)?(Sparse)?Apply[A-Z]")
_ASSIGN = re.compile(r"^(Ref)?Assign(Add|Sub)?(VariableOp)?$|^Assign(Add|Sub)?VariableOp$")
_RESTORE = re.compile(r"^Restore")
_STATISTICS = re.compile(
    r"(^|/|_)(moving_mean|moving_variance|moving_avg|moving_average|running_mean|running_var|global_step|iterations"
    r"|local_step|ExponentialMovingAverage|beta1_power|beta2_power|learning_rate|total|count)(_\d+)?$"
)


def initial_values(nodes: list[Node]) -> dict[str, Tensor]:
    """Variable's node name -> the tensor that its initializer stores in it."""
    names = {node.name: node for node in nodes}
    found: dict[str, Tensor] = {}
    for node in nodes:
        if node.op not in ("Assign", "AssignVariableOp") or len(node.inputs) < 2:
            continue
        name = node.inputs[0][0]
        source = names.get(node.inputs[1][0])
        if name not in names or names[name].op not in VARIABLES or source is None or _restores(source, names):
            continue
        if name not in found or node.name == f"{name}/Assign":
            found[name] = node.inputs[1]
    return found


def _restores(node: Node, names: dict[str, Node]) -> bool:
    while node.op == "Identity" and node.inputs and node.inputs[0][0] in names:
        node = names[node.inputs[0][0]]
    return bool(_RESTORE.match(node.op))


def trainable_variables(nodes: list[Node]) -> frozenset[str]:
    """Names of the variables that training changes by gradients.

    Those are the first arguments of optimizer operators (ApplyAdam…), and the floating variables that nothing else
    updates; slots of optimizers, statistics (by their names) and, beside optimizers, whatever is assigned are not.
    Without optimizer operators, a variable of rank 1 or more that is assigned may be trained by hand.
    """
    variables = {node.name: node for node in nodes if node.op in VARIABLES}
    updated: set[str] = set()
    slots: set[str] = set()
    assigned: dict[str, int] = defaultdict(int)
    by_name = {node.name: node for node in nodes}
    for node in nodes:
        if _APPLY.match(node.op):
            for position, (name, _) in enumerate(node.inputs):
                if name in variables:
                    (updated if position == 0 else slots).add(name)
        elif _ASSIGN.match(node.op) and node.inputs and node.inputs[0][0] in variables:
            source = by_name.get(node.inputs[1][0]) if len(node.inputs) > 1 else None
            if source is None or not _restores(source, by_name):
                assigned[node.inputs[0][0]] += 1
    found = set(updated - slots)
    for name, node in variables.items():
        dtype = node.attributes.get("dtype")
        shape = node.attributes.get("shape")
        floating = dtype is not None and dtype.kind == "type" and dtype.value.is_floating_point()
        scalar = shape is not None and shape.value == ()
        counter = assigned[name] > 1 and (scalar or bool(updated))
        if floating and not counter and name not in slots and not _STATISTICS.search(name):
            found.add(name)
    return frozenset(found)
