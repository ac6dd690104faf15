"""Imported spaces, Keras configurations, graphs in a pull request, checkpoints."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto
from onnx import helper as h

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Finding, Level, Location
from analyzer.graph import Graph
from analyzer.graph.model import set_location
from analyzer.problem import UsageProblem
from analyzer.validity import analyse
from analyzer.validity.checkpoint import TensorEntry, compare, comparison_findings, health
from analyzer.validity.decide import decide
from analyzer.validity.space_reader import read_space

MODEL = """version: 1
model:
  inputs: {x: {shape: [4, 8]}}
  layers:
    - {name: fc, op: Linear, in_features: 8, out_features: units}
"""


def test_a_keras_tuner_space_is_imported() -> None:
    keras_tuner = pytest.importorskip("keras_tuner")
    space = keras_tuner.HyperParameters()
    space.Int("units", -16, 48, step=16)  # PyTorch takes a layer of no units, none of fewer
    space.Choice("activation", ["relu", "tanh"])
    space.Float("rate", 0.1, 0.5)
    text = MODEL + "import:\n  keras-tuner: " + json.dumps(space.get_config()) + "\n"
    decision = decide(read_space(text, "space.yml"))
    assert (decision.total, decision.valid) == (5 * 2 * 2, 4 * 2 * 2)


def test_optuna_distributions_are_imported() -> None:
    distributions = pytest.importorskip("optuna").distributions
    data = {"units": distributions.distribution_to_json(distributions.IntDistribution(-2, 3))}
    decision = decide(read_space(MODEL + "import:\n  optuna: " + json.dumps(data) + "\n", "space.yml"))
    assert (decision.total, decision.valid) == (6, 4)  # 0 to 3 units: PyTorch takes a layer of none
    with pytest.raises(UsageProblem, match=r"space\.yml:7: .*not an Optuna distribution"):
        read_space(MODEL + "import:\n  optuna: {units: 3}\n", "space.yml")


def graph(shape: list[Any], features: int = 8 * 26 * 26, opset: int = 18) -> Graph:
    weights = [
        onnx.numpy_helper.from_array(np.zeros((8, 3, 7, 7), np.float32), "w"),
        onnx.numpy_helper.from_array(np.zeros((features, 10), np.float32), "fw"),
    ]
    nodes = [
        h.make_node("Conv", ["x", "w"], ["c"], name="conv"),
        h.make_node("Flatten", ["c"], ["f"], name="flatten"),
        h.make_node("MatMul", ["f", "fw"], ["y"], name="fc"),
    ]
    values = [h.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    made = h.make_graph(nodes, "g", values, [h.make_tensor_value_info("y", TensorProto.FLOAT, None)], weights)
    return Graph(ir.serde.deserialize_model(h.make_model(made, opset_imports=[h.make_opsetid("", opset)])))


def findings(one: Graph, **options: Any) -> tuple[Finding, ...]:
    return analyse(one, TargetConfig("t", path="m.onnx", **options)).findings


def test_a_valid_graph_has_no_findings() -> None:
    assert findings(graph(["n", 3, 32, 32])) == ()


def test_a_size_that_no_kernel_fits_is_a_proved_error() -> None:
    (found,) = findings(graph(["n", 3, 5, 5]))
    assert (found.rule, found.level, found.node) == ("validity/illegal-shape", Level.ERROR, "conv")
    assert found.message == "The kernel of 7 does not fit the height of 5."


def test_an_open_size_that_is_forced_is_a_warning_that_names_it() -> None:
    (found,) = findings(graph(["n", 3, "side", "side"]))
    assert (found.rule, found.level, found.operand) == ("validity/dimension-forced", Level.WARNING, "side")
    assert "may only be 32" in found.message


def test_a_declared_size_that_fails_is_an_error_with_the_valid_ones() -> None:
    (found,) = findings(graph(["n", 3, "side", "side"]), symbols={"side": (30, 40)})
    assert (found.level, found.node) == (Level.ERROR, "fc")
    assert "when `side` is 30; valid sizes: side = 32" in found.message


def test_a_space_that_lost_vectors_against_the_base_is_an_error() -> None:
    space = {"hyperparameters": {"x.shape[2]": [32, 38], "x.shape[3]": [32]}}
    target = TargetConfig("t", path="m.onnx", space=space)
    head, base = graph(["n", 3, 32, 32], 8 * 32 * 26), graph(["n", 3, 32, 32])
    rules = [f.rule for f in analyse(head, target, base=base).findings]
    assert "validity/space-shrank" in rules
    assert "validity/space-shrank" not in [f.rule for f in analyse(base, target, base=base).findings]


def test_checkpoint_entries_are_matched_renamed_and_counted() -> None:
    wanted = [
        TensorEntry("conv.weight", "float32", (8, 3, 3, 3)),
        TensorEntry("fc.weight", "float32", (10, 8)),
        TensorEntry("fc.bias", "float32", (10,)),
    ]
    given = [
        TensorEntry("module.conv.weight", "float16", (8, 3, 3, 3)),
        TensorEntry("module.fc_out.weight", "float32", (10, 8)),
        TensorEntry("module.fc.bias", "float32", (12,)),
        TensorEntry("module.extra", "float32", (3,)),
        TensorEntry("optimizer.step", "int64", ()),
    ]
    result = compare(given, wanted)
    assert result.prefix == ("module.", "")
    assert [(r.found, r.expected) for r in result.renamed] == [("module.fc_out.weight", "fc.weight")]
    assert [a.name for a, _ in result.types] == ["module.conv.weight"]
    assert [a.name for a, _ in result.shapes] == ["module.fc.bias"]
    assert [e.name for e in result.unexpected] == ["module.extra"]
    rules = {f.rule for f in comparison_findings(result, "t", "m.pt")}
    assert {"checkpoint/renamed", "checkpoint/wrong-type", "checkpoint/wrong-shape", "checkpoint/partial-load"} <= rules
    assert not list(comparison_findings(compare(wanted, wanted), "t", "m.pt"))


def test_the_health_of_a_weight_is_counted() -> None:
    values = np.array([0.0, np.nan, np.inf, 1e-40, 1.0], np.float32)
    found = health(values)
    assert (found.size, found.nan, found.infinite, found.zeros, found.denormal) == (5, 1, 1, 1, 1)
    assert health(np.full((4, 4), 2.0, np.float32)).constant == 2.0
    assert health(np.zeros(3, np.float16)).zeros == 3


def test_checkpoints_from_files(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from analyzer.validity.checkpoint import inspect

    weight = torch.randn(8, 8)
    weight[0, 0] = float("nan")
    torch.save({"a.weight": weight, "b.weight": torch.zeros(8, 8), "c.weight": torch.randn(8, 8)}, tmp_path / "m.pt")
    rules = {f.node: f.rule for f in inspect(tmp_path / "m.pt", "m").findings}
    assert rules == {"a.weight": "checkpoint/not-finite", "b.weight": "checkpoint/all-zero"}


def test_an_error_names_the_lines_that_lead_to_it() -> None:
    """The nearest first, for a review whose diff does not show the line that fails."""
    names = ["x", "a", "b", "c", "y"]
    nodes = [h.make_node("Relu", [first], [second], name=second) for first, second in pairwise(names[:-1])]
    nodes.append(h.make_node("MatMul", ["c", "w"], ["y"], name="y"))
    weight = h.make_tensor("w", TensorProto.FLOAT, [5, 3], [0.0] * 15)
    ends = [h.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [2, 4]), ("y", None))]
    graph = Graph(ir.from_proto(h.make_model(h.make_graph(nodes, "g", ends[:1], ends[1:], [weight]))))
    for node, line in zip(graph.graph, (10, 20, 30, 40), strict=True):
        set_location(node, Location("net.py", line))
    (found,) = [f for f in analyse(graph, TargetConfig(id="t", path="t.onnx")).findings if f.level is Level.ERROR]
    assert found.location == Location("net.py", 40)
    assert found.evidence.data["causes"] == [["net.py", 30], ["net.py", 20], ["net.py", 10]]
