"""What shows once another operator is mended that fails for the same values weighs no more than that one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence, Level
from analyzer.graph import Graph, ValueRange
from analyzer.graph.ranges import Origin
from analyzer.numerical.assumptions import as_ranges, assume
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.numerical.confirm.outcome import Standing
from analyzer.numerical.findings import Support, at_an_edge, finding_of, limited
from analyzer.numerical.interpreter import interpret
from analyzer.numerical.repair.together import Revealed, Together
from analyzer.numerical.reported import TargetCase, _behind, _beside, _shares_operand
from analyzer.numerical.result import Options

X = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])
NODES = [
    helper.make_node("Div", ["x", "scale"], ["codes"], name="first"),
    helper.make_node("Floor", ["codes"], ["whole"]),
    helper.make_node("Div", ["whole", "scale"], ["y"], name="second"),
]


@pytest.mark.parametrize(
    ("standing", "level"),
    [
        (Standing(exact=(("scale", "0"),)), Level.NOTE),
        (Standing(reached=""), Level.ERROR),  # the one before it reaches nothing, which says nothing of this one
        (Standing(reached="loss"), Level.ERROR),
    ],
)
def test_a_follower_of_the_same_value_is_no_worse(standing: Standing, level: Level) -> None:
    held = [numpy_helper.from_array(np.float32(2), "scale")]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    proto = helper.make_model(helper.make_graph(NODES, "g", [X], made, held), ir_version=10)
    graph = Graph(ir.from_proto(proto), "torch")
    ranges = {"x": ValueRange(-1, 1), "scale": ValueRange(0, 4, Origin.INFERRED)}
    found = interpret(graph, ranges, options=Options())
    first, second = (w for w in found.warnings if not w.backward)
    assert second.root is first
    support = Support("a run", standing=standing)
    led = finding_of(graph, "t", found, first, (), (), support)
    given = led if limited(led, support) else None
    shown = finding_of(graph, "t", found, replace(second, root=None), (), (), Support(hidden=True, led=given))
    assert (shown.level, shown.confidence) == (level, Confidence.POSSIBLE)
    assert any("`first`" in s for s in shown.evidence.sentences) == (given is not None)


@pytest.mark.parametrize(
    ("shown", "standing", "beyond", "level"),
    [
        ("a run", Standing(reached="loss"), ("x",), Level.WARNING),
        ("a run", Standing(reached="loss"), (), Level.WARNING),  # the root itself may block, and is what is in error
        ("a run", Standing(reached=""), (), Level.ERROR),
        ("", None, ("x",), Level.ERROR),  # nothing shows that the values go past the edge
        ("a run", Standing(exact=(("w", "0"),)), (), Level.ERROR),  # without volume below 0, which says nothing of 0
        ("a run", Standing(reached=""), ("x",), Level.ERROR),  # the root's NaN reaches nothing; infinity may
    ],
)
@pytest.mark.parametrize("other", [False, True])
def test_division_by_a_root_at_the_edge_is_no_worse_than_the_root(
    shown: str, standing: Standing | None, beyond: tuple[str, ...], level: Level, other: bool
) -> None:
    """``1 / sqrt(x)`` where `x` goes below 0: a division by something else is told as before."""
    nodes = [
        helper.make_node("Sqrt", ["x"], ["root"], name="first"),
        helper.make_node("Reciprocal", ["w" if other else "root"], ["y"], name="second"),
    ]
    given = [X, helper.make_tensor_value_info("w", TensorProto.FLOAT, [4])]
    made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("y", "root")]
    proto = helper.make_model(helper.make_graph(nodes, "g", given, made), ir_version=10)
    graph = Graph(ir.from_proto(proto), "torch")
    ranges = {name: ValueRange(-1, 1, Origin.INFERRED) for name in ("x", "w")}
    found = interpret(graph, ranges, options=Options())
    root, divided = (w for w in found.warnings if not w.backward)
    assert divided.root is None
    support = Support(shown, standing=standing, beyond=beyond)
    first = finding_of(graph, "t", found, root, (), (), support)
    edge = at_an_edge(divided, [root, divided], {id(root): (first, support)})
    second = finding_of(graph, "t", found, divided, (), (), Support(edge=edge))
    assert (second.level, second.confidence) == (Level.ERROR if other else level, Confidence.POSSIBLE)
    assert any("exactly 0" in s for s in second.evidence.sentences) == (second.level is Level.WARNING)


@pytest.mark.parametrize(("same", "shares"), [(True, True), (False, False)])
def test_what_fails_beside_another_operator_has_a_run_of_its_own(same: bool, shares: bool) -> None:
    """``cosh(2 a)`` and ``sinh(2 a)``, the operand computed twice: neither stands behind the other."""
    nodes = [
        helper.make_node("Mul", ["x", "two"], ["a"]),
        helper.make_node("Cosh", ["a"], ["c"], name="first"),
        helper.make_node("Mul", ["x" if same else "w", "two"], ["b"]),
        helper.make_node("Sinh", ["b"], ["s"], name="second"),
        helper.make_node("Sub", ["c", "s"], ["y"]),
    ]
    given = [X, helper.make_tensor_value_info("w", TensorProto.FLOAT, [4])]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    two = [numpy_helper.from_array(np.float32(2), "two")]
    opsets = [helper.make_opsetid("", 20)]
    proto = helper.make_model(helper.make_graph(nodes, "g", given, made, two), ir_version=10, opset_imports=opsets)
    graph = Graph(ir.from_proto(proto))
    target = TargetConfig(id="t", entry="t.py:build")
    assumptions, options = assume(graph, target), Options()
    found = interpret(graph, as_ranges(assumptions), options=options)
    first = next(w for w in found.warnings if w.node.name == "first")
    assert [w.node.name for w in found.warnings] == ["first"] if same else ["first", "second"]
    case = TargetCase(graph, target, assumptions, found, options, ConfirmationBudget(search=4.0), None, Path(), None)
    own = replace(first, node=next(n for n in graph.graph if n.name == "second"))
    assert _shares_operand(case, own, [first]) == shares
    with Confirmer(case.budget) as confirmer:
        told = _beside(case, Revealed(own, own, None), None, confirmer)  # type: ignore[arg-type]
    assert told is not None
    assert (told.node, told.level, told.confidence) == ("second", Level.ERROR, Confidence.CONFIRMED)
    assert "A real run shows it" in told.evidence.sentences[0]


@pytest.mark.parametrize(
    ("second", "axis", "alike"), [("mask", -1, True), ("mask", 1, True), ("mask", 0, False), ("other", -1, False)]
)
def test_layers_of_one_mask_weigh_alike(second: str, axis: int, alike: bool) -> None:
    """What shows once the first is mended blocks nothing where a batch that the mask hides is unlike the example."""
    nodes = [
        helper.make_node("Where", ["mask", "x", "low"], ["a"]),
        helper.make_node("Softmax", ["a"], ["p"], axis=-1, name="first"),
        helper.make_node("ReduceMax", ["p"], ["most"], keepdims=0),
        helper.make_node("Mul", ["most", "x"], ["more"]),
        helper.make_node("Where", [second, "more", "low"], ["b"]),
        helper.make_node("Softmax", ["b"], ["y"], axis=axis, name="second"),
    ]
    given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])]
    given += [helper.make_tensor_value_info(name, TensorProto.BOOL, [2, 4]) for name in ("mask", "other")]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    low = [numpy_helper.from_array(np.float32(-np.inf), "low")]
    opsets = [helper.make_opsetid("", 20)]
    proto = helper.make_model(helper.make_graph(nodes, "g", given, made, low), ir_version=10, opset_imports=opsets)
    graph, target = Graph(ir.from_proto(proto), "torch"), TargetConfig(id="t", entry="t.py:build")
    assumptions, options = assume(graph, target), Options()
    found = interpret(graph, as_ranges(assumptions), options=options)
    first = next(w for w in found.warnings if w.node.name == "first")
    case = TargetCase(graph, target, assumptions, found, options, ConfirmationBudget(search=4.0), None, Path(), None)
    own = replace(first, node=next(n for n in graph.graph if n.name == "second"))
    support = Support("a run", standing=Standing(reached="y"), beyond=("mask",))
    led = finding_of(graph, "t", found, first, assumptions, (), support)
    after = Together(graph, found, frozenset())
    told = _behind(case, Revealed(own, own, after), None, {id(first): (led, support)})
    assert (led.level, told.level) == (Level.WARNING, Level.WARNING if alike else Level.ERROR)
