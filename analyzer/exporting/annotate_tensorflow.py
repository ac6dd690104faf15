"""GraphDef from the exporter -> `Graph`: variables with their values, Keras layers, source lines, symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from analyzer.exporting.manifest import Manifest
from analyzer.graph import Graph, set_layer, set_location
from analyzer.problem import TargetProblem

if TYPE_CHECKING:
    from analyzer.loading.tensorflow_nodes import Tensor

WEIGHTS = "weights.bin"


def graph_of_graphdef(file: Path, manifest: Manifest) -> Graph:
    """Raises `TargetProblem` for a damaged graph, or weights that are not those of the manifest."""
    from analyzer.loading.graphdef import read_program
    from analyzer.loading.tensorflow_graph import Known, convert
    from analyzer.loading.tensorflow_nodes import tensor_of

    outputs: dict[Tensor, str] = {}
    for number, name in enumerate(manifest.outputs):
        outputs.setdefault(tensor_of(name), name.removesuffix(":0") or f"output_{number}")
    known = Known(
        values=_weights(file.parent / WEIGHTS, manifest),
        trainable=frozenset(w.name for w in manifest.weights if w.trainable) if manifest.weights else None,
        outputs=outputs or None,
        inputs={(name, 0): name for name in manifest.inputs} or None,
    )
    graph = convert(read_program(file), known=known, versions=dict(manifest.versions))
    _describe_inputs(graph, manifest)
    _annotate(graph, manifest)
    return graph


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
    for node in graph.nodes():
        name = node.name or ""
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
