"""An input of which nobody stated a range: what its example does not show makes a failure a warning, not an error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.graph.model import FILLED, ONE_HOT, ORDER, SHOWN, SPAN, TRUTHS
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer

N = helper.make_node
OPSET = {"opset_imports": [helper.make_opsetid("", 20)], "ir_version": 10}
Range = tuple[float, float]


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        yield confirmer


def review(
    workers: Confirmer, nodes: list[Any], example: Range | None, declared: Range | None = None
) -> dict[str, Finding]:
    """Rule -> finding of a model of x whose example lies between the two numbers."""
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy"]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:])
    model = ir.from_proto(helper.make_model(graph, **OPSET))
    if example is not None:
        model.graph.inputs[0].metadata_props[SPAN] = f"{example[0]!r} {example[1]!r}"
    inputs = {"x": InputSpec(range=ValueRange(*declared))} if declared is not None else {}
    target = TargetConfig(id="t", entry="t.py:build", inputs=inputs)
    found = analyse(Graph(model, "torch"), target, explain=False, confirmer=workers)
    return {f.rule.removeprefix("numerical/"): f for f in found.findings}


def levels(found: dict[str, Finding]) -> dict[str, Level]:
    return {rule: f.level for rule, f in found.items() if not rule.startswith("gradient")}


@pytest.mark.parametrize(
    ("example", "declared", "level"),
    [
        ((-2.0, 3.0), None, Level.WARNING),  # up to 30
        ((-2.0, 9.0), None, Level.ERROR),  # up to 90
        (None, None, Level.ERROR),
        ((-2.0, 3.0), (-100.0, 100.0), Level.ERROR),
    ],
)
def test_what_takes_inputs_much_larger_than_their_example_is_a_warning(
    workers: Confirmer, example: Range | None, declared: Range | None, level: Level
) -> None:
    found = review(workers, [N("Exp", ["x"], ["y"])], example, declared)["exp-overflow"]
    assert (found.level, found.confidence) == (level, Confidence.CONFIRMED)
    assert any("declare the true one" in s and "`x`" in s for s in found.evidence.sentences) == (level is Level.WARNING)


@pytest.mark.parametrize(
    ("example", "level"), [((-1.0, 1.0), Level.WARNING), ((-3.0, 3.0), Level.ERROR), (None, Level.ERROR)]
)
def test_what_no_run_shows_weighs_less_where_inputs_close_to_the_example_are_safe(
    workers: Confirmer, example: Range | None, level: Level
) -> None:
    """1 / (E[x²] - E[x]² + c), where c exceeds what rounding can do to squares of up to 2², not of 6²."""
    nodes = [
        N("Mul", ["x", "x"], ["squares"]),
        N("ReduceMean", ["squares"], ["square"], keepdims=1),
        N("ReduceMean", ["x"], ["mean"], keepdims=1),
        N("Mul", ["mean", "mean"], ["other"]),
        N("Sub", ["square", "other"], ["variance"]),
        N("Constant", [], ["c"], value_float=1e-5),
        N("Add", ["variance", "c"], ["below"]),
        N("Div", ["x", "below"], ["y"]),
    ]
    found = review(workers, nodes, example)["division-by-zero"]
    assert (found.level, found.confidence) == (level, Confidence.POSSIBLE)
    assert any("more than 2 times" in s for s in found.evidence.sentences) == (level is Level.WARNING)


@pytest.mark.parametrize(("example", "level"), [((0.1, 1.0), Level.WARNING), ((-1.0, 1.0), Level.ERROR)])
def test_a_sign_that_the_example_does_not_show_is_a_warning(workers: Confirmer, example: Range, level: Level) -> None:
    assert levels(review(workers, [N("Sqrt", ["x"], ["y"])], example)) == {"sqrt-of-negative": level}


@pytest.mark.parametrize(
    ("example", "level"),
    [
        ((0.0, 1.0), Level.ERROR),
        ((0.01, 1.0), Level.ERROR),
        ((0.5, 1.0), Level.WARNING),
        ((-1.0, -0.5), Level.WARNING),
        ((500.0, 600.0), Level.WARNING),
        ((5000.0, 6000.0), Level.ERROR),  # the default range ends before a tenth of it: the example tells nothing
    ],
)
def test_zeros_are_data_unless_the_example_keeps_away_from_0(workers: Confirmer, example: Range, level: Level) -> None:
    assert levels(review(workers, [N("Reciprocal", ["x"], ["y"])], example)) == {"division-by-zero": level}


def test_what_fails_on_inputs_like_the_example_does_not_hide_behind_what_does_not(workers: Confirmer) -> None:
    nodes = [N("Sqrt", ["x"], ["s"]), N("Log", ["x"], ["l"]), N("Add", ["s", "l"], ["y"])]
    assert levels(review(workers, nodes, (-1.0, 1.0))) == {"sqrt-of-negative": Level.ERROR}  # with the logarithm
    found = levels(review(workers, nodes, (0.01, 1.0)))
    assert found == {"sqrt-of-negative": Level.WARNING, "log-of-nonpositive": Level.ERROR}


@pytest.mark.parametrize(
    ("name", "shown", "node", "level"),
    [
        ("target_scale", "0.02 2.0 4", N("Reciprocal", ["x"], ["y"]), Level.WARNING),  # a scale is above 0
        ("lengths", "3.0 5.0 2", N("Reciprocal", ["x"], ["y"]), Level.WARNING),
        ("lengths", "0.0 5.0 2", N("Reciprocal", ["x"], ["y"]), Level.ERROR),
        ("temperature", "1.0 1.0 1", N("Log", ["x"], ["y"]), Level.WARNING),
        ("features", "1.0 1.0 4", N("Log", ["x"], ["y"]), Level.ERROR),  # one number says nothing
        ("features", "0.02 2.0 4", N("Reciprocal", ["x"], ["y"]), Level.ERROR),
        ("features", "0.4 2.0 4", N("Reciprocal", ["x"], ["y"]), Level.WARNING),  # a quantity, as it stands
        ("features", "0.0 2.0 4", N("Reciprocal", ["x"], ["y"]), Level.ERROR),  # 0 is data
        ("features", "0.02 2.0 4", N("Sqrt", ["x"], ["y"]), Level.WARNING),  # read at once: the sign is told
        ("features", "-0.5 2.0 4", N("Sqrt", ["x"], ["y"]), Level.ERROR),
        ("features", "0.5 2.0 4", N("Exp", ["x"], ["y"]), Level.ERROR),  # but not the size
        ("probabilities", "0.1 0.8 4", N("Acosh", ["x"], ["y"]), Level.ERROR),  # fails for what is like the example
        ("image", "0.01 0.99 64", N("Acosh", ["x"], ["y"]), Level.ERROR),  # 0 is data, and less than 1
        ("image", "-0.5 0.99 64", N("Sqrt", ["x"], ["y"]), Level.ERROR),
        ("image", "0.01 0.99 64", N("Sqrt", ["x"], ["y"]), Level.WARNING),
        ("image", "0.01 0.99 64", N("Exp", ["x"], ["y"]), Level.WARNING),
        ("image", "0.01 250.0 64", N("Exp", ["x"], ["y"]), Level.ERROR),
        ("scaled_features", "-1.0 2.0 4", N("Sqrt", ["x"], ["y"]), Level.ERROR),
    ],
)
def test_of_an_input_whose_purpose_is_known_few_numbers_tell(
    workers: Confirmer, name: str, shown: str, node: onnx.NodeProto, level: Level
) -> None:
    node = N(node.op_type, [name], ["y"])
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in (name, "y")]
    proto = helper.make_model(helper.make_graph([node], "g", values[:1], values[1:]), **OPSET)
    model = ir.from_proto(proto)
    model.graph.inputs[0].metadata_props[SHOWN] = shown
    found = analyse(Graph(model, "torch"), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers)
    assert {f.level for f in found.findings if not f.rule.startswith("numerical/gradient")} == {level}


def test_a_probability_above_1_is_not_like_its_example(workers: Confirmer) -> None:
    """``log(1 - p)``: p of 1 is data, p of 5 is not."""
    one = helper.make_node("Constant", [], ["one"], value=helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]))
    for nodes, level in (
        ([one, N("Sub", ["one", "probs"], ["d"]), N("Log", ["d"], ["y"])], Level.ERROR),
        ([one, N("Sub", ["one", "probs"], ["d"]), N("Sqrt", ["d"], ["y"])], Level.WARNING),
    ):
        values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in ("probs", "y")]
        proto = helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:]), **OPSET)
        model = ir.from_proto(proto)
        model.graph.inputs[0].metadata_props[SHOWN] = "0.1 0.9 4"
        found = analyse(
            Graph(model, "torch"), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers
        )
        assert {f.level for f in found.findings if not f.rule.startswith("numerical/gradient")} == {level}


@pytest.mark.parametrize(
    ("shown", "span", "level"),
    [
        ("0.12 0.57 5", "0.12 0.57", Level.WARNING),
        ("0.02 0.99 8", "0.02 0.99", Level.ERROR),  # 0 and 1 are data
        ("0.12 7.0 8", "0.12 7.0", Level.ERROR),  # no label
    ],
)
def test_what_is_read_with_its_complement_is_a_label(workers: Confirmer, shown: str, span: str, level: Level) -> None:
    """The logarithms of y and 1 - y: of an input without a telling name."""
    nodes = [
        N("Constant", [], ["one"], value=helper.make_tensor("one", TensorProto.FLOAT, [], [1.0])),
        N("Sub", ["one", "x"], ["rest"]),
        N("Concat", ["x", "rest"], ["both"], axis=0),
        N("Log", ["both"], ["y"]),
    ]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None if n == "y" else [5]) for n in "xy"]
    proto = helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:]), **OPSET)
    model = ir.from_proto(proto)
    model.graph.inputs[0].metadata_props.update({SHOWN: shown, SPAN: span})
    found = analyse(Graph(model, "torch"), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers)
    assert {f.level for f in found.findings if not f.rule.startswith("numerical/gradient")} == {level}


ONE = N("Constant", [], ["one"], value=helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]))
NEGATED = N("Neg", ["x"], ["n"])


@pytest.mark.parametrize(
    ("nodes", "level"),
    [
        ([ONE, NEGATED, N("Add", ["one", "n"], ["d"]), N("Log", ["d"], ["l"])], Level.WARNING),
        ([ONE, NEGATED, N("Add", ["x", "one"], ["d"]), N("Log", ["d"], ["l"])], Level.ERROR),
    ],
)
def test_a_complement_may_be_written_with_a_sign(workers: Confirmer, nodes: list[Any], level: Level) -> None:
    """``log(-x + 1)`` reads a label, of which 90 is none."""
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xyl"]
    graph = helper.make_graph([*nodes, N("Exp", ["x"], ["y"])], "g", values[:1], values[1:])
    model = ir.from_proto(helper.make_model(graph, **OPSET))
    model.graph.inputs[0].metadata_props[SHOWN] = "0.12 0.97 4"
    found = analyse(Graph(model, "torch"), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers)
    assert {f.level for f in found.findings if f.rule == "numerical/exp-overflow"} == {level}


@pytest.mark.parametrize(
    ("name", "operator", "level"),
    [
        ("labels", "Sqrt", Level.WARNING),
        ("labels", "Log", Level.ERROR),  # a label of 0 is data
        ("target_scale:0", "Log", Level.WARNING),
        ("features", "Sqrt", Level.ERROR),
        ("scaled", "Sqrt", Level.ERROR),
    ],
)
def test_without_an_example_the_name_tells(workers: Confirmer, name: str, operator: str, level: Level) -> None:
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in (name, "y")]
    graph = helper.make_graph([N(operator, [name], ["y"])], "g", values[:1], values[1:])
    model = ir.from_proto(helper.make_model(graph, **OPSET))
    found = analyse(
        Graph(model, "tensorflow"), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers
    )
    assert {f.level for f in found.findings if not f.rule.startswith("numerical/gradient")} == {level}


def test_a_text_of_padding_alone_is_tried(workers: Confirmer) -> None:
    """The number with which tokens are compared: neither their least nor their greatest."""

    def of(array: np.ndarray, name: str) -> onnx.NodeProto:
        return N("Constant", [], [name], value=numpy_helper.from_array(array, name))

    nodes = [
        of(np.array(7), "padding"),
        of(np.array([1]), "axis"),
        N("Equal", ["tokens", "padding"], ["padded"]),
        N("Not", ["padded"], ["kept"]),
        N("Cast", ["kept"], ["weights"], to=TensorProto.FLOAT),
        N("ReduceSum", ["weights", "axis"], ["length"]),
        N("Div", ["weights", "length"], ["y"]),
    ]
    inputs = [helper.make_tensor_value_info("tokens", TensorProto.INT64, [2, 9])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 9])]
    model = ir.from_proto(helper.make_model(helper.make_graph(nodes, "g", inputs, outputs), **OPSET))
    target = TargetConfig(id="t", entry="t.py:build")
    (found,) = analyse(Graph(model, "torch"), target, explain=False, confirmer=workers).findings
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)


def masked(
    workers: Confirmer,
    nodes: list[Any],
    shown: str | None,
    *,
    name: str = "mask",
    dtype: int = TensorProto.BOOL,
    shape: tuple[int, ...] = (1, 6),
    declared: Range | None = None,
    told: dict[str, str] | None = None,
) -> dict[str, Level]:
    """Rule -> level of a model of x and a mask whose example is `shown`; its findings are confirmed."""
    cast = N("Cast", [name], ["m"], to=TensorProto.FLOAT)
    cast = [cast] if any("m" in n.input for n in nodes) else []
    axis = N("Constant", [], ["axis"], value=numpy_helper.from_array(np.array([-1])))
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, shape),
        helper.make_tensor_value_info(name, dtype, shape),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    model = ir.from_proto(helper.make_model(helper.make_graph([axis, *cast, *nodes], "g", inputs, outputs), **OPSET))
    if shown is not None:
        model.graph.inputs[1].metadata_props[SHOWN] = shown
    model.graph.inputs[1].metadata_props.update(told or {})
    ranges = {name: InputSpec(range=ValueRange(*declared))} if declared is not None else {}
    target = TargetConfig(id="t", entry="t.py:build", inputs=ranges)
    found = analyse(Graph(model, "torch"), target, explain=False, confirmer=workers)
    failing = {f.rule.removeprefix("numerical/"): f for f in found.findings}
    assert {f.confidence for f in failing.values()} <= {Confidence.CONFIRMED}
    return levels(failing)


MEAN = [N("Mul", ["x", "m"], ["p"]), N("ReduceSum", ["p", "axis"], ["s"]), N("ReduceSum", ["m", "axis"], ["n"])]
MEAN = [*MEAN, N("Div", ["s", "n"], ["y"])]
PADDED = [N("Constant", [], ["one"], value_float=1.0), N("Sub", ["one", "m"], ["k"]), N("ReduceSum", ["k"], ["n"])]
PADDED = [*PADDED, N("Div", ["x", "n"], ["y"])]
SLICED = [
    *(N("Constant", [], [n], value=numpy_helper.from_array(np.array([v]))) for n, v in (("one", 1), ("end", 6))),
    N("Slice", ["mask", "one", "end", "one"], ["later"]),
    N("Cast", ["later"], ["l"], to=TensorProto.FLOAT),
    N("ReduceSum", ["l"], ["n"]),
    N("Div", ["x", "n"], ["y"]),
]
COMPUTED = [
    N("Constant", [], ["limit"], value_float=50.0),
    N("Greater", ["x", "limit"], ["large"]),
    N("Cast", ["large"], ["l"], to=TensorProto.FLOAT),
    N("Mul", ["l", "m"], ["both"]),
    N("ReduceSum", ["both"], ["n"]),
    N("Div", ["x", "n"], ["y"]),
]


@pytest.mark.parametrize(
    ("nodes", "shown", "options", "level"),
    [
        (MEAN, "1.0 1.0 6", {}, Level.WARNING),  # an example that selects everything: nothing selected is unlike it
        (MEAN, "0.0 1.0 6", {}, Level.WARNING),  # a mask leaves something out, not everything
        (MEAN, "0.0 1.0 12", {"shape": (2, 6)}, Level.ERROR),  # a row without any beside another row
        (MEAN, "0.0 1.0 6", {"name": "chosen"}, Level.ERROR),  # both are data: nothing may be chosen
        (MEAN, "0.0 1.0 6", {"name": "frames_valid"}, Level.WARNING),
        (MEAN, "0.0 1.0 6", {"name": "known"}, Level.WARNING),
        (MEAN, "0.0 1.0 6", {"name": "unknown"}, Level.ERROR),  # which of them are to be found
        (MEAN, "0.0 1.0 6", {"name": "invalidated"}, Level.ERROR),
        (MEAN, "0.0 1.0 6", {"dtype": TensorProto.INT64}, Level.WARNING),
        (PADDED, "0.0 1.0 6", {}, Level.ERROR),  # everything left out, whichever way the mask tells it
        (SLICED, "0.0 1.0 6", {}, Level.WARNING),  # of what the model reads of it
        (MEAN, None, {}, Level.ERROR),
        (MEAN, "1.0 1.0 3", {"shape": (1, 3)}, Level.ERROR),  # so few say nothing
        (MEAN, "1.0 1.0 12", {"shape": (2, 6)}, Level.ERROR),  # a row of padding beside another row
        (MEAN, "1.0 1.0 6", {"dtype": TensorProto.FLOAT}, Level.WARNING),
        (MEAN, "1.0 1.0 6", {"dtype": TensorProto.FLOAT, "name": "gate"}, Level.ERROR),
        (MEAN, "1.0 1.0 6", {"declared": (0.0, 1.0)}, Level.ERROR),
        (PADDED, "0.0 0.0 6", {}, Level.WARNING),  # what it is not padded of
        (PADDED, "1.0 1.0 6", {}, Level.ERROR),
        (COMPUTED, "1.0 1.0 6", {}, Level.ERROR),  # the model itself selects nothing
    ],
)
def test_a_mask_unlike_its_example_everywhere_is_a_warning(
    workers: Confirmer, nodes: list[Any], shown: str | None, options: dict[str, Any], level: Level
) -> None:
    assert masked(workers, nodes, shown, **options) == {"division-by-zero": level}


LOW = N("Constant", [], ["low"], value_float=-math.inf)
SHOWN_SCORES = [LOW, N("Where", ["given", "x", "low"], ["h"]), N("Softmax", ["h"], ["y"])]
HIDDEN_SCORES = [LOW, N("Where", ["given", "low", "x"], ["h"]), N("Softmax", ["h"], ["y"])]
NEGATED = [N("Not", ["given"], ["not"]), LOW, N("Where", ["not", "low", "x"], ["h"]), N("Softmax", ["h"], ["y"])]
CHOSEN = [
    N("Constant", [], ["zero"], value_float=0.0),
    N("Greater", ["x", "zero"], ["large"]),
    N("And", ["given", "large"], ["both"]),
    LOW,
    N("Where", ["both", "x", "low"], ["h"]),
    N("Softmax", ["h"], ["y"]),
]


@pytest.mark.parametrize(
    ("nodes", "filled", "level"),
    [
        (SHOWN_SCORES, "0 1", Level.WARNING),  # a sequence without any position, where each of the example has some
        (SHOWN_SCORES, "1", Level.WARNING),
        (SHOWN_SCORES, "0", Level.ERROR),  # a row of the example selects nothing itself
        (SHOWN_SCORES, None, Level.ERROR),
        (HIDDEN_SCORES, "0", Level.WARNING),  # the other truth value selects
        (HIDDEN_SCORES, "1", Level.ERROR),
        (NEGATED, "1", Level.WARNING),
        (CHOSEN, "0 1", Level.ERROR),  # the model itself selects nothing of the row
    ],
)
def test_scores_of_which_a_mask_hides_a_whole_row(
    workers: Confirmer, nodes: list[Any], filled: str | None, level: Level
) -> None:
    told = {FILLED: filled} if filled is not None else {}
    found = masked(workers, nodes, "0.0 1.0 12", name="given", shape=(2, 6), told=told)
    assert found == {"softmax-of-minus-infinity": level}


@pytest.mark.parametrize(
    ("nodes", "level"),
    [
        ([N("ReduceSum", ["m"], ["n"]), N("Div", ["x", "n"], ["y"])], Level.WARNING),  # no class anywhere
        (MEAN, Level.ERROR),  # a row without a class beside others is data
        (PADDED, Level.ERROR),  # so are ones everywhere
    ],
)
def test_no_class_at_all_is_unlike_an_example_of_classes(workers: Confirmer, nodes: list[Any], level: Level) -> None:
    options: dict[str, Any] = {"name": "targets", "dtype": TensorProto.FLOAT, "shape": (2, 6)}
    for told, expected in (({TRUTHS: "1", ONE_HOT: "1"}, level), ({TRUTHS: "1"}, Level.ERROR)):
        assert masked(workers, nodes, "0.0 1.0 12", told=told, **options) == {"division-by-zero": expected}


def test_the_mean_of_what_a_mask_selects(workers: Confirmer) -> None:
    """As indexing by a mask is exported; the mask that the caller gives, and one that the model computes."""
    limit = N("Constant", [], ["limit"], value_float=50.0)
    large = [limit, N("Greater", ["x", "limit"], ["large"]), N("And", ["mask", "large"], ["chosen"])]
    for before, chosen, level in (([], "mask", Level.WARNING), (large, "chosen", Level.ERROR)):
        index = [N("NonZero", [chosen], ["i"]), N("Transpose", ["i"], ["j"], perm=[1, 0])]
        nodes = [*before, *index, N("GatherND", ["x", "j"], ["p"]), N("ReduceMean", ["p"], ["y"])]
        assert masked(workers, nodes, "1.0 1.0 6") == {"empty-mean": level}


def test_the_mean_of_what_a_mask_selects_of_parts(workers: Confirmer) -> None:
    """Sizes of parts that are constants of the graph (queries, keys and values of one product) are read by any run."""
    numbers = {"sizes": np.array([2, 1, 3]), "first": np.array(0), "last": np.array(2)}
    nodes = [N("Constant", [], [n], value=numpy_helper.from_array(v)) for n, v in numbers.items()]
    nodes.append(N("SplitToSequence", ["x", "sizes"], ["parts"], axis=1))
    nodes += [N("SequenceAt", ["parts", n], [f"{n}_part"]) for n in ("first", "last")]
    nodes.append(N("Slice", ["x", "from", "to", "axis"], ["middle"]))
    nodes[:0] = [
        N("Constant", [], [n], value=numpy_helper.from_array(np.array([v]))) for n, v in (("from", 2), ("to", 3))
    ]
    nodes.append(N("Concat", ["first_part", "middle", "last_part"], ["whole"], axis=1))
    index = [N("NonZero", ["mask"], ["i"]), N("Transpose", ["i"], ["j"], perm=[1, 0])]
    nodes += [*index, N("GatherND", ["whole", "j"], ["p"]), N("ReduceMean", ["p"], ["y"])]
    assert masked(workers, nodes, "0.0 1.0 6") == {"empty-mean": Level.WARNING}


@pytest.mark.parametrize(
    ("operator", "order", "declared", "level"),
    [
        ("Sqrt", None, None, Level.ERROR),
        ("Sqrt", "1 1", None, Level.WARNING),  # edges of bins that do not rise are not like the example
        ("Sqrt", "1 -1", None, Level.ERROR),  # the example falls: so may others
        ("Sqrt", "0 1", None, Level.ERROR),  # each column rises, rows are free
        ("Reciprocal", "1 1", None, Level.ERROR),  # equal edges are data
        ("Exp", "1 1", None, Level.ERROR),  # and so are wide bins
        ("Sqrt", "1 1", (-9.0, 9.0), Level.ERROR),
    ],
)
def test_what_takes_inputs_in_another_order_than_their_example_is_a_warning(
    workers: Confirmer, operator: str, order: str | None, declared: Range | None, level: Level
) -> None:
    """Of the differences of neighbours along a row."""
    numbers = {"zero": [0], "one": [1], "last": [-1], "end": [9], "axis": [1]}
    nodes = [N("Constant", [], [n], value=numpy_helper.from_array(np.array(v))) for n, v in numbers.items()]
    nodes.append(N("Slice", ["x", "one", "end", "axis"], ["later"]))
    nodes += [N("Slice", ["x", "zero", "last", "axis"], ["sooner"]), N("Sub", ["later", "sooner"], ["d"])]
    nodes.append(N(operator, ["d"], ["y"]))
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [2, 6]), ("y", None))]
    model = ir.from_proto(helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:]), **OPSET))
    if order is not None:
        model.graph.inputs[0].metadata_props[ORDER] = order
    inputs = {"x": InputSpec(range=ValueRange(*declared))} if declared is not None else {}
    target = TargetConfig(id="t", entry="t.py:build", inputs=inputs)
    found = analyse(Graph(model, "torch"), target, explain=False, confirmer=workers)
    assert set(levels({f.rule.removeprefix("numerical/"): f for f in found.findings}).values()) == {level}


def integers(
    workers: Confirmer,
    nodes: list[Any],
    shown: str | None,
    shape: tuple[int, ...] = (1, 8),
    declared: Range | None = None,
) -> dict[str, Level]:
    """Rule -> level of a model of x and token ids whose example is `shown`; `kept` is 0 where they are padding, 0."""
    number = [N("Constant", [], [n], value=numpy_helper.from_array(np.array(v))) for n, v in (("pad", 0), ("five", 5))]
    axis = N("Constant", [], ["axis"], value=numpy_helper.from_array(np.array([-1])))
    kept = [N("Equal", ["tokens", "pad"], ["padded"]), N("Not", ["padded"], ["k"])]
    kept.append(N("Cast", ["k"], ["kept"], to=TensorProto.FLOAT))
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, shape),
        helper.make_tensor_value_info("tokens", TensorProto.INT64, shape),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph([*number, axis, *kept, *nodes], "g", inputs, outputs)
    model = ir.from_proto(helper.make_model(graph, **OPSET))
    if shown is not None:
        model.graph.inputs[1].metadata_props[SHOWN] = shown
    ranges = {"tokens": InputSpec(range=ValueRange(*declared))} if declared is not None else {}
    target = TargetConfig(id="t", entry="t.py:build", inputs=ranges)
    found = analyse(Graph(model, "torch"), target, explain=False, confirmer=workers)
    return levels({f.rule.removeprefix("numerical/"): f for f in found.findings})


LENGTH = [N("ReduceSum", ["kept", "axis"], ["n"]), N("Div", ["x", "n"], ["y"])]
ROWS = [N("ReduceSum", ["kept", "axis"], ["n"], keepdims=1), N("Div", ["x", "n"], ["y"])]
FIVES = [
    N("Equal", ["tokens", "five"], ["is5"]),
    N("Cast", ["is5"], ["fives"], to=TensorProto.FLOAT),
    N("ReduceSum", ["fives"], ["n"]),
    N("Div", ["x", "n"], ["y"]),
]
ELEMENT = [N("Cast", ["tokens"], ["t"], to=TensorProto.FLOAT), N("Div", ["x", "t"], ["y"])]
TABLE = [  # rows of a table for token ids, their mean without padding
    N("Constant", [], ["table"], value=numpy_helper.from_array(np.ones((20, 1), np.float32))),
    N("Gather", ["table", "tokens"], ["rows"]),
    N("Squeeze", ["rows", "axis"], ["row"]),
    N("Mul", ["row", "kept"], ["shown"]),
    N("ReduceSum", ["shown", "axis"], ["total"]),
    N("ReduceSum", ["kept", "axis"], ["n"]),
    N("Div", ["total", "n"], ["y"]),
]
MASKED = [  # words of which some are replaced by a mask's number, at random, before the table is read
    N("Constant", [], ["table"], value=numpy_helper.from_array(np.ones((20, 1), np.float32))),
    N("RandomUniformLike", ["x"], ["u"]),
    N("Constant", [], ["half"], value=numpy_helper.from_array(np.float32(0.5))),
    N("Less", ["u", "half"], ["drawn"]),
    N("Where", ["drawn", "five", "tokens"], ["read"]),
    N("Gather", ["table", "read"], ["rows"]),
    *TABLE[2:],
]
LABELS = [  # the same number is the background of labels, which index nothing
    N("Constant", [], ["half"], value=numpy_helper.from_array(np.float32(0.5))),
    N("Greater", ["x", "half"], ["drawn"]),
    N("Where", ["drawn", "five", "tokens"], ["read"]),
    N("Cast", ["read"], ["number"], to=TensorProto.FLOAT),
    N("Mul", ["number", "kept"], ["shown"]),
    *TABLE[4:],
]
BOTH = [  # what is no padding and no five: the model itself selects nothing
    N("Equal", ["tokens", "five"], ["is5"]),
    N("Or", ["padded", "is5"], ["out"]),
    N("Not", ["out"], ["in"]),
    N("Cast", ["in"], ["chosen"], to=TensorProto.FLOAT),
    N("ReduceSum", ["chosen"], ["n"]),
    N("Div", ["x", "n"], ["y"]),
]


@pytest.mark.parametrize(
    ("nodes", "shown", "options", "level"),
    [
        (LENGTH, "3.0 10.0 8", {}, Level.WARNING),  # a batch of nothing but padding
        (LENGTH, "0.0 10.0 8", {}, Level.ERROR),  # padding is in the example
        (TABLE, "0.0 10.0 8", {}, Level.WARNING),  # padding beside words in the example: no text is nothing else
        (TABLE, "0.0 10.0 16", {"shape": (2, 8)}, Level.ERROR),  # a row of padding beside another
        (MASKED, "0.0 10.0 8", {}, Level.WARNING),  # padding is told by what is read in place of some words
        (LABELS, "0.0 10.0 8", {}, Level.ERROR),  # the background of labels
        (LENGTH, None, {}, Level.ERROR),
        (LENGTH, "3.0 3.0 8", {}, Level.ERROR),  # equal numbers say nothing
        (LENGTH, "3.0 10.0 3", {"shape": (1, 3)}, Level.ERROR),  # so few say nothing
        (LENGTH, "3.0 10.0 8", {"declared": (0.0, 10.0)}, Level.ERROR),
        (ROWS, "3.0 10.0 16", {"shape": (2, 8)}, Level.ERROR),  # a row of padding beside another
        (FIVES, "3.0 10.0 8", {}, Level.ERROR),  # ordinary tokens of which none is 5
        (BOTH, "3.0 10.0 8", {}, Level.ERROR),
        (ELEMENT, "3.0 10.0 8", {}, Level.ERROR),  # a zero somewhere is data
    ],
)
def test_integers_that_are_all_set_apart_unlike_their_example_are_a_warning(
    workers: Confirmer, nodes: list[Any], shown: str | None, options: dict[str, Any], level: Level
) -> None:
    assert integers(workers, nodes, shown, **options) == {"division-by-zero": level}


@pytest.mark.parametrize(
    ("compare", "number", "level"),
    [
        ("Greater", 0, Level.WARNING),
        ("GreaterOrEqual", 1, Level.WARNING),
        ("GreaterOrEqual", 4, Level.ERROR),  # 3 is in the example
        ("Less", 700, Level.WARNING),
        ("LessOrEqual", 10, Level.WARNING),
        ("LessOrEqual", 9, Level.ERROR),
        ("bool", 0, Level.WARNING),
    ],
)
def test_whatever_comparison_sets_integers_apart(workers: Confirmer, compare: str, number: int, level: Level) -> None:
    nodes = [N("Constant", [], ["number"], value=numpy_helper.from_array(np.array(number)))]
    chosen = N(compare, ["tokens", "number"], ["c"]) if compare != "bool" else N("Cast", ["tokens"], ["c"], to=9)
    nodes += [chosen, N("Cast", ["c"], ["f"], to=TensorProto.FLOAT), N("ReduceSum", ["f"], ["n"])]
    assert integers(workers, [*nodes, N("Div", ["x", "n"], ["y"])], "3.0 10.0 8") == {"division-by-zero": level}


@pytest.mark.parametrize(
    ("shown", "ignored", "first", "level"),
    [
        ("1.0 4.0 6", 0, 0, Level.WARNING),  # nothing but padding, which the loss ignores
        ("1.0 4.0 6", 0, 1, Level.WARNING),  # labels are the tokens after the first
        ("0.0 4.0 6", 0, 0, Level.WARNING),  # ignored labels beside others in the example
        ("0.0 4.0 6", 0, 1, Level.WARNING),
        ("0.0 0.0 6", 0, 0, Level.ERROR),  # an example of nothing else
        ("1.0 4.0 6", 0, 2, Level.ERROR),  # the last tokens alone
        ("1.0 4.0 6", 2, 0, Level.ERROR),
        ("1.0 4.0 6", None, 0, None),
        (None, 0, 0, Level.ERROR),
    ],
)
@pytest.mark.parametrize("loss", ["SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"])
def test_labels_that_the_loss_ignores_unlike_their_example_are_a_warning(
    workers: Confirmer, loss: str, shown: str | None, ignored: int | None, first: int, level: Level | None
) -> None:
    number = {"first": [first], "last": [3], "axis": [1]}
    nodes = [N("Constant", [], [n], value=numpy_helper.from_array(np.array(v))) for n, v in number.items()]
    nodes.append(N("Slice", ["tokens", "first", "last", "axis"], ["labels"]))
    nodes.append(N(loss, ["x", "labels"], ["y"], **({} if ignored is None else {"ignore_index": ignored})))
    scores = helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 5, 3 - first))
    tokens = helper.make_tensor_value_info("tokens", TensorProto.INT64, (2, 3))
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    model = ir.from_proto(helper.make_model(helper.make_graph(nodes, "g", [scores, tokens], [result]), **OPSET))
    if shown is not None:
        model.graph.inputs[1].metadata_props[SHOWN] = shown
    found = analyse(Graph(model, "torch"), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers)
    expected = {} if level is None else {"empty-mean": level}
    assert levels({f.rule.removeprefix("numerical/"): f for f in found.findings}) == expected


@pytest.mark.parametrize(
    ("hidden", "put", "kept", "level"),
    [
        (N("Equal", ["tokens", "zero"], ["hide"]), "hundred", "tokens", Level.WARNING),  # padding is ignored
        (N("Equal", ["tokens", "zero"], ["hide"]), "three", "tokens", None),  # what is put there counts
        (N("Equal", ["tokens", "three"], ["hide"]), "hundred", "tokens", Level.ERROR),  # a word may stand alone
        (N("Greater", ["drawn", "half"], ["hide"]), "hundred", "tokens", Level.ERROR),  # other data hide all words
    ],
)
def test_labels_in_whose_place_an_ignored_number_is_put_are_padding(
    workers: Confirmer, hidden: Any, put: str, kept: str, level: Level | None
) -> None:
    numbers = {"half": np.float32(0.5), "zero": np.array(0), "three": np.array(3), "hundred": np.array(-100)}
    nodes = [N("Constant", [], [n], value=numpy_helper.from_array(np.asarray(v))) for n, v in numbers.items()]
    nodes += [hidden, N("Where", ["hide", put, kept], ["labels"])]
    nodes.append(N("SoftmaxCrossEntropyLoss", ["x", "labels"], ["y"], ignore_index=-100))
    scores = helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 5, 3))
    drawn = helper.make_tensor_value_info("drawn", TensorProto.FLOAT, (2, 3))
    tokens = helper.make_tensor_value_info("tokens", TensorProto.INT64, (2, 3))
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    model = ir.from_proto(helper.make_model(helper.make_graph(nodes, "g", [scores, drawn, tokens], [result]), **OPSET))
    model.graph.inputs[2].metadata_props[SHOWN] = "0.0 4.0 6"
    found = analyse(Graph(model, "torch"), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers)
    expected = {} if level is None else {"empty-mean": level}
    assert levels({f.rule.removeprefix("numerical/"): f for f in found.findings}) == expected
