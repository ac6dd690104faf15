"""GraphDef from the exporter -> `Graph`: variables with their values, Keras layers, source lines, symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx_ir as ir

from analyzer.exporting.manifest import Manifest
from analyzer.graph import Graph, set_layer, set_location
from analyzer.graph.model import INITIAL_VALUE, SIGNATURE, set_frozen
from analyzer.loading.graphdef import read_program
from analyzer.loading.tensorflow_graph import FileFacts, convert
from analyzer.loading.tensorflow_nodes import tensor_of
from analyzer.problem import TargetProblem

WEIGHTS = "weights.bin"
TRAINING = "training.pb"


def graph_of_graphdef(file: Path, manifest: Manifest) -> Graph:
    """Raises `TargetProblem` for a damaged graph, or weights that are not those of the manifest."""
    outputs = {name.removesuffix(":0"): tensor_of(name) for name in manifest.outputs}
    known = FileFacts(
        values=_weights(file.parent / WEIGHTS, manifest),
        trainable=frozenset(w.name for w in manifest.weights if w.trainable) if manifest.weights else None,
        outputs=outputs if manifest.weights else None,
        inputs={(name, 0): name for name in manifest.inputs},
    )
    graph = convert(read_program(file), known=known, versions=dict(manifest.versions))
    graph = replace(graph, training=_training(file.parent / TRAINING, manifest, known))
    if outputs and not manifest.weights:
        _restrict(graph, list(outputs))
    _describe_inputs(graph, manifest)
    _annotate(graph, manifest)
    graph.model.metadata_props[SIGNATURE] = "\n".join(manifest.inputs)  # the graph lacks those that are not used
    return graph


def _training(file: Path, manifest: Manifest, known: FileFacts) -> Graph | None:
    """The graph with the compiled loss; None where there is none that can be read."""
    if not manifest.loss or not known.outputs or not file.is_file():
        return None
    loss = manifest.loss.removesuffix(":0")
    inputs = {**known.inputs, **{(name, 0): name for name in manifest.targets}}
    try:
        known = replace(known, outputs={**known.outputs, loss: tensor_of(manifest.loss)}, inputs=inputs)
        graph = convert(read_program(file), known=known, versions=dict(manifest.versions))
    except TargetProblem:
        return None
    _describe_inputs(graph, manifest)
    return replace(graph, losses=(loss,))


def _restrict(graph: Graph, outputs: list[str]) -> None:
    """Keep what `outputs` depend on, and the initial values of the variables they read."""
    values = {v.name: v for v in [*graph.graph.inputs, *(o for n in graph.graph for o in n.outputs)]}
    wanted = [values[name] for name in outputs if name in values]
    if len(wanted) != len(outputs):
        missing = next(name for name in outputs if name not in values)
        raise TargetProblem(f"the output {missing!r} is not a tensor of the graph")
    graph.graph.outputs[:] = list(dict.fromkeys(wanted))
    needed: set[ir.Value] = set()
    stack = list(wanted)
    while stack:
        value = stack.pop()
        if value in needed:
            continue
        needed.add(value)
        producer = value.producer()
        if producer is not None:
            stack += [v for v in producer.inputs if v is not None]
            for attribute in producer.attributes.values():
                if attribute.type is ir.AttributeType.GRAPH:
                    stack += [v for n in attribute.as_graph() for v in n.inputs if v is not None]
        initial = value.metadata_props.get(INITIAL_VALUE)
        if initial in values:
            stack.append(values[initial])
    unneeded = [node for node in graph.graph if not any(output in needed for output in node.outputs)]
    for node in reversed(unneeded):
        graph.graph.remove(node, safe=True)
    graph.graph.inputs[:] = [v for v in graph.graph.inputs if v in needed]


def _weights(path: Path, manifest: Manifest) -> dict[str, ir.TensorProtocol]:
    if not manifest.weights:
        return {}
    try:
        data = np.memmap(path, np.uint8, mode="r") if path.stat().st_size else np.zeros(0, np.uint8)
        found: dict[str, ir.TensorProtocol] = {}
        for weight in manifest.weights:
            dtype = _dtype(weight.dtype)
            size = math.prod(weight.shape) * dtype.itemsize
            if weight.offset + size > data.size:
                raise ValueError("past the end")
            array = data[weight.offset : weight.offset + size].view(dtype).reshape(weight.shape)
            found[weight.name] = ir.tensor(np.array(array), name=weight.name)
        return found
    except (OSError, ValueError, TypeError) as error:
        raise TargetProblem("the weights that the export handed back do not fit its description") from error


def _dtype(name: str) -> np.dtype[np.generic]:
    if name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        import ml_dtypes

        special: np.dtype[np.generic] = np.dtype(getattr(ml_dtypes, name))
        return special
    dtype = np.dtype(name)
    if dtype.kind not in "biufc":
        raise ValueError(name)
    return dtype


def _describe_inputs(graph: Graph, manifest: Manifest) -> None:
    for value in graph.graph.inputs:
        name = value.name or ""
        if name in manifest.shapes:
            dims, _ = manifest.shapes[name]
            value.shape = ir.Shape(dims)
        axes = manifest.axes.get(name)
        if axes and value.shape is not None:
            value.shape = ir.Shape([axes.get(axis, dim) for axis, dim in enumerate(value.shape)])


def _annotate(graph: Graph, manifest: Manifest) -> None:
    frozen = frozenset(manifest.frozen)
    for node in graph.nodes():
        name = node.name or ""
        if name in frozen:
            set_frozen(node)
        layer = _layer(name, manifest.scopes)
        if layer:
            set_layer(node, layer, manifest.classes.get(layer, ""))
        place = manifest.lines.get(name) or manifest.created.get(layer)
        if place is not None:
            set_location(node, place)


def _layer(name: str, scopes: Mapping[str, str]) -> str:
    """The Keras layer whose call made a node: the innermost name scope that a layer's call ran in."""
    scope = name.rpartition("/")[0]
    while scope:
        if scope in scopes:
            return scopes[scope]
        scope = scope.rpartition("/")[0]
    return ""
