"""The graph with the loss that a Keras model was compiled with, in the place of the model's own without one."""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from analyzer.configuration.config import TargetConfig
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.assumptions import as_ranges, assume_inputs
from analyzer.numerical.confirm.extract import find_value


def with_compiled_loss(
    graph: Graph, node: ir.Node, ranges: Mapping[str, ValueRange]
) -> tuple[Graph, Mapping[str, ValueRange]]:
    """The graph that training computes, with the ranges of its targets; the same graph where it is not known, or where
    `node` is none of its nodes."""
    training = graph.training
    if training is None or graph.losses:
        return graph, ranges
    value = find_value(training.graph, node.outputs[0].name or "")
    other = value.producer() if value is not None else None
    if other is None or other.op_type != node.op_type or _names(other) != _names(node):
        return graph, ranges
    assumed = as_ranges(assume_inputs(training, TargetConfig(id="training")))
    return training, {**assumed, **ranges}


def _names(node: ir.Node) -> list[str | None]:
    return [v.name if v is not None else None for v in node.inputs]
