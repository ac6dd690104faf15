"""Runs a slice in torch, bodies of loops and branches included, and keeps what one operator of it received and made.

It also notes which operator failed first: one that fails downstream of another may only pass the failure on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import onnx_ir as ir

import analyzer.numerical.confirm.torch_operators  # noqa: F401  (tells the declarations)
from analyzer.numerical.confirm.infinities import Infinities
from analyzer.numerical.confirm.torch_dtypes import from_numpy
from analyzer.numerical.confirm.torch_operators.own import own_handler
from analyzer.numerical.confirm.torch_registry import Handler, Mode, Tensor, UnsupportedOperator, handler_of
from analyzer.numerical.gradient_paths import detaches
from analyzer.operators.declaration import ASKS_FINITE, RANDOM, SHAPE_ONLY, STATEFUL
from analyzer.operators.registry import operator_name, traits_of

MOST_ITERATIONS = 2000  # of all loops together

Scope = dict[str, Tensor]


def finite(tensor: Any, infinite: bool = False) -> bool:
    """Whether every element is finite; with `infinite`, whether none is NaN."""
    import torch

    if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point():
        return True
    return not bool(torch.isnan(tensor).any()) if infinite else bool(torch.isfinite(tensor).all())


def _mended(tensor: Any) -> Any:
    import torch

    if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point():
        return tensor
    return torch.where(torch.isfinite(tensor), tensor, torch.ones((), dtype=tensor.dtype))


def reads_numbers(node: ir.Node) -> bool:
    """Whether what an operator makes tells of its operands' numbers: not of shapes, nor of what is finite."""
    return not traits_of(node) & (ASKS_FINITE | SHAPE_ONLY) and operator_name(node) != "NonZero"


def decides(node: ir.Node, operands: Sequence[Any], results: Sequence[Any]) -> bool:
    """Whether a comparison, cast or argmax reads NaN: what it gives is no longer told from a sound value."""
    import torch

    if not reads_numbers(node) or not results:
        return False
    made = results[0]
    if not isinstance(made, torch.Tensor) or made.is_floating_point() or made.is_complex():
        return False
    given = [x for x in operands if isinstance(x, torch.Tensor)]
    if node.op_type == "Equal" and any(x.numel() == 1 and bool(torch.isinf(x).all()) for x in given):
        return False  # asks for an infinity
    return any(x.is_floating_point() and bool(torch.isnan(x).any()) for x in given)


@dataclass
class OperatorTrace:
    """What the operator whose first result is `watched` received and made, once for each time it ran.

    `decisions` are the branches and loop conditions in the order in which they were taken; with `replayed` they are
    taken from there, so that a tracer that cannot look at values follows the same path.
    """

    watched: str = ""
    executions: list[tuple[list[Tensor], list[Tensor]]] = field(default_factory=list)
    decisions: list[bool] = field(default_factory=list)
    replayed: Iterator[bool] | None = None
    infinite: Infinities = Infinities.NONE  # where they are meant only NaN counts
    earlier: str = ""  # the first other operator with finite operands and a result that is not
    follow: bool = False  # also look for `decided`
    decided: str = ""  # the first operator that made a truth value, an index or an integer of a value that is not sound
    mended: frozenset[str] = frozenset()  # values whose numbers that are not finite become 1

    def decide(self, condition: Tensor) -> bool:
        """Whether a condition holds."""
        taken = next(self.replayed) if self.replayed is not None else bool(condition.reshape(-1)[0])
        self.decisions.append(taken)
        if len(self.decisions) > MOST_ITERATIONS:
            raise UnsupportedOperator("a loop runs too long to be searched")
        return taken


@dataclass(frozen=True, slots=True)
class PreparedNode:
    """One node, looked up once: what computes it and the names of its values."""

    node: ir.Node
    control: Control | None
    handler: Handler | None
    operands: tuple[str | None, ...]
    results: tuple[str, ...]  # "" for one that nobody reads
    constant: bool
    detaches: bool

    @classmethod
    def of(cls, node: ir.Node) -> PreparedNode:
        key = (node.domain or "", node.op_type)
        return cls(
            node,
            CONTROL.get(key),
            handler_of(*key) or own_handler(node),
            tuple(v.name or "" if v is not None else None for v in node.inputs),
            tuple(
                (v.name or "") if i == 0 or v.uses() or v.is_graph_output() else "" for i, v in enumerate(node.outputs)
            ),
            node.op_type in ("Const", "Constant"),
            detaches(node),
        )


class PreparedModel:
    """A model made ready to be run many times.

    What does not depend on `leaves` and comes out sound is computed at once, but for the operator whose first result is
    `watched`; without `leaves` nothing is.
    """

    def __init__(self, model: ir.Model, leaves: Iterable[str] | None = None, watched: str = "") -> None:
        self.graph = model.graph
        self._steps: dict[ir.Graph, tuple[Scope, tuple[PreparedNode, ...]]] = {}
        if leaves is not None:
            self._fold(frozenset(leaves), watched)

    def prepared(self, graph: ir.Graph) -> tuple[Scope, tuple[PreparedNode, ...]]:
        """What of the graph is known before it runs, and what is left to do."""
        found = self._steps.get(graph)
        if found is None:
            values = {
                name: from_numpy(initializer.const_value.numpy())
                for name, initializer in graph.initializers.items()
                if initializer.const_value is not None
            }
            found = self._steps[graph] = values, tuple(PreparedNode.of(node) for node in graph)
        return found

    def knowing(self, values: Mapping[str, Tensor]) -> PreparedModel:
        """The same with these values of the main graph as they are; what computes them is left out."""
        known, steps = self.prepared(self.graph)
        left = tuple(s for s in steps if not s.results or not all(name in values for name in s.results if name))
        self._steps[self.graph] = {**known, **values}, left
        return self

    def _fold(self, leaves: frozenset[str], watched: str) -> None:
        known, steps = self.prepared(self.graph)
        values = {name: tensor for name, tensor in known.items() if name not in leaves}
        left = []
        mode = Mode(surrogate=False)
        for step in steps:
            fixed = step.handler is not None and step.control is None and bool(step.results)
            fixed = fixed and not traits_of(step.node) & (RANDOM | STATEFUL) and watched not in step.results
            fixed = fixed and leaves.isdisjoint(step.results) and all(n is None or n in values for n in step.operands)
            results = self._sound(step, values, mode) if fixed else None
            if results is None:
                left.append(step)
            else:
                values.update((name, result) for name, result in zip(step.results, results, strict=False) if name)
        self._steps[self.graph] = values, tuple(left)

    @staticmethod
    def _sound(step: PreparedNode, values: Scope, mode: Mode) -> Sequence[Tensor] | None:
        """What a step of constants makes; None where it fails or is not finite, which is for a run to tell."""
        operands = [values[name] if name is not None else None for name in step.operands]
        assert step.handler is not None
        try:
            made = step.handler(step.node, operands, mode)
        except (UnsupportedOperator, KeyError, NotImplementedError, TypeError, IndexError, RuntimeError, ValueError):
            return None
        results = made if isinstance(made, (tuple, list)) else (made,)
        return results if all(finite(value) for value in (*operands, *results)) else None


def run(program: PreparedModel, leaves: Mapping[str, Tensor], mode: Mode, trace: OperatorTrace | None = None) -> Scope:
    """Every value of the program's main graph for the given leaves.

    Raises `UnsupportedOperator` for an operator without a handler; whatever torch raises for shapes that do not fit.
    """
    return _Evaluation(program, mode, trace or OperatorTrace()).walk(program.graph, dict(leaves))


@dataclass(frozen=True)
class _Evaluation:
    program: PreparedModel
    mode: Mode
    trace: OperatorTrace

    def walk(self, graph: ir.Graph, scope: Scope) -> Scope:
        """The scope with every value of `graph`."""
        values = scope
        known, steps = self.program.prepared(graph)
        for name, tensor in known.items():
            if name not in values:
                values[name] = self._exact(tensor)
        for step in steps:
            self._visit(step, values)
        return values

    def _visit(self, step: PreparedNode, values: Scope) -> None:
        node, control = step.node, step.control
        operands = [values[name] if name is not None else None for name in step.operands]
        if control is not None:
            results = control(self, node, operands, values)
        else:
            if step.handler is None:
                raise UnsupportedOperator(f"{node.domain or 'onnx'}.{node.op_type}")
            results = step.handler(node, operands, self.mode)
        if not isinstance(results, (tuple, list)):
            results = (results,)
        if step.detaches and not self.mode.surrogate:  # a search goes through
            results = [r.detach() if r.is_floating_point() else r for r in results]
        if not self.trace.mended.isdisjoint(step.results):
            results = [_mended(r) for r in results]
        for name, result in zip(step.results, results, strict=False):
            if name:
                values[name] = self._exact(result) if step.constant else result
        results = [r for name, r in zip(step.results, results, strict=False) if name]  # what nobody reads harms nothing
        if self.trace.follow and not self.trace.decided and control is None and decides(node, operands, results):
            self.trace.decided = node.name or node.op_type
        if not self.trace.watched or not step.results:
            return
        if step.results[0] == self.trace.watched:
            self.trace.executions.append(([o for o in operands if o is not None], list(results)))
        elif not self.trace.earlier and control is None and not self.mode.surrogate and operands:
            failed = not all(finite(r, bool(self.trace.infinite)) for r in results)
            if failed and all(finite(o, bool(self.trace.infinite)) for o in operands if o is not None):
                self.trace.earlier = node.name or node.op_type

    def _exact(self, tensor: Tensor) -> Tensor:
        return tensor.double() if self.mode.double and tensor.is_floating_point() else tensor

    def body(self, graph: ir.Graph, given: list[Any], outer: Scope) -> list[Tensor]:
        """The outputs of a body for its formal inputs; outer values are visible."""
        scope = dict(outer)
        scope.update({formal.name or "": actual for formal, actual in zip(graph.inputs, given, strict=False)})
        values = self.walk(graph, scope)
        return [values[o.name or ""] for o in graph.outputs]


def _graph(node: ir.Node, *names: str) -> ir.Graph:
    attribute = next((node.attributes[n] for n in names if n in node.attributes), None)
    if attribute is None or attribute.type != ir.AttributeType.GRAPH:
        raise UnsupportedOperator(f"{node.op_type} without a body")
    return attribute.as_graph()


def _if(evaluation: _Evaluation, node: ir.Node, operands: list[Any], outer: Scope) -> list[Tensor]:
    taken = evaluation.trace.decide(operands[0])
    graph = _graph(node, "then_branch" if taken else "else_branch")
    return evaluation.body(graph, operands[1:], outer)


def _loop(evaluation: _Evaluation, node: ir.Node, operands: list[Any], outer: Scope) -> list[Tensor]:
    import torch

    graph = _graph(node, "body")
    trips, condition, *carried = [*operands, None, None][: max(len(operands), 2)]
    limit = MOST_ITERATIONS if trips is None else int(trips.reshape(-1)[0])
    going = True if condition is None else evaluation.trace.decide(condition)
    scans: list[list[Tensor]] = []
    number = 0
    while going and number < limit:
        results = evaluation.body(graph, [torch.tensor(number), torch.tensor(True), *carried], outer)
        going = evaluation.trace.decide(results[0])
        carried = results[1 : 1 + len(carried)]
        scans.append(results[1 + len(carried) :])
        number += 1
    if not scans and len(graph.outputs) > 1 + len(carried):
        raise UnsupportedOperator("a loop that collects values does not run")
    return [*carried, *(torch.stack(parts) for parts in zip(*scans, strict=True))]


def _scan(evaluation: _Evaluation, node: ir.Node, operands: list[Any], outer: Scope) -> list[Tensor]:
    import torch

    graph = _graph(node, "body")
    for name in ("scan_input_axes", "scan_input_directions", "scan_output_axes", "scan_output_directions"):
        if any(int(v) for v in (node.attributes[name].value if name in node.attributes else ())):
            raise UnsupportedOperator(f"Scan with {name}")
    count = int(node.attributes["num_scan_inputs"].value)
    states, scanned = operands[: len(operands) - count], operands[len(operands) - count :]
    collected = []
    for i in range(int(scanned[0].shape[0])):
        results = evaluation.body(graph, [*states, *(x[i] for x in scanned)], outer)
        states = results[: len(states)]
        collected.append(results[len(states) :])
    if not collected:
        raise UnsupportedOperator("a scan over nothing")
    return [*states, *(torch.stack(parts) for parts in zip(*collected, strict=True))]


def _while(evaluation: _Evaluation, node: ir.Node, operands: list[Any], outer: Scope) -> list[Tensor]:
    condition, body = _graph(node, "cond"), _graph(node, "body")
    state = list(operands)
    while evaluation.trace.decide(evaluation.body(condition, state, outer)[0]):
        state = evaluation.body(body, state, outer)
    return state


Control = Callable[[_Evaluation, ir.Node, list[Any], Scope], list[Tensor]]
CONTROL: Mapping[tuple[str, str], Control] = {
    ("", "If"): _if,
    ("", "Loop"): _loop,
    ("", "Scan"): _scan,
    ("tf", "If"): _if,
    ("tf", "StatelessIf"): _if,
    ("tf", "While"): _while,
    ("tf", "StatelessWhile"): _while,
}
