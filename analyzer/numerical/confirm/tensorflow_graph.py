"""A slice as a TensorFlow graph, bodies of loops and branches included, and its run. For the worker process only."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.numerical.confirm.backends import Arrays, ConcreteRun
from analyzer.numerical.confirm.infinities import Infinities
from analyzer.numerical.nesting import bodies

EVENT = "assay_event"

Tensors = dict[str, Any]


@dataclass(frozen=True)
class Watch:
    """The operator, inside a body, whose first result is `result`; `infinite` tells where infinities are meant."""

    result: str
    infinite: Infinities = Infinities.NONE


class TensorFlowProgram:
    """A model as a graph that is built once and run at any number of points; close it, or use it as a context.

    `like` has the dtype and shape of each leaf. `watched` are the operator's operands and results: with `gradients_of`,
    a run is the operator's own failure only if the gradient reaches its results finite. With `watch`, the result called
    `EVENT` tells whether its operator failed first in some execution.
    """

    def __init__(
        self,
        model: ir.Model,
        like: Arrays,
        watched: tuple[Sequence[str], Sequence[str]],
        gradients_of: Sequence[str] = (),
        watch: Watch | None = None,
    ) -> None:
        import tensorflow as tf

        self._version = f"TensorFlow {tf.__version__}"
        self._graph = tf.Graph()
        with self._graph.as_default():
            self._tensors, self._gradients = build_tensorflow(model, like, gradients_of, watch)
            self._own = _own(tf, self._tensors, watched, gradients_of)
        hidden = (tf.variant, tf.resource)
        self._fetched = {n: t for n, t in self._tensors.items() if t.dtype not in hidden}
        self._session = tf.compat.v1.Session(graph=self._graph)

    def __enter__(self) -> TensorFlowProgram:
        return self

    def __exit__(self, *error: object) -> None:
        self._session.close()

    def run(self, leaves: Arrays) -> ConcreteRun:
        """One run in graph mode."""
        return self._run(leaves, self._fetched, self._gradients)

    def run_for(self, leaves: Arrays, values: Collection[str], gradients: Collection[str]) -> ConcreteRun:
        """The same of these values and these gradients alone."""
        return self._run(
            leaves,
            {n: t for n, t in self._fetched.items() if n in values},
            {n: t for n, t in self._gradients.items() if n in gradients},
        )

    def _run(self, leaves: Arrays, values: Mapping[str, Any], gradients: Mapping[str, Any]) -> ConcreteRun:
        feeds = {self._tensors[name]: value for name, value in leaves.items() if name in self._tensors}
        results, slopes, own = self._session.run([dict(values), dict(gradients), self._own], feeds)
        before, behind = own
        return ConcreteRun(
            {n: np.asarray(v) for n, v in results.items()},
            self._version,
            {n: np.asarray(v) for n, v in slopes.items()},
            not (before or behind) or (_sound(before) and not _sound(behind)),
            _sound(before) and _sound(behind),
        )

    @property
    def sees_gradient(self) -> bool:
        """Whether the gradients of the losses that reach the watched operator and leave it are known."""
        return any(self._own)

    @property
    def definition(self) -> bytes:
        """The GraphDef that runs."""
        data: bytes = self._graph.as_graph_def().SerializeToString()
        return data

    @property
    def names(self) -> dict[str, str]:
        """The tensor in the GraphDef of each value."""
        return {n: t.name for n, t in self._tensors.items()}


def _sound(arrays: Sequence[Any]) -> bool:
    return all(bool(np.isfinite(np.asarray(a, np.float64)).all()) for a in arrays)


def _own(
    tf: Any, tensors: Tensors, watched: tuple[Sequence[str], Sequence[str]], ends: Sequence[str]
) -> tuple[list[Any], list[Any]]:
    """The gradients that reach the operator's results, and those that leave it; empty where it is not in sight."""
    operands, results = (
        [tensors[n] for n in names if n in tensors and tensors[n].dtype.is_floating] for names in watched
    )
    if not ends or not operands or not results:
        return [], []
    total = tf.add_n([tf.reduce_sum(tf.cast(tensors[n], tf.float32)) for n in ends])
    before, behind = tf.gradients(total, results), tf.gradients(total, operands)
    return (
        [tf.convert_to_tensor(g) for g in before if g is not None],
        [tf.convert_to_tensor(g) for g in behind if g is not None],
    )


def build_tensorflow(
    model: ir.Model, leaves: Arrays, gradients_of: Sequence[str] = (), watch: Watch | None = None
) -> tuple[Tensors, dict[str, Any]]:
    """The model's nodes as TensorFlow operations of the current graph; leaves become placeholders."""
    import tensorflow as tf

    tensors: Tensors = {}
    for i, (name, array) in enumerate(leaves.items()):
        tensors[name] = tf.compat.v1.placeholder(array.dtype, array.shape, name=f"value_{i}")
    event = _Build(tf, watch).nodes(model.graph, tensors, "node_")
    if event is not None:
        tensors[EVENT] = tf.identity(event, name=EVENT)
    gradients: dict[str, Any] = {}
    if gradients_of:
        floating = [n for n in leaves if tensors[n].dtype.is_floating]
        total = tf.add_n([tf.reduce_sum(tf.cast(tensors[n], tf.float32)) for n in gradients_of])
        found = tf.gradients(total, [tensors[n] for n in floating])
        gradients = {n: tf.convert_to_tensor(g) for n, g in zip(floating, found, strict=True) if g is not None}
    return tensors, gradients


@dataclass(frozen=True)
class _Build:
    tf: Any
    watch: Watch | None

    def nodes(self, graph: ir.Graph, tensors: Tensors, prefix: str) -> Any:
        """Adds the graph's nodes to `tensors`; returns whether the watched operator failed first, None if not here."""
        from tensorflow.python.framework import op_def_registry

        event = None
        for name, initializer in graph.initializers.items():
            if name not in tensors and initializer.const_value is not None:
                tensors[name] = self.tf.constant(initializer.const_value.numpy())
        for i, node in enumerate(graph):
            operands = [tensors[v.name or ""] for v in node.inputs if v is not None]
            name = f"{prefix}{i}"
            if node.op_type in ("While", "StatelessWhile"):
                results, told = self.loop(node, operands, tensors, name)
            elif node.op_type in ("If", "StatelessIf"):
                results, told = self.branch(node, operands, tensors, name)
            else:
                results = _operation(self.tf, op_def_registry.get(node.op_type), node, operands, name)
                told = self.told(graph, node, operands, results)
            event = told if event is None else event if told is None else self.tf.logical_or(event, told)
            for value, result in zip(node.outputs, results, strict=False):
                if value.name:
                    tensors[value.name] = result
        return event

    def told(self, graph: ir.Graph, node: ir.Node, operands: list[Any], results: list[Any]) -> Any:
        """Whether the watched operator's operands are finite and its first result is not."""
        if self.watch is None or not node.outputs or node.outputs[0].name != self.watch.result:
            return None
        tf = self.tf

        def broken(tensor: Any, infinite: bool) -> Any:
            if not tensor.dtype.is_floating:
                return tf.constant(False)
            bad = tf.math.is_nan(tensor)
            if not infinite:
                bad = tf.logical_or(bad, tf.math.is_inf(tensor))
            return tf.reduce_any(bad)

        meant = self.watch.infinite
        before = tf.reduce_any(tf.stack([broken(t, bool(meant)) for t in operands]))
        return tf.logical_and(broken(results[0], meant.passed_on), tf.logical_not(before))

    def watches(self, node: ir.Node) -> bool:
        """Whether the watched operator runs in a body of `node`."""
        if self.watch is None:
            return False
        inner = (n for body in bodies(node) for n in ir.traversal.RecursiveGraphIterator(body))
        return any(n.outputs and n.outputs[0].name == self.watch.result for n in inner)

    def loop(self, node: ir.Node, initial: list[Any], outer: Tensors, name: str) -> tuple[list[Any], Any]:
        tf, watched = self.tf, self.watches(node)
        condition, body = (node.attributes[k].as_graph() for k in ("cond", "body"))

        def inside(graph: ir.Graph, state: Sequence[Any]) -> tuple[list[Any], Any]:
            tensors = {**outer, **{v.name or "": t for v, t in zip(graph.inputs, state, strict=False)}}
            told = self.nodes(graph, tensors, f"{name}_")
            return [tensors[o.name or ""] for o in graph.outputs], told

        def going(*state: Any) -> Any:
            return inside(condition, state)[0][0]

        def step(*state: Any) -> list[Any]:
            results, told = inside(body, state)
            return [*results, tf.logical_or(state[-1], told) if told is not None else state[-1]] if watched else results

        start = [*initial, tf.constant(False)] if watched else list(initial)
        try:
            found = tf.while_loop(going, step, start, name=name)
        except ValueError:  # shapes that change
            free = [t.shape if t.dtype == tf.variant else tf.TensorShape(None) for t in start]
            found = tf.while_loop(going, step, start, shape_invariants=free, name=f"{name}_free")
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        return (found[:-1], found[-1]) if watched else (found, None)

    def branch(self, node: ir.Node, operands: list[Any], outer: Tensors, name: str) -> tuple[list[Any], Any]:
        tf, watched = self.tf, self.watches(node)

        def side(key: str) -> Any:
            graph = node.attributes[key].as_graph()

            def build() -> list[Any]:
                tensors = {**outer, **{v.name or "": t for v, t in zip(graph.inputs, operands[1:], strict=False)}}
                told = self.nodes(graph, tensors, f"{name}_")
                results = [tf.identity(tensors[o.name or ""]) for o in graph.outputs]
                return [*results, tf.constant(False) if told is None else told] if watched else results

            return build

        condition = tf.reshape(tf.cast(operands[0], tf.bool), [])
        found = tf.cond(condition, side("then_branch"), side("else_branch"), name=name)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        return (found[:-1], found[-1]) if watched else (found, None)


def _operation(tf: Any, definition: Any, node: ir.Node, operands: list[Any], name: str) -> list[Any]:
    if node.op_type == "ReadVariableOp":
        return [tf.identity(operands[0], name=name)]  # a variable is a leaf, and leaves are placeholders
    if node.op_type == "ResourceGather":
        return [tf.gather(operands[0], operands[1], name=name)]
    if definition is None:
        raise ValueError(f"TensorFlow {tf.__version__} has no operator {node.op_type}")
    if node.op_type == "Const":
        return [tf.constant(node.attributes["value"].value.numpy(), name=name)]
    arguments: dict[str, Any] = {"name": name}
    inferred: set[str] = set()
    position = 0
    for argument in definition.input_arg:
        inferred |= {argument.type_attr, argument.number_attr, argument.type_list_attr}
        if argument.number_attr or argument.type_list_attr:
            taken = len(operands) - position - (len(definition.input_arg) - 1 - len(arguments) + 1)
            single = len(definition.input_arg) == 1
            if not single and argument.number_attr in node.attributes:
                taken = int(node.attributes[argument.number_attr].value)
            arguments[argument.name] = operands[position : position + taken] if not single else operands[position:]
            position += taken if not single else len(operands)
        else:
            arguments[argument.name] = operands[position]
            position += 1
    for attribute in definition.attr:
        if attribute.name in inferred or attribute.name not in node.attributes or attribute.name.startswith("_"):
            continue
        arguments[attribute.name] = _attribute(tf, attribute.type, node.attributes[attribute.name].value)
    from tensorflow.python.framework import op_def_library

    # The public raw_ops rename arguments; the helper below them takes those of the operator's definition.
    operation = op_def_library._apply_op_helper(node.op_type, **arguments)[2]
    return list(operation.outputs)


def _attribute(tf: Any, kind: str, value: Any) -> Any:
    if kind == "type":
        return tf.as_dtype(ir.DataType(int(value)).numpy())
    if kind == "list(type)":
        return [tf.as_dtype(ir.DataType(int(v)).numpy()) for v in value]
    if kind == "bool":
        return bool(value)
    if kind.startswith("list("):
        return list(value)
    return value
