"""Models with open sizes: each size that the rules accept runs, each that they refuse does not, none is left out."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto
from onnx import helper as h

from analyzer.configuration.config import TargetConfig
from analyzer.graph import Graph
from analyzer.validity import analyse
from analyzer.validity.graph_reader import program_of, read_graph
from analyzer.validity.terms import substitute

SIZES = (1, 2, 3, 5, 7, 8, 11, 12, 15, 16, 20, 23, 24, 27, 28, 30, 31, 32, 35, 36)


def exported(module: Any, shape: tuple[int, ...], *, dynamo: bool) -> Graph:
    import torch

    example, buffer = torch.zeros(shape), io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dynamo:
            dims = {0: torch.export.Dim.AUTO, 2: torch.export.Dim.AUTO}
            program = torch.onnx.export(
                module.eval(), (example,), dynamo=True, dynamic_shapes=(dims,), optimize=False, verbose=False
            )
            return Graph(ir.serde.deserialize_model(program.model_proto))
        torch.onnx.export(
            module.eval(), (example,), buffer, dynamo=False, input_names=["x"], dynamic_axes={"x": {0: "n", 2: "h"}}
        )
    return Graph(ir.serde.deserialize_model(onnx.load_from_string(buffer.getvalue())))


def networks() -> dict[str, Any]:
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, reshape: Any, features: int) -> None:
            super().__init__()
            self.conv, self.fc = nn.Conv2d(3, 4, 3, stride=2), nn.Linear(features, 5)
            self.pool, self.reshape = nn.MaxPool2d(2), reshape

        def forward(self, x: Any) -> Any:
            return self.fc(self.reshape(self.pool(self.conv(x))))

    return {
        "flatten": Net(lambda x: torch.flatten(x, 1), 4 * 7 * 7),
        "view by sizes": Net(lambda x: x.view(x.size(0), x.size(1) * x.size(2) * x.size(3)), 4 * 7 * 7),
        "view with -1 for the batch": Net(lambda x: x.reshape(-1, x.shape[1] * x.shape[2] * x.shape[3]), 4 * 7 * 7),
        "halves": Net(lambda x: torch.flatten(x[:, :, : x.shape[2] // 2], 1), 4 * 3 * 7),
        "doubled": Net(lambda x: torch.flatten(nn.functional.interpolate(x, scale_factor=2), 1), 4 * 14 * 14),
        "groups of rows": Net(lambda x: x.view(x.shape[0], 2, 2, -1, x.shape[3]).flatten(1), 4 * 7 * 7),
    }


@pytest.mark.parametrize("dynamo", [False, True])
@pytest.mark.parametrize("name", list(networks()))
def test_each_height_is_decided_as_pytorch_runs_it(name: str, dynamo: bool) -> None:
    import torch

    module = networks()[name]
    graph = exported(module, (2, 3, 31, 31), dynamo=dynamo)
    reading = read_graph(graph)
    program = program_of(reading)
    dims = reading.architecture.inputs[next(iter(reading.architecture.inputs))].dims
    height, batch = str(dims[2]), str(dims[0])
    for size in SIZES:
        try:
            module(torch.zeros(2, 3, size, 31))
            real = True
        except RuntimeError:
            real = False
        answers = [substitute(s.condition, {height: size, batch: 2}) for s in program.steps]
        said = False if False in answers else True if all(a is True for a in answers) else None
        assert said is real, (name, dynamo, size, said)


def test_the_heights_that_work_are_the_contract() -> None:
    found = analyse(exported(networks()["flatten"], (2, 3, 31, 31), dynamo=True), TargetConfig("t", path="m.onnx"))
    (contract,) = [f for f in found.findings if f.rule.startswith("validity/dimension")]
    assert str(contract.evidence.data["contract"]).endswith("∈ {29, 30, 31, 32}")
    assert not [sentence for sentence in contract.evidence.sentences if " if " in sentence]


def lost_size() -> Graph:
    """Rows that data choose are multiplied with 8 weights."""
    nodes = [
        h.make_node("NonZero", ["x"], ["found"], name="find"),
        h.make_node("Cast", ["found"], ["floats"], name="cast", to=TensorProto.FLOAT),
        h.make_node("MatMul", ["floats", "w"], ["y"], name="product"),
    ]
    graph = h.make_graph(
        nodes,
        "g",
        [h.make_tensor_value_info("x", TensorProto.FLOAT, [4, 4]), h.make_tensor_value_info("w", 1, [8, 2])],
        [h.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    return Graph(ir.serde.deserialize_model(h.make_model(graph, opset_imports=[h.make_opsetid("", 18)])))


def test_a_rule_on_a_size_that_data_decide_is_reported_with_its_layer() -> None:
    (found,) = analyse(lost_size(), TargetConfig("t", path="m.onnx")).findings
    assert (found.rule, found.level.value, found.node) == ("validity/undecided", "note", "product")
    assert "dimension 1 that `find` (NonZero) gives" in found.message


def test_sizes_that_the_configuration_declares_and_that_do_not_fit_together_are_an_error() -> None:
    nodes = [h.make_node("Add", ["a", "b"], ["y"], name="sum")]
    inputs = [h.make_tensor_value_info(n, TensorProto.FLOAT, [d]) for n, d in (("a", "m"), ("b", "n"))]
    graph = h.make_graph(nodes, "g", inputs, [h.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    one = Graph(ir.serde.deserialize_model(h.make_model(graph, opset_imports=[h.make_opsetid("", 18)])))
    target = TargetConfig("t", path="m.onnx", symbols={"m": (2, 8), "n": (2, 8)})
    (found,) = analyse(one, target).findings
    assert (found.level.value, found.node) == ("error", "sum")


def test_a_slice_of_a_known_matrix_keeps_its_rank() -> None:
    nodes = [
        h.make_node("Slice", ["m", "zero", "one", "axis"], ["cut"], name="cut"),
        h.make_node("Concat", ["cut", "m"], ["y"], name="joined", axis=1),
    ]
    constants = [
        onnx.numpy_helper.from_array(np.array(v, np.int64), n)
        for n, v in (("m", [[0, 1, 2], [0, 1, 2]]), ("zero", [0]), ("one", [1]), ("axis", [1]))
    ]
    out = [h.make_tensor_value_info("y", TensorProto.INT64, None)]
    graph = h.make_graph(nodes, "g", [], out, constants)
    one = Graph(ir.serde.deserialize_model(h.make_model(graph, opset_imports=[h.make_opsetid("", 18)])))
    assert analyse(one, TargetConfig("t", path="m.onnx")).findings == ()
    assert program_of(read_graph(one)).values["y"].shape == (2, 4)
