"""Weights that an export writes beside the model: they outlive its folder, and what they may weigh fits the machine."""

import shutil
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import TargetConfig
from analyzer.differential.plan import onnx_artefact
from analyzer.exporting import export as exporting
from analyzer.exporting.annotate import graph_of
from analyzer.exporting.export import export_limits
from analyzer.exporting.manifest import Manifest

WEIGHTS = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_weights_beside_the_model_outlive_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("MatMul", ["x", "w"], ["y"])],
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])],
            [numpy_helper.from_array(WEIGHTS, "w")],
        ),
        opset_imports=[helper.make_opsetid("", 18)],
    )
    onnx.save(model, folder / "model.onnx", save_as_external_data=True, location="model.onnx.data", size_threshold=0)
    graph = graph_of(folder, Manifest(framework="torch"), TargetConfig("net.py:build", entry="net.py:build"))
    shutil.rmtree(folder)
    held = graph.graph.initializers["w"].const_value
    assert held is not None
    np.testing.assert_array_equal(held.numpy(), WEIGHTS)
    monkeypatch.setattr("analyzer.differential.plan.EMBED_LIMIT", 1)
    written = onnx_artefact(graph, tmp_path / "engines")
    assert set(written.files) == {"model.onnx", "model.onnx.data"}
    again = ir.load(tmp_path / "engines" / "model.onnx").graph.initializers["w"].const_value
    assert again is not None
    np.testing.assert_array_equal(again.numpy(), WEIGHTS)


@pytest.mark.parametrize(("half", "memory"), [(1 << 30, 4 << 30), (64 << 30, 64 << 30)])
def test_an_export_may_take_half_of_the_machine(half: int, memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "half_of_memory", lambda: half)
    assert export_limits().memory == memory
    assert export_limits().output > 1 << 30, "weights stand beside the model from 1 GiB on"
