"""What fails only at one exact weight, or reaches nothing, is a note; what fails on a volume of weights blocks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.graph.model import SHOWN, SPAN, UNTRAINED
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.numerical.confirm.consequences import reached
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.nearby import drawn_anew
from analyzer.numerical.confirm.objective import LOWEST, ZERO
from analyzer.numerical.confirm.points import array_of, probes, usual
from analyzer.numerical.confirm.position import nearer
from analyzer.numerical.confirm.problem import SearchProblem
from analyzer.numerical.confirm.search import TorchTrials, candidates, evaluated
from analyzer.numerical.confirm.trials import RunVerdict
from analyzer.numerical.findings import NOT_REACHED

N = helper.make_node
RNG = np.random.default_rng(0)
W = RNG.standard_normal((4, 4)).astype(np.float32)


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        yield confirmer


def review(
    workers: Confirmer,
    nodes: list[Any],
    losses: tuple[str, ...] = (),
    range_: tuple[float, float] = (-1, 1),
    kind: int = TensorProto.FLOAT,
    more: tuple[str, ...] = (),
    told: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    shown: str = "",
    **weights: Any,
) -> dict[str, Finding]:
    """Rule -> finding of a model of code (its weights are trained), after a search."""
    used = [numpy_helper.from_array(np.asarray(v, np.float32), n) for n, v in weights.items()]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 4]) for n in ("x", *more)]
    outputs = [helper.make_tensor_value_info(n, kind, None) for n in dict.fromkeys(("y", *losses))]
    graph = helper.make_graph(nodes, "g", inputs, outputs, used)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    stated = {} if shown else {"x": InputSpec(range=ValueRange(*range_))}
    target = TargetConfig(id="t", entry="t.py:build", inputs=stated)
    model = ir.from_proto(proto)
    if shown:  # by an example instead
        model.graph.inputs[0].metadata_props.update({SPAN: shown, SHOWN: f"{shown} 8"})
    for node in model.graph:
        if node.op_type.startswith("Random"):
            node.outputs[0].shape = ir.Shape([2, 4])
    for name, properties in told.items():
        model.graph.initializers[name].metadata_props.update(properties)
    found = analyse(Graph(model, "torch", losses=losses), target, explain=False, confirmer=workers)
    return {f.rule.removeprefix("numerical/"): f for f in found.findings}


def test_a_bound_taken_from_a_batch_is_0_where_the_batch_is(workers: Confirmer) -> None:
    """``p.clamp_min(eps * p.max())``: inputs may stand at exact values."""
    nodes = [
        N("Relu", ["x"], ["p"]),
        N("ReduceMax", ["p"], ["most"], keepdims=0),
        N("Mul", ["most", "eps"], ["least"]),
        N("Max", ["p", "least"], ["clipped"]),
        N("Log", ["clipped"], ["y"]),
    ]
    found = review(workers, nodes, eps=1e-6)["log-of-nonpositive"]
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)
    assert "log-of-nonpositive" not in review(workers, nodes, range_=(0.1, 1), eps=1e-6)


def test_a_temperature_that_is_exactly_0_is_a_note_that_names_it(workers: Confirmer) -> None:
    found = review(workers, [N("Div", ["x", "t"], ["y"])], t=1.0)["division-by-zero"]
    assert (found.level, found.confidence) == (Level.NOTE, Confidence.CONFIRMED)
    assert any("`t` is 0 exactly" in s for s in found.evidence.sentences)


def test_a_column_of_weights_that_is_all_0_is_a_note(workers: Confirmer) -> None:
    nodes = [
        N("Abs", ["w"], ["a"]),
        N("ReduceSum", ["a", "axis"], ["s"]),
        N("Div", ["w", "s"], ["n"]),
        N("MatMul", ["x", "n"], ["y"]),
    ]
    constant = numpy_helper.from_array(np.array([0]), "axis")
    nodes.insert(0, N("Constant", [], ["axis"], value=constant))
    assert review(workers, nodes, w=W)["division-by-zero"].level is Level.NOTE


def test_a_deviation_that_training_may_drive_through_0_blocks(workers: Confirmer) -> None:
    nodes = [N("Log", ["s"], ["l"]), N("Mul", ["x", "l"], ["y"])]
    found = review(workers, nodes, s=np.ones(4))["log-of-nonpositive"]
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)
    assert any("`s` from 1 to " in s for s in found.evidence.sentences)


def test_inputs_may_stand_at_exact_values(workers: Confirmer) -> None:
    nodes = [N("MatMul", ["x", "w"], ["h"]), N("ReduceL2", ["h"], ["n"]), N("Div", ["h", "n"], ["y"])]
    assert review(workers, nodes, w=W)["division-by-zero"].level is Level.ERROR  # x = 0


@pytest.mark.parametrize(("saturated", "level"), [(False, Level.WARNING), (True, Level.ERROR)])
def test_an_input_may_equal_what_the_model_computes_of_the_others(
    workers: Confirmer, saturated: bool, level: Level
) -> None:
    """A distance between a prediction and its target is 0 where no descent ends exactly, at all weights.

    A target meets the numbers of a layer in no data, but the ends at which its activation is saturated.
    """
    nodes = [
        N("Gemm", ["x", "w", "b"], ["h"]),
        N("Tanh", ["h"], ["p"]) if saturated else N("Identity", ["h"], ["p"]),
        N("Sub", ["p", "target"], ["d"]),
        N("ReduceL2", ["d"], ["n"], keepdims=0),
        N("Div", ["x", "n"], ["y"]),
    ]
    weight = 60 * W if saturated else W
    found = review(workers, nodes, more=("target",), w=weight, b=RNG.standard_normal(4))["division-by-zero"]
    assert (found.level, found.confidence) == (level, Confidence.CONFIRMED)


def test_an_input_may_equal_a_saturated_prediction() -> None:
    """Engines round a hyperbolic tangent differently, but where it is 1 or -1."""
    nodes = [N("MatMul", ["x", "w"], ["g"]), N("Tanh", ["g"], ["h"]), N("Sub", ["h", "target"], ["d"])]
    nodes += [N("ReduceL2", ["d"], ["n"], keepdims=0), N("Reciprocal", ["n"], ["y"])]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 4]) for n in ("x", "target")]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    leaves = tuple(Leaf(n, (2, 4), "FLOAT", -90, 90, "input", W[:2] / 9) for n in ("x", "target"))
    problem = SearchProblem(ir.from_proto(model), leaves, ("n",), ("y",), (0, ZERO))
    found = islice(candidates(problem, 0, math.inf), 12)  # before any descent
    assert any(bool((point["target"].abs() == 1).all()) for point in found)


def test_blank_inputs_are_tried_beside_an_extreme_one() -> None:
    """A softmax of equal numbers to the 100th power vanishes; at random numbers one of them is near 1."""
    nodes = [N("Softmax", ["x"], ["p"]), N("Pow", ["p", "strength"], ["q"]), N("ReduceSum", ["q"], ["y"])]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 4]) for n in ("x", "strength")]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs), opset_imports=[helper.make_opsetid("", 20)]
    )
    leaves = (Leaf("x", (2, 4), "FLOAT", -9, 9, "input", None), Leaf("strength", (2, 4), "FLOAT", 1, 99, "input", None))
    problem = SearchProblem(ir.from_proto(model), leaves, ("y",), ("y",), (-1, LOWEST))
    found = [problem.value(point, "y") for point in probes(problem, 0)]
    assert any(float(y) == 0 for y in found)


def test_a_part_of_a_sequence_is_searched(workers: Confirmer) -> None:
    """What `chunk` makes: the search has gradients through it, and the engine's run tells by the parts."""
    nodes = [
        N("Constant", [], ["two"], value=numpy_helper.from_array(np.array(2), "two")),
        N("Constant", [], ["first"], value=numpy_helper.from_array(np.array(0), "first")),
        N("MatMul", ["x", "w"], ["h"]),
        N("SplitToSequence", ["h", "two"], ["s"], axis=-1),
        N("SequenceAt", ["s", "first"], ["p"]),
        N("Exp", ["p"], ["y"]),
    ]
    found = review(workers, nodes, range_=(-100, 100), w=W)["exp-overflow"]
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)


def test_the_nearest_failing_weights_fail_in_pytorch_itself() -> None:
    """Not only where engines differ (denormal numbers): the rest of the model is run by PyTorch."""
    import torch

    nodes = [N("Exp", ["w"], ["p"]), N("Log", ["p"], ["y"])]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in "wy"]
    model = helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:]), ir_version=10)
    leaf = Leaf("w", (3,), "FLOAT", -300.0, 300.0, "parameter", np.zeros(3, np.float32), True)
    problem = SearchProblem(ir.from_proto(model), (leaf,), ("p",), ("y",), (0, LOWEST))
    found, _ = nearer(TorchTrials(problem), {"w": torch.full((3,), -300.0)})
    assert evaluated(problem, found, exactly=True) is RunVerdict.FAILS


NORMAL = N("RandomNormalLike", ["x"], ["r"])
UNIFORM = N("RandomUniformLike", ["x"], ["r"])


@pytest.mark.parametrize(
    ("nodes", "level"),
    [
        # the norm of four normal numbers is never 0
        ([NORMAL, N("ReduceL2", ["r", "axis"], ["n"]), N("Div", ["x", "n"], ["y"])], Level.NOTE),
        # one uniform number is, once in 2 ** 24
        ([UNIFORM, N("Log", ["r"], ["y"])], Level.ERROR),
        # a maximum of four normal numbers is below 0 on a volume of them
        ([NORMAL, N("ReduceMax", ["r", "axis"], ["n"]), N("Log", ["n"], ["y"])], Level.ERROR),
        # what fails for inputs fails whatever is drawn
        ([NORMAL, N("Mul", ["r", "zero"], ["m"]), N("Add", ["x", "m"], ["n"]), N("Log", ["n"], ["y"])], Level.ERROR),
    ],
)
def test_several_random_numbers_are_never_exact_together(workers: Confirmer, nodes: list[Any], level: Level) -> None:
    axis = N("Constant", [], ["axis"], value=numpy_helper.from_array(np.array([1]), "axis"))
    zero = N("Constant", [], ["zero"], value=numpy_helper.from_array(np.array(0, np.float32), "zero"))
    (found,) = review(workers, [axis, zero, *nodes]).values()
    assert (found.level, found.confidence) == (level, Confidence.CONFIRMED)
    assert any("`r` is 0 exactly" in s for s in found.evidence.sentences) is (level is Level.NOTE)


@pytest.mark.parametrize(
    ("nodes", "level"),
    [
        (
            [NORMAL, N("Mul", ["r", "w"], ["m"]), N("ReduceL2", ["m", "axis"], ["n"]), N("Div", ["x", "n"], ["y"])],
            Level.NOTE,
        ),
        (
            [NORMAL, N("Mul", ["x", "w"], ["m"]), N("ReduceL2", ["m", "axis"], ["n"]), N("Div", ["r", "n"], ["y"])],
            Level.ERROR,
        ),
        ([UNIFORM, N("Mul", ["r", "w"], ["m"]), N("Abs", ["m"], ["n"]), N("Log", ["n"], ["y"])], Level.ERROR),
    ],
)
def test_random_numbers_chosen_for_moved_weights_are_ordinary_too(
    workers: Confirmer, nodes: list[Any], level: Level
) -> None:
    """It fails where weights are 0, whatever is drawn, and at moved weights for one draw of several numbers alone."""
    axis = N("Constant", [], ["axis"], value=numpy_helper.from_array(np.array([1]), "axis"))
    assert [f.level for f in review(workers, [axis, *nodes], w=np.ones(4)).values()] == [level]


def test_units_that_are_dead_have_volume(workers: Confirmer) -> None:
    nodes = [
        N("Gemm", ["x", "w", "b"], ["h"]),
        N("Relu", ["h"], ["r"]),
        N("ReduceSum", ["r"], ["s"]),
        N("Div", ["r", "s"], ["y"]),
    ]
    found = review(workers, nodes, w=W, b=np.zeros(4))["division-by-zero"]
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)


def test_what_fails_where_training_starts_blocks_at_exact_values_too(workers: Confirmer) -> None:
    nodes = [N("ReduceL2", ["w"], ["n"]), N("Div", ["w", "n"], ["u"]), N("MatMul", ["x", "u"], ["y"])]
    assert review(workers, nodes, w=np.zeros((4, 4)))["division-by-zero"].level is Level.ERROR


def test_an_infinity_that_reaches_no_result_is_a_note(workers: Confirmer) -> None:
    """1 / x > x is a truth value for x = 0 as well; nothing has a gradient."""
    nodes = [
        N("Reciprocal", ["x"], ["r"]),
        N("Greater", ["r", "x"], ["g"]),
        N("Cast", ["g"], ["y"], to=TensorProto.FLOAT),
    ]
    found = review(workers, nodes)["division-by-zero"]
    assert found.level is Level.NOTE
    assert NOT_REACHED in found.evidence.sentences


def test_a_gradient_is_reached(workers: Confirmer) -> None:
    nodes = [N("Mul", ["x", "w"], ["h"]), N("Reciprocal", ["h"], ["r"]), N("Tanh", ["r"], ["y"])]
    found = review(workers, nodes, w=np.ones(4) * 2)["where-leaks-nan-gradient"]  # the forward value is excused
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)


def test_a_comparison_of_nan_is_reached(workers: Confirmer) -> None:
    nodes = [N("Sqrt", ["x"], ["s"]), N("Greater", ["s", "x"], ["g"]), N("Cast", ["g"], ["y"], to=TensorProto.FLOAT)]
    assert review(workers, nodes)["sqrt-of-negative"].level is Level.ERROR


def test_what_follows_a_failure_that_blocks_nothing_blocks_by_itself(workers: Confirmer) -> None:
    """x / s fails where s is exactly 0, which is a note; log(s) fails below 0 as well."""
    nodes = [N("Div", ["x", "s"], ["q"]), N("Log", ["s"], ["l"]), N("Add", ["q", "l"], ["y"])]
    found = review(workers, nodes, s=np.ones(4))
    assert found["division-by-zero"].level is Level.NOTE
    assert (found["log-of-nonpositive"].level, len(found)) == (Level.ERROR, 2)


PICKED = (
    N("Log", ["steps"], ["l"]),  # of 0 to 3: its -inf is not what `Where` takes
    N("Less", ["steps", "one"], ["small"]),
    N("Cast", ["l"], ["whole"], to=TensorProto.INT64),
    N("Cast", ["steps"], ["itself"], to=TensorProto.INT64),
    N("Where", ["small", "itself", "whole"], ["place"]),
    N("Gather", ["w", "place"], ["g"], axis=0),
    N("ReduceSum", ["g"], ["total"], keepdims=0),
)


def test_a_failure_that_is_not_taken_is_a_note_beside_another_that_reaches_the_result(workers: Confirmer) -> None:
    nodes = [*PICKED, N("Sqrt", ["x"], ["s"]), N("Add", ["s", "total"], ["y"])]
    found = review(workers, nodes, steps=np.arange(4), one=1, w=W)
    assert found["sqrt-of-negative"].level is Level.ERROR
    assert found["log-of-nonpositive"].level is Level.NOTE
    assert NOT_REACHED in found["log-of-nonpositive"].evidence.sentences


def test_each_of_two_failures_that_reach_the_result_blocks(workers: Confirmer) -> None:
    nodes = [
        N("Mul", ["x", "c"], ["h"]),
        N("Exp", ["h"], ["e"]),
        N("Tanh", ["e"], ["t"]),
        N("Sqrt", ["x"], ["s"]),
        N("Add", ["s", "e"], ["a"]),
        N("Add", ["a", "t"], ["y"]),
    ]
    found = review(workers, nodes, range_=(-100, 100), c=2)
    assert {r for r, f in found.items() if f.level is Level.ERROR} == {"exp-overflow", "sqrt-of-negative"}


def test_what_another_failure_absorbs_has_not_died_out() -> None:
    """One element of two meets the NaN of a root, the other is not taken: without the root the first would be seen."""
    import torch

    nodes = [N("Exp", ["x"], ["e"]), N("Sqrt", ["z"], ["s"]), N("Add", ["e", "s"], ["a"])]
    nodes += [N("Where", ["first", "a", "z"], ["y"])]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xzy"]
    first = numpy_helper.from_array(np.array([True, False]), "first")
    model = helper.make_model(helper.make_graph(nodes, "g", values[:2], values[2:], [first]), ir_version=10)
    leaves = tuple(Leaf(n, (2,), "FLOAT", -100.0, 100.0, "input", None) for n in "xz")
    problem = SearchProblem(ir.from_proto(model), leaves, ("x",), ("e",), (-1, LOWEST), results=("y",))
    witness = {"x": torch.tensor([99.0, 99.0]), "z": torch.tensor([-1.0, 1.0])}
    assert reached(problem, witness, 0, "e") == "`y` is not finite"
    assert reached(problem, {**witness, "x": torch.tensor([1.0, 99.0]), "z": torch.ones(2)}, 0, "e") == ""


ONES = np.ones(4)
WIDE = np.array([0.05, 1.0, 20.0, 50.0])  # none below 0, and the range of each goes down to -50


def deviation(workers: Confirmer, sign: float, least: float, start: Any, **told: str) -> Finding:
    """What is said of ``log(s - least)`` where the loss is ± s: it pulls the deviation s towards 0, or away."""
    nodes = [
        N("Sub", ["s", "least"], ["d"]),
        N("Log", ["d"], ["l"]),
        N("Mul", ["l", "tiny"], ["t"]),
        N("Mul", ["s", "sign"], ["p"]),
        N("Add", ["t", "p"], ["z"]),
        N("Mul", ["x", "s"], ["y"]),
        N("Add", ["z", "shift"], ["shifted"]),
        N("ReduceSum", ["shifted"], ["loss"], keepdims=0),
    ]
    for name, value in (("tiny", 1e-3), ("sign", sign), ("least", least)):
        nodes.insert(0, N("Constant", [], [name], value=numpy_helper.from_array(np.array(value, np.float32))))
    return review(workers, nodes, ("loss",), told={"s": told}, s=start, shift=ONES)["log-of-nonpositive"]


@pytest.mark.parametrize(
    ("sign", "least", "start", "level"),
    [
        (1.0, 0.0, ONES, Level.ERROR),
        (-1.0, 0.0, ONES, Level.NOTE),  # all of the way to the end of its range
        (1.0, 0.0, WIDE, Level.ERROR),
        (-1.0, 0.0, WIDE, Level.WARNING),  # a small part of the range, and the sign that all values have
    ],
)
def test_weights_that_have_to_go_far_are_weighed_against_training(
    workers: Confirmer, sign: float, least: float, start: Any, level: Level
) -> None:
    found = deviation(workers, sign, least, start)
    assert (found.level, found.confidence) == (level, Confidence.CONFIRMED)
    said = " ".join(found.evidence.sentences)
    assert ("short training runs of the model's own loss" in said) == (level in (Level.WARNING, Level.NOTE))
    assert bool(re.search(r"training run .* fails there: (Adam|SGD), rate 0\.\d+, .* step \d+", said)) == (sign > 0)


@pytest.mark.parametrize("least", [0.4, 0.7])
def test_weights_on_their_way_need_no_training_to_be_believed(workers: Confirmer, least: float) -> None:
    """Neither at the end of their range nor of another sign: how far a search goes is no measure of what fails."""
    found = deviation(workers, -1.0, least, ONES)
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)
    assert "training run" not in " ".join(found.evidence.sentences)


EXPONENTIAL = [  # the loss pulls the exponential down, from 40 times the input on that fails
    N("MatMul", ["x", "w"], ["h"]),
    N("Exp", ["h"], ["y"]),
    N("ReduceMean", ["y"], ["loss"], keepdims=0),
]
QUARTERS = np.full((4, 4), 0.5, np.float32)  # 2 x at the start, 4 x at the far end


@pytest.mark.parametrize(("size", "level"), [(100, Level.ERROR), (30, Level.ERROR), (23, Level.NOTE)])
def test_inputs_alone_are_searched_where_training_starts(workers: Confirmer, size: float, level: Level) -> None:
    """At the start, on the way, and at the far end of the range alone."""
    found = review(workers, EXPONENTIAL, ("loss",), range_=(-size, size), w=QUARTERS)["exp-overflow"]
    assert (found.level, found.confidence) == (level, Confidence.CONFIRMED)
    assert any("Weights moved" in s for s in found.evidence.sentences) == (size < 100)


BOUNDED = [  # 40 at the start and 160 at the far ends; the loss pulls the exponential down
    N("Tanh", ["x"], ["u"]),
    N("MatMul", ["u", "w"], ["h"]),
    N("MatMul", ["h", "v"], ["g"]),
    N("Exp", ["g"], ["y"]),
    N("ReduceMean", ["y"], ["loss"], keepdims=0),
]


@pytest.mark.parametrize(
    ("losses", "second", "level"),
    [(("loss",), 5.0, Level.WARNING), ((), 5.0, Level.WARNING), (("loss",), 9.0, Level.ERROR)],
)
def test_weights_that_go_together_are_weighed_against_weights_drawn_at_random(
    workers: Confirmer, losses: tuple[str, ...], second: float, level: Level
) -> None:
    """Inputs cannot drive it, and it takes all weights at almost half of their way; from 72 on some draws fail."""
    found = review(workers, BOUNDED, losses, (-100, 100), w=QUARTERS, v=np.full((4, 4), second))["exp-overflow"]
    assert (found.level, found.confidence) == (level, Confidence.CONFIRMED)
    said = " ".join(found.evidence.sentences)
    assert ("at random from all of their ranges" in said) == (level is Level.WARNING)


def test_large_inputs_are_tried_where_an_example_is_small(workers: Confirmer) -> None:
    """Up to 23 by the example, where the weights would have to go to their ends; a person tries 100 as well."""
    found = review(workers, EXPONENTIAL, ("loss",), shown="-2.3 2.3", w=QUARTERS)["exp-overflow"]
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)
    assert not any("Weights moved" in s or "takes values" in s for s in found.evidence.sentences)


def _confined(way: float, start: Any) -> Leaf:
    return Leaf("w", (2,), "FLOAT", -1.0, 3.0, "parameter", np.asarray(start, np.float32), True, way=way)


def test_a_confined_weight_goes_a_part_of_its_way() -> None:
    low, high = _confined(0.25, [0.0, 1.0]).ends
    assert (low.tolist(), high.tolist()) == ([-0.25, 0.5], [0.75, 1.5])
    assert array_of(_confined(0.25, [0.0, 1.0]), 9.0).tolist() == [0.75, 1.5]
    assert array_of(_confined(1.0, [0.0, 1.0]), 9.0).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(("numbers", "kept"), [(np.arange(12.0), True), (np.ones(12), True), (W.reshape(-1), False)])
def test_weights_are_drawn_anew_but_not_those_in_order(numbers: Any, kept: bool) -> None:
    leaf = Leaf("w", (numbers.size,), "FLOAT", -99.0, 99.0, "parameter", numbers.astype(np.float32), True)
    node = N("Log", ["w"], ["y"])
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [numbers.size]) for n in "wy"]
    model = helper.make_model(helper.make_graph([node], "g", values[:1], values[1:]), ir_version=10)
    problem = SearchProblem(ir.from_proto(model), (leaf,), ("w",), ("y",), (0, LOWEST))
    found = drawn_anew(TorchTrials(problem), np.random.default_rng(0))
    assert (not found) == kept
    if found:
        assert sorted(found["w"].tolist()) == sorted(numbers.tolist()) != found["w"].tolist()


def test_training_leaves_weights_without_a_gradient_as_they_are(workers: Confirmer) -> None:
    """The loss pulls at the deviation, and its weight is one that the model's code does not train."""
    assert deviation(workers, 1.0, 0.0, WIDE, **{UNTRAINED: "1"}).level is Level.WARNING


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("weight", [W / 5, np.abs(W) / 8 + 1e-3])  # of one sign, which some lose on the way
def test_an_exponential_of_a_layer_blocks_whether_short_training_shows_it_or_not(
    workers: Confirmer, sign: float, weight: Any
) -> None:
    """A few percent of weight movement and inputs of 100: the loss may even pull the other way."""
    nodes = [
        N("Constant", [], ["sign"], value=numpy_helper.from_array(np.array(sign * 1e-3, np.float32))),
        N("MatMul", ["x", "w"], ["h"]),
        N("Exp", ["h"], ["y"]),
        N("Mul", ["y", "sign"], ["z"]),
        N("ReduceMean", ["z"], ["loss"], keepdims=0),
    ]
    found = review(workers, nodes, ("loss",), range_=(-100, 100), w=weight)["exp-overflow"]
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)


def test_training_sees_features_of_the_size_of_their_examples() -> None:
    leaf = Leaf("x", (50, 2), "FLOAT", -1000, 1000, shown=((-300.0, 500.0), (0.1, 0.2)))
    ordinary = usual(leaf, np.random.default_rng(0))
    assert 100 < np.abs(ordinary[:, 0]).max() <= 500
    assert 0.1 <= ordinary[:, 1].min() <= ordinary[:, 1].max() <= 0.2
    whole = usual(Leaf("n", (50,), "INT64", 0, 1000, shown=((2.0, 5.0),)), np.random.default_rng(0))
    assert set(whole.tolist()) == {2, 3, 4, 5}
