"""The edges of a model's picture are the ways that data takes."""

from __future__ import annotations

import onnx.parser
import onnx_ir as ir

from analyzer.graph.layers import layer_graph
from analyzer.graph.model import Graph, set_layer

MODEL = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] out)
{
    table = Constant <value_floats = [1.0, 2.0]> ()
    first = Constant <value_floats = [0.1, 0.1]> ()
    epsilon = Sqrt (first)
    a = Mul (x, epsilon)
    b = Add (a, epsilon)
    noise = RandomNormal <shape = [2]> ()
    c = Add (b, noise)
    out = Add (c, table)
}
"""
LAYERS = ("positions", "embed", "embed", "embed", "encode", "embed", "noisy", "decode")


def test_a_constant_computed_once_for_many_layers_is_no_edge() -> None:
    model = ir.from_proto(onnx.parser.parse_model(MODEL))
    for node, layer in zip(model.graph, LAYERS, strict=True):
        set_layer(node, layer)
    drawn = layer_graph(Graph(model))
    labels = {node.id: node.label for node in drawn.nodes}
    edges = {(labels[a], labels[b]) for a, b in drawn.edges}
    assert edges == {
        ("embed", "encode"),  # `epsilon` too goes this way, but so does `a`
        ("embed", "noisy"),  # a draw is data
        ("encode", "noisy"),
        ("noisy", "decode"),
        ("positions", "decode"),  # a layer that is a table is data
    }


def test_layers_that_share_only_a_constant_are_not_connected() -> None:
    model = ir.from_proto(onnx.parser.parse_model(MODEL.replace("Add (a, epsilon)", "Add (x, epsilon)")))
    for node, layer in zip(model.graph, LAYERS, strict=True):
        set_layer(node, layer)
    drawn = layer_graph(Graph(model))
    labels = {node.id: node.label for node in drawn.nodes}
    assert ("embed", "encode") not in {(labels[a], labels[b]) for a, b in drawn.edges}
