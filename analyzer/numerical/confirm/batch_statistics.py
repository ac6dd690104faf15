"""Batch normalisation as training computes it: by the statistics of the batch itself.

An entry point is exported in evaluation mode, where running statistics stand for those of all batches. With the
numbers where training starts (0 and 1), or any others, these fit no inputs, and what they let grow is never met in
training: runs of a model with a loss take the batch's own.
"""

from __future__ import annotations

from dataclasses import replace

import onnx_ir as ir

from analyzer.graph import Graph
from analyzer.graph.model import OF_BATCHES
from analyzer.numerical.confirm.extract import Slice
from analyzer.numerical.repair.builder import Builder
from analyzer.operators.registry import operator_name

EPSILON = 1e-5  # where a node names none
DTYPES = {ir.DataType.FLOAT: "float32", ir.DataType.DOUBLE: "float64"}  # narrower batches are normalised in float32


def trained_by_batches(graph: Graph) -> frozenset[str]:
    """The running means in whose place training takes those of each batch; of a model that came with its loss."""
    marked = (n for n, v in graph.graph.initializers.items() if OF_BATCHES in v.metadata_props)
    return frozenset(marked) if graph.losses else frozenset()


def as_training(piece: Slice, means: frozenset[str]) -> Slice:
    """The slice with the statistics of its own batch in place of the running `means` and their variances.

    Itself where it has none of them, or where the operator under suspicion is that normalisation.
    """
    main = piece.model.graph
    last = set(piece.outputs)
    replaced = [n for n in main if _takes(n, means) and not last & {v.name for v in n.outputs}]
    if not replaced:
        return piece
    statistics = {v.name for node in replaced for v in node.inputs[3:5] if v is not None}
    for node in replaced:
        _normalise(main, node)
    unused = {v.name for v in main.inputs if v.name in statistics and not v.uses() and not v.is_graph_output()}
    for value in [v for v in main.inputs if v.name in unused]:
        main.inputs.remove(value)
    return replace(piece, leaves=tuple(leaf for leaf in piece.leaves if leaf.name not in unused))


def _takes(node: ir.Node, means: frozenset[str]) -> bool:
    """Whether a node reads one of `means`, and its batch has a shape and a dtype of `DTYPES`."""
    if operator_name(node) != "BatchNormalization" or node.domain == "tf" or len(node.inputs) < 5:
        return False
    data, mean = node.inputs[0], node.inputs[3]
    known = data is not None and data.dtype in DTYPES and data.shape is not None and len(data.shape) >= 2
    return known and mean is not None and mean.name in means


def _normalise(main: ir.Graph, node: ir.Node) -> None:
    """Puts (x - mean) / sqrt(variance + epsilon) * scale + bias in the place of a node; axis 1 holds the channels."""
    data, scale, bias = node.inputs[:3]
    if data is None or data.dtype is None or data.shape is None or scale is None or bias is None:
        raise ValueError(f"{node.name}: a batch without a shape")
    build = Builder(main, node, DTYPES[data.dtype])
    rank = len(data.shape)
    axes = [0, *range(2, rank)]
    epsilon = node.attributes["epsilon"].as_float() if "epsilon" in node.attributes else EPSILON
    centred = build.apply("Sub", data, build.reduce("ReduceMean", data, axes, True))
    variance = build.reduce("ReduceMean", build.apply("Mul", centred, centred), axes, True)
    scaled = build.apply("Div", centred, build.apply("Sqrt", build.apply("Add", variance, build.constant(epsilon))))
    per_channel = build.constant([1, -1, *[1] * (rank - 2)])
    weights = (build.apply("Reshape", v, per_channel) for v in (scale, bias))
    made = build.apply("Add", build.apply("Mul", scaled, next(weights)), next(weights))
    old = node.outputs[0]
    made.shape, name = old.shape, old.name
    old.replace_all_uses_with(made, replace_graph_outputs=True)
    main.remove(node, safe=True)
    made.name = name
