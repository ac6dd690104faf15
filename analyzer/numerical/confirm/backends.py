"""Runs a slice for real: ONNX Runtime, TensorFlow, or torch for gradients. Called inside the worker process only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx_ir as ir

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Run:
    """What a real run gave: `results` by value name, the engine and its version."""

    results: dict[str, np.ndarray]
    engine: str
    gradients: dict[str, np.ndarray] = field(default_factory=dict)


def run_onnx(model_bytes: bytes, leaves: Arrays, wanted: Sequence[str]) -> Run:
    """One run of ONNX Runtime on the CPU, without graph rewriting: the operators as the model has them."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model_bytes, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs() if o.name in wanted]
    feeds = {i.name: leaves[i.name] for i in session.get_inputs()}
    results = dict(zip(names, session.run(names, feeds), strict=True))
    return Run(results, f"ONNX Runtime {onnxruntime.__version__}")


def run_tensorflow(
    model: ir.Model, leaves: Arrays, wanted: Sequence[str], gradients_of: Sequence[str] = ()
) -> tuple[Run, bytes]:
    """One run of TensorFlow in graph mode, and the GraphDef that ran."""
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        tensors, gradients = build_tensorflow(model, leaves, gradients_of)
    with tf.compat.v1.Session(graph=graph) as session:
        feeds = {tensors[name]: value for name, value in leaves.items() if name in tensors}
        fetched = {name: tensors[name] for name in wanted if name in tensors}
        results, slopes = session.run([fetched, gradients], feeds)
    run = Run(
        {n: np.asarray(v) for n, v in results.items()},
        f"TensorFlow {tf.__version__}",
        {n: np.asarray(v) for n, v in slopes.items()},
    )
    return run, graph.as_graph_def().SerializeToString()


def build_tensorflow(model: ir.Model, leaves: Arrays, gradients_of: Sequence[str] = ()) -> tuple[dict[str, Any], Any]:
    """The model's nodes as TensorFlow operations of the current graph; leaves become placeholders.

    Placeholder and node names are ``value_0``, ``node_0``… in order, so that any name is allowed in a model.
    """
    import tensorflow as tf
    from tensorflow.python.framework import op_def_registry

    tensors: dict[str, Any] = {}
    for i, (name, array) in enumerate(leaves.items()):
        tensors[name] = tf.compat.v1.placeholder(array.dtype, array.shape, name=f"value_{i}")
    for name, initializer in model.graph.initializers.items():
        if name not in tensors and initializer.const_value is not None:
            tensors[name] = tf.constant(initializer.const_value.numpy())
    for i, node in enumerate(model.graph):
        operands = [tensors[v.name or ""] for v in node.inputs if v is not None]
        results = _operation(tf, op_def_registry.get(node.op_type), node, operands, f"node_{i}")
        for value, result in zip(node.outputs, results, strict=False):
            if value.name:
                tensors[value.name] = result
    gradients: dict[str, Any] = {}
    if gradients_of:
        floating = [n for n in leaves if tensors[n].dtype.is_floating]
        total = tf.add_n([tf.reduce_sum(tf.cast(tensors[n], tf.float32)) for n in gradients_of])
        found = tf.gradients(total, [tensors[n] for n in floating])
        gradients = {n: tf.convert_to_tensor(g) for n, g in zip(floating, found, strict=True) if g is not None}
    return tensors, gradients


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


def forward_failure(
    run: Run, operands: Sequence[str], outputs: Sequence[str], leaves: Arrays, infinite: bool = False
) -> str | None:
    """One sentence if the operator's operands are finite and its result is not; None otherwise.

    With `infinite`, infinities are meant and only NaN counts.
    """
    known = {**leaves, **run.results}
    for name in operands:
        if name in known and not _finite(known[name], infinite):
            return None
    for name in outputs:
        array = known.get(name)
        if array is None or _finite(array, infinite):
            continue
        array = np.asarray(array, np.float64)
        bad = np.isnan(array) if infinite else ~np.isfinite(array)
        kind = "NaN" if np.isnan(array[bad]).any() else "infinite"
        where = [int(i) for i in np.argwhere(bad)[0]]
        values = []
        for operand in operands:
            given = known.get(operand)
            if given is not None and given.dtype.kind in "fiu" and given.size:
                try:
                    values.append(float(np.broadcast_to(given, array.shape)[tuple(where)]))
                except ValueError:
                    continue
        shown = ", ".join(f"{v:.9g}" for v in values[:2])
        at = f" at element {where}" if where else ""
        operands_text = f" from {shown}" if shown else ""
        return f"{int(bad.sum())} of {array.size} results are not finite: {kind}{at}{operands_text}"
    return None


def gradient_failure(run: Run, ends: Sequence[str]) -> str | None:
    """One sentence if the forward results called `ends` are finite and a gradient is not."""
    if not all(_finite(run.results[name]) for name in ends if name in run.results):
        return None
    for name, array in run.gradients.items():
        if not _finite(array):
            bad = ~np.isfinite(np.asarray(array, np.float64))
            kind = "NaN" if np.isnan(np.asarray(array, np.float64)).any() else "infinite"
            return f"the gradient of {name} has {int(bad.sum())} of {array.size} elements that are not finite ({kind})"
    return None


def _finite(array: np.ndarray, infinite: bool = False) -> bool:
    if array.dtype.kind in "iub":
        return True
    if infinite:
        return not bool(np.isnan(np.asarray(array, np.float64)).any())
    return bool(np.isfinite(np.asarray(array, np.float64)).all())
