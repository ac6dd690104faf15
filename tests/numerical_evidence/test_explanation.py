"""The sentence about a finding says exactly what happens, in which dtype and on which engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Finding
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.numerical.findings import Support, finding_of
from analyzer.numerical.interpreter import interpret
from analyzer.numerical.result import Options


def model(operator: str, shape: list[Any]) -> Any:
    nodes = [helper.make_node(operator, ["x"], ["p"]), helper.make_node("Log", ["p"], ["y"], name="log")]
    infos = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", shape), ("y", None), ("p", None))
    ]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def finding(operator: str, shape: list[Any], limit: float, **given: Any) -> Finding:
    target = TargetConfig(id="t", path="t.onnx", inputs={"x": InputSpec(range=ValueRange(-limit, limit))})
    graph = Graph(ir.from_proto(model(operator, shape)))
    (found,) = analyse(graph, target, explain=False, **given).findings
    return found


def test_a_softmax_that_is_only_denormal_is_no_defect_on_every_engine(tmp_path: Path) -> None:
    with Confirmer(ConfirmationBudget(search=3.0)) as workers:
        found = finding("Softmax", [2, 4], 50.0, confirmer=workers, output=tmp_path)
    assert found.confidence is Confidence.POSSIBLE
    assert found.message == (
        "`log` can receive 0: softmax is denormal, or 0 where those are flushed, in float32 where a logit lies 87 or "
        "more below the largest"
    )
    assert any("keeps denormal numbers" in s and "flush them to 0" in s for s in found.evidence.sentences)


def test_a_run_that_flushes_denormal_numbers_does_not_make_the_verdict() -> None:
    """On processors without AVX-512 a run of ONNX Runtime fails; the finding is the same there."""
    graph = Graph(ir.from_proto(model("Softmax", [2, 4])))
    interpretation = interpret(graph, {"x": ValueRange(-50.0, 50.0)}, options=Options())
    (warning,) = interpretation.warnings
    shown = finding_of(graph, "t", interpretation, warning, (), (), Support("ONNX Runtime: 3 results are not finite"))
    assert shown.confidence is Confidence.POSSIBLE


def test_the_engine_named_does_keep_denormal_numbers() -> None:
    x = np.array([[50.0, -50.0, -50.0, -50.0]], np.float32)
    assert 0 < torch.softmax(torch.from_numpy(x), 1).min() < np.finfo(np.float32).tiny


@pytest.mark.parametrize(
    ("shape", "limit", "text"),
    [
        ([2, 4], 60.0, "softmax is exactly 0 in float32 where a logit lies 104 or more below the largest"),
        ([1, 100_000], 48.0, "softmax of 100000 can be exactly 0 in float32 where logits lie 96 apart"),
    ],
)
def test_a_softmax_that_is_0_says_from_where_on(shape: list[int], limit: float, text: str) -> None:
    found = finding("Softmax", shape, limit, confirm=False)
    assert found.message == f"`log` can receive 0: {text}"
    assert not any("denormal" in s for s in found.evidence.sentences)


def test_many_classes_do_reach_0_where_few_do_not() -> None:
    x = torch.full((1, 100_000), 48.0)
    x[0, 0] = -48.0
    assert float(torch.softmax(x, 1).min()) == 0.0
    assert float(torch.softmax(x[:, :4], 1).min()) > 0.0


def test_a_sigmoid_is_0_sooner_in_one_engine() -> None:
    found = finding("Sigmoid", [4], 20.0, confirm=False)
    assert found.message.endswith("exactly 0 in float32 for inputs below −89, in ONNX Runtime already below −18")
    session = onnxruntime.InferenceSession(
        model("Sigmoid", [2]).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    values = session.run(["p"], {"x": np.array([-18.1, -16.0], np.float32)})[0]
    assert values[0] == 0 < values[1]
    assert float(torch.sigmoid(torch.tensor(-88.0))) > 0
    assert float(torch.sigmoid(torch.tensor(-89.0))) == 0


def test_an_overflow_says_where_the_dtype_ends() -> None:
    proto = helper.make_model(
        helper.make_graph(
            [helper.make_node("Mul", ["x", "x2"], ["y"], name="mul")],
            "g",
            [helper.make_tensor_value_info(n, TensorProto.FLOAT16, [4]) for n in ("x", "x2")],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT16, None)],
        ),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )
    given = {name: InputSpec(range=ValueRange(-1e4, 1e4)) for name in ("x", "x2")}
    target = TargetConfig(id="t", path="t.onnx", inputs=given)
    (found,) = analyse(Graph(ir.from_proto(proto)), target, explain=False, confirm=False).findings
    assert found.message == "`mul` can overflow float16, which ends at 65504"


def test_sizes_whose_types_the_file_does_not_tell_are_no_data() -> None:
    """The chain leads from the model's inputs to the operator; what only says where or how much is no part of it."""
    nodes = [
        helper.make_node("Shape", ["x"], ["sizes"]),
        helper.make_node("Max", ["sizes", "least"], ["larger"]),
        helper.make_node("Slice", ["x", "zero", "larger", "zero"], ["part"]),
        helper.make_node("Relu", ["part"], ["positive"]),
        helper.make_node("Log", ["positive"], ["y"], name="log"),
    ]
    constants = [helper.make_tensor(name, TensorProto.INT64, [1], [n]) for n, name in enumerate(("zero", "least"))]
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", ["n"]), ("y", None))]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    target = TargetConfig(id="t", path="t.onnx", inputs={"x": InputSpec(range=ValueRange(-3, 3))})
    (found,) = analyse(Graph(ir.from_proto(made)), target, explain=False).findings
    assert [row[0] for row in found.evidence.tables[0].rows] == ["x", "positive", "log"]


@pytest.mark.parametrize(
    ("made_by", "said"),
    [
        (None, "its operand `x` lies in [-2, 2]"),
        ("scaled", "its operand, the result of `scaled`, lies in [-2, 2]"),
        ("", "its operand, the result of `Neg`, lies in [-2, 2]"),
        ("blocks/" * 30 + "scale", "blocks/scale`, lies in [-2, 2]"),
    ],
)
def test_what_lies_in_a_range_always_has_a_name(made_by: str | None, said: str) -> None:
    """An input by its own name, a result by its node's, without one by its operator; a long one by its end."""
    nodes = [helper.make_node("Log", ["x" if made_by is None else "n"], ["y"], name="log")]
    if made_by is not None:
        nodes.insert(0, helper.make_node("Neg", ["x"], ["n"], name=made_by))
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in ("x", "y")]
    proto = helper.make_model(
        helper.make_graph(nodes, "g", infos[:1], infos[1:]), opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )
    target = TargetConfig(id="t", path="t.onnx", inputs={"x": InputSpec(range=ValueRange(-2.0, 2.0))})
    (found,) = analyse(Graph(ir.from_proto(proto)), target, explain=False, confirm=False).findings
    assert found.message.endswith(said), found.message
    assert len(found.message) <= 200


@pytest.mark.parametrize(
    ("least", "most", "said", "certain"),
    [(-1.0, 0.0, "receive -1:", False), (-3.0, 0.0, "-1 or a number below", False), (-3.0, -2.0, "below -1:", True)],
)
def test_the_logarithm_of_1_and_a_negative_number_is_no_failure(
    least: float, most: float, said: str, certain: bool
) -> None:
    x = ir.Value(name="x", shape=ir.Shape([3]), type=ir.TensorType(ir.DataType.FLOAT))
    node = ir.Node("tf", "Log1p", [x], name="log")
    node.outputs[0].name = "y"
    inner = ir.Graph([x], list(node.outputs), nodes=[node], opset_imports={"": 20, "tf": 1})
    target = TargetConfig(id="t", path="t.onnx", inputs={"x": InputSpec(range=ValueRange(least, most))})
    graph = Graph(ir.Model(inner, ir_version=10))
    (found,) = analyse(graph, target, explain=False, confirm=False).findings
    assert said in found.message
    assert (found.confidence == Confidence.PROVED) is certain
