"""ONNX files whose outputs are dictionaries, as converters write scikit-learn's classifiers."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper

from analyzer.loading.reading import load


def test_a_classifier_that_ends_in_zipmap_is_read(tmp_path: Path) -> None:
    numbers = helper.make_tensor_type_proto(TensorProto.FLOAT, [])
    kind = helper.make_sequence_type_proto(helper.make_map_type_proto(TensorProto.INT64, numbers))
    nodes = [
        helper.make_node("Normalizer", ["x"], ["n"], domain="ai.onnx.ml", norm="L1"),
        helper.make_node("ZipMap", ["n"], ["y"], domain="ai.onnx.ml", classlabels_int64s=[0, 1]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 2])]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_value_info("y", kind)])
    versions = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    path = tmp_path / "classifier.onnx"
    onnx.save(helper.make_model(graph, opset_imports=versions), path)
    assert [node.op_type for node in load(path).graph] == ["Normalizer", "ZipMap"]
