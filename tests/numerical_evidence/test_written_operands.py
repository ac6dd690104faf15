"""An operand is called as its source line calls it, where that line applies the operator once."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir
import pytest
from onnx import TensorProto, helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Location
from analyzer.graph import Graph, ValueRange
from analyzer.graph.model import set_location
from analyzer.numerical.analysis import analyse
from analyzer.numerical.written_operands import written_operand


@pytest.mark.parametrize(
    ("operator", "index", "line", "said"),
    [
        ("Log", 0, "return torch.log(p)", "p"),
        ("Log", 0, "return p.log()", "p"),
        ("Log", 0, "return log(1 - p)", "1 - p"),
        ("Log", 0, "return torch.log(self.scale[0])", "self.scale[0]"),
        ("Div", 1, "return x / (a + b)", "a + b"),
        ("Div", 1, "return torch.div(x, total)", "total"),
        ("Div", 0, "return x / total", "x"),
        ("Reciprocal", 0, "return 1 / total", "total"),  # PyTorch's own form of a number by a tensor
        ("Log", 0, "return torch.log(torch.sigmoid(p))", ""),  # the operator's name says more
        ("Log", 0, "return torch.log(p) + torch.log(q)", ""),  # which of the two is not known
        ("Log", 0, "return torch.log(p) + torch.log(p)", "p"),
        ("Log", 0, "return torch.log2(p)", ""),
        ("Log", 0, "return helper(p)", ""),
        ("Log", 0, "return torch.log(" + "+".join(["probability"] * 9) + ")", ""),
        ("Log", 0, "return torch.log(3.0)", ""),
        ("Log", 0, "def (", ""),
    ],
)
def test_what_a_line_shows(operator: str, index: int, line: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(f"import torch\ndef f(self, x, p, q, a, b, total):\n    {line}\n")
    node = ir.Node("", operator, [None, None])
    assert written_operand(tmp_path, node, index) == ""  # made by no line
    set_location(node, Location("net.py", 3))
    assert written_operand(tmp_path, node, index) == said


def test_the_message_has_it(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch\ndef f(x):\n    y = x + 1e-5\n    return torch.log(y - 1)\n")
    nodes = [helper.make_node("Mul", ["x", "x"], ["y"]), helper.make_node("Log", ["y"], ["z"], name="log")]
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [4]), ("z", None))]
    proto = helper.make_graph(nodes, "g", infos[:1], infos[1:])
    graph = Graph(ir.from_proto(helper.make_model(proto, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)))
    set_location(graph.graph.node(1), Location("net.py", 4))
    target = TargetConfig(id="t", path="t.onnx", inputs={"x": InputSpec(range=ValueRange(-1, 1))})
    (found,) = analyse(graph, target, explain=False, confirm=False, root=tmp_path).findings
    assert found.message == "`log` can receive 0: its operand `y - 1` lies in [0, 1]"
