"""A parameter, an argument and a result of one name are three values: the exported graph keeps them apart."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir
import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.inside import unique_names
from analyzer.findings import Confidence
from analyzer.numerical.analysis import analyse

NET = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.nn.Parameter(torch.tensor([3.0, 4.0]))
        self.register_buffer("std", torch.tensor([2.0, 5.0]))
        self.x = torch.nn.Parameter(torch.tensor([0.5, 0.25]))

    def forward(self, x, std):
        return FORMULA


def build():
    return Net().eval(), (torch.tensor([1.0, -1.0]), torch.tensor([1.0, 3.0]))
"""


@pytest.mark.parametrize(
    ("formula", "parameters"),
    [
        ("(x - x.mean() - self.mean) / self.std + x.std()", {"mean", "self.std"}),
        ("x * self.x + std / self.std", {"self.x", "self.std"}),
        ("torch.where(x.mean() > self.mean, self.x, x.mean() * x)", {"mean", "self.x"}),
    ],
)
def test_values_of_one_name_are_told_apart(project: Any, export_entry: Any, formula: str, parameters: set[str]) -> None:
    import numpy as np
    import onnxruntime
    import torch

    project.write("net.py", NET.replace("FORMULA", formula))
    graph = export_entry("net.py:build")
    assert parameters <= set(graph.graph.initializers)
    assert {"x"} <= {value.name for value in graph.graph.inputs} <= {"x", "std"}
    space: dict[str, Any] = {}
    exec(project.root.joinpath("net.py").read_text(), space)
    net, given = space["build"]()
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    feeds = dict(zip(("x", "std"), map(torch.Tensor.numpy, given), strict=True))
    (made,) = session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})
    np.testing.assert_allclose(made, net(*given).detach().numpy(), rtol=1e-6)


@pytest.mark.parametrize(("formula", "fails"), [("1 / (2 + (x - self.x).abs())", False), ("1 / (x - self.x)", True)])
def test_a_difference_with_a_parameter_of_the_same_name_is_not_nothing(
    project: Any, export_entry: Any, formula: str, fails: bool
) -> None:
    """Read as one value it would be 0 whatever the input is."""
    project.write("net.py", NET.replace("FORMULA", formula))
    graph = export_entry("net.py:build")
    result = analyse(graph, TargetConfig(id="net", entry="net.py:build"), confirm=False)
    assert [f.confidence is not Confidence.PROVED for f in result.findings] == [True] * fails
    assert result.unsafe_operators.safe == (not fails)


def _value(name: str, constant: ir.TensorProtocol | None = None) -> ir.Value:
    kind = ir.TensorType(ir.DataType.FLOAT)
    return ir.Value(name=name, shape=ir.Shape([1]), type=kind, const_value=constant)


def _branch(*operands: ir.Value) -> ir.Graph:
    inside = ir.node("Add", operands, outputs=[_value("out")])
    return ir.Graph([], inside.outputs, nodes=[inside], name="branch")


def test_names_of_inner_graphs_are_free_too() -> None:
    x, weight = _value("x"), _value("x", ir.tensor([1.0], name="x"))
    branches = [_branch(x, weight), _branch(weight, weight)]
    condition = ir.node("Constant", [], {"value": ir.tensor(True)}, outputs=[_value("x")])
    attributes = dict(zip(("then_branch", "else_branch"), branches, strict=True))
    chosen = ir.node("If", condition.outputs, attributes, outputs=[_value("out")])
    graph = ir.Graph([x], chosen.outputs, nodes=[condition, chosen], initializers=[weight], name="main")
    unique_names.make_unique(graph)
    inside = [value for branch in branches for value in branch.outputs]
    names = [value.name for value in (x, weight, *condition.outputs, *inside, *chosen.outputs)]
    assert names[:2] == ["x", "self.x"]
    assert len(set(names)) == len(names)
    assert graph.initializers["self.x"] is weight
