"""Ranges: declared, inferred, widened, defaulted; each with its reason."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.graph import Graph, Role, ValueRange, set_role
from analyzer.graph.model import SPAN
from analyzer.graph.ranges import Origin
from analyzer.loading.weight import Weight
from analyzer.numerical.assumptions import as_ranges, assume
from analyzer.numerical.shown_ranges import close_to_examples
from analyzer.numerical.stored_weights import PIECE, StoredWeight, extremes
from analyzer.problem import TargetProblem


def graph_of(nodes: list[onnx.NodeProto], inputs: list[onnx.ValueInfoProto], **weights: np.ndarray) -> Graph:
    outputs = [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, None)]
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    proto = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, tensors), opset_imports=[helper.make_opsetid("", 20)]
    )
    return Graph(ir.from_proto(proto))


def value(name: str, kind: int = TensorProto.FLOAT, *shape: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, list(shape))


def linear(**weights: np.ndarray) -> Graph:
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Add", ["h", "b"], ["y"])]
    return graph_of(nodes, [value("x", TensorProto.FLOAT, "batch", 4)], **weights)


WEIGHTS = {"w": np.array([[-1.0, 3.0]] * 4, np.float32), "b": np.zeros(2, np.float32)}
FILE = TargetConfig("t", path="m.onnx")
ENTRY = TargetConfig("t", entry="m.py:build")


def test_a_file_keeps_its_weights_and_an_entry_point_widens_them() -> None:
    assert set(as_ranges(assume(linear(**WEIGHTS), FILE))) == {"x"}
    ranges = as_ranges(assume(linear(**WEIGHTS), ENTRY))
    assert (ranges["w"].lo, ranges["w"].hi) == (-5.0, 7.0)
    assert (ranges["b"].lo, ranges["b"].hi) == (-1.0, 1.0)
    constant = as_ranges(assume(linear(w=WEIGHTS["w"], b=np.full(2, -3.0, np.float32)), ENTRY))
    assert (constant["b"].lo, constant["b"].hi) == (-6.0, 0.0)


def test_unknown_inputs_get_the_documented_default() -> None:
    (x,) = assume(linear(**WEIGHTS), FILE)
    assert (x.range.lo, x.range.hi, x.range.origin) == (-100.0, 100.0, Origin.DEFAULT)
    assert str(x) == "x in [-100, 100] (default for inputs)"


@pytest.mark.parametrize("declared", ["x", "?", "images"])
def test_inputs_are_matched_by_name_then_glob_then_position(declared: str) -> None:
    target = TargetConfig("t", path="m.onnx", inputs={declared: InputSpec(range=ValueRange(0, 255))})
    if declared == "?":
        target = TargetConfig("t", path="m.onnx", inputs={"[x]": InputSpec(range=ValueRange(0, 255))})
    assert as_ranges(assume(linear(**WEIGHTS), target))["x"].hi == 255


def test_too_many_declared_inputs_are_refused_with_the_names_there_are() -> None:
    spec = InputSpec(range=ValueRange(0, 1))
    with pytest.raises(TargetProblem, match=r"no input is called 'z'; the model's inputs are: x\."):
        assume(linear(**WEIGHTS), TargetConfig("t", path="m.onnx", inputs={"x": spec, "z": spec}))


def test_a_range_of_an_input_that_the_model_does_not_use_goes_to_no_other() -> None:
    graph = linear(**WEIGHTS)
    graph.model.metadata_props["assay.signature"] = "x\nlabels"
    (x,) = assume(graph, TargetConfig("t", entry="m.py:build", inputs={"labels": InputSpec(range=ValueRange(0, 1))}))[
        :1
    ]
    assert (x.name, x.range.origin) == ("x", Origin.DEFAULT)


def test_parameters_are_declared_by_glob_and_unbounded_by_choice() -> None:
    declared = TargetConfig("t", path="m.onnx", parameters={"w*": ValueRange(-2, 2)})
    assert as_ranges(assume(linear(**WEIGHTS), declared))["w"].hi == 2
    free = as_ranges(assume(linear(**WEIGHTS), TargetConfig("t", path="m.onnx", unbounded=("parameters", "inputs"))))
    assert free["w"].hi == math.inf
    assert free["x"].lo == -math.inf


def stored(**arrays: np.ndarray) -> dict[str, StoredWeight]:
    def weight(array: np.ndarray) -> Weight:
        return Weight(ir.DataType.FLOAT, array.shape, lambda: array)

    return {name: StoredWeight(weight(array), *extremes(array)) for name, array in arrays.items()}


def test_the_extremes_of_a_weight_are_those_of_all_its_pieces() -> None:
    array = np.linspace(-1, 1, 2 * PIECE + 7, dtype=np.float32)
    assert extremes(array) == (-1.0, 1.0)
    array[-1] = np.inf
    assert extremes(array) == (-1.0, math.inf)
    array[PIECE + 3] = np.nan
    assert all(math.isnan(bound) for bound in extremes(array))


def test_a_checkpoint_gives_exact_ranges() -> None:
    found = as_ranges(assume(linear(**WEIGHTS), ENTRY, stored(w=np.array([[0.5, 0.25]], np.float32))))
    assert (found["w"].lo, found["w"].hi, found["w"].origin) == (0.25, 0.5, Origin.DATA)


def test_weights_that_are_not_finite_give_no_range() -> None:
    """They are as without a checkpoint; the check of the checkpoint tells what is wrong."""
    without = as_ranges(assume(linear(**WEIGHTS), ENTRY, {}))
    assert as_ranges(assume(linear(**WEIGHTS), ENTRY, stored(w=np.array([np.nan], np.float32)))) == without


def test_token_ids_stay_below_the_vocabulary() -> None:
    node = helper.make_node("Gather", ["table", "ids"], ["y"])
    graph = graph_of([node], [value("ids", TensorProto.INT64, "n")], table=np.zeros((7, 3), np.float32))
    assert as_ranges(assume(graph, FILE))["ids"] == ValueRange(0, 6, Origin.INFERRED, "indices into a table of 7 rows")


@pytest.mark.parametrize(("order", "hi"), [([1, 0, 2], 3), ([0, 1, 2], 4), (None, 1)])
def test_a_table_that_is_transposed_to_be_indexed(order: list[int] | None, hi: int) -> None:
    """As ``table[:, label]`` is exported: the shape behind the transposition stands nowhere in the file."""
    options = {} if order is None else {"perm": order}
    nodes = [
        helper.make_node("Transpose", ["table"], ["turned"], **options),
        helper.make_node("Unsqueeze", ["label", "last"], ["index"]),
        helper.make_node("GatherND", ["turned", "index"], ["y"]),
    ]
    table = np.zeros((5, 4, 2), np.float32)
    graph = graph_of(nodes, [value("label", TensorProto.INT64, 3)], table=table, last=np.array([-1]))
    expected = ValueRange(0, hi, Origin.INFERRED, f"indices into a table of {hi + 1} rows")
    assert as_ranges(assume(graph, FILE))["label"] == expected


def test_a_table_of_which_no_size_is_known_bounds_no_index() -> None:
    nodes = [
        helper.make_node("Abs", ["table"], ["made"]),
        helper.make_node("Transpose", ["made"], ["turned"], perm=[1, 0]),
        helper.make_node("Gather", ["turned", "label"], ["y"]),
    ]
    graph = graph_of(nodes, [value("label", TensorProto.INT64, 3)], table=np.zeros((5, 4), np.float32))
    assert as_ranges(assume(graph, FILE))["label"].hi == 1000


@pytest.mark.parametrize("operator", ["GatherElements", "ScatterElements"])
def test_class_numbers_that_pick_an_element_of_each_row(operator: str) -> None:
    """As ``scores.gather(1, label[:, None])`` is exported."""
    nodes = [
        helper.make_node("Unsqueeze", ["label", "one"], ["column"]),
        helper.make_node("Cast", ["column"], ["index"], to=TensorProto.INT64),
        helper.make_node(operator, ["x", "index", "w"][: 2 + (operator == "ScatterElements")], ["y"], axis=1),
    ]
    given = [value("x", TensorProto.FLOAT, 4, 3), value("label", TensorProto.INT64, 4)]
    graph = graph_of(nodes, given, one=np.array([1]), w=np.ones((4, 1), np.float32))
    expected = ValueRange(0, 2, Origin.INFERRED, "indices into a table of 3 rows")
    assert as_ranges(assume(graph, FILE))["label"] == expected


@pytest.mark.parametrize(("numbers", "hi"), [([0, 1, 2], 2), ([1, 2, 3], 1000), ([0, 2, 1], 2), ([0], 1000)])
@pytest.mark.parametrize("made", [False, True])
def test_what_is_compared_with_every_number_below_n_is_a_class(numbers: list[int], hi: float, made: bool) -> None:
    """One-hot labels as PyTorch's exporter writes them, which itself refuses greater ones."""
    nodes = [
        helper.make_node("Unsqueeze", ["labels", "last"], ["u"]),
        helper.make_node("Equal", ["u", "classes"], ["e"]),
        helper.make_node("Cast", ["e"], ["y"], to=1),
    ]
    given = {"classes": np.array(numbers)}
    if made:
        given = {"start": np.array(numbers[0]), "end": np.array(numbers[-1] + 1), "step": np.array(1)}
        nodes.insert(0, helper.make_node("Range", ["start", "end", "step"], ["classes"]))
        hi = hi if numbers == list(range(numbers[0], numbers[-1] + 1)) else 1
    constants = [
        helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array, name))
        for name, array in {**given, "last": np.array([-1])}.items()
    ]
    graph = graph_of([*constants, *nodes], [value("labels", TensorProto.INT64, 4)])
    assert as_ranges(assume(graph, FILE))["labels"].hi == hi


def test_what_weighs_a_log_probability_is_a_label() -> None:
    nodes = [helper.make_node("Log", ["p"], ["l"]), helper.make_node("Mul", ["labels", "l"], ["y"])]
    graph = graph_of(nodes, [value("p", TensorProto.FLOAT, 3), value("labels", TensorProto.FLOAT, 3)])
    assert as_ranges(assume(graph, FILE))["labels"].hi == 1.0


def test_dropout_and_masks_and_bytes() -> None:
    nodes = [
        helper.make_node("RandomUniform", [], ["u"], shape=[3]),
        helper.make_node("GreaterOrEqual", ["u", "r"], ["keep"]),
        helper.make_node("Where", ["keep", "x", "attention_mask"], ["y"]),
    ]
    inputs = [
        value("r", TensorProto.FLOAT),
        value("x", TensorProto.UINT8, 3),
        value("attention_mask", TensorProto.FLOAT, 3),
    ]
    ranges = as_ranges(assume(graph_of(nodes, inputs), FILE))
    assert (ranges["r"].lo, ranges["r"].hi) == (0.0, 0.9)
    assert ranges["x"].hi == 255
    assert ranges["attention_mask"].reason == "mask"


def test_variances_are_not_negative_and_exporters_constants_stay() -> None:
    node = helper.make_node("BatchNormalization", ["x", "s", "o", "m", "v"], ["y"])
    ones = np.ones(3, np.float32)
    graph = graph_of([node], [value("x", TensorProto.FLOAT, 1, 3)], s=ones, o=0 * ones, m=0 * ones, v=ones, val_0=ones)
    ranges = as_ranges(assume(graph, ENTRY))
    assert (ranges["v"].lo, ranges["v"].hi) == (0.0, math.inf)
    assert "val_0" not in ranges
    for initializer in graph.graph.initializers.values():
        initializer.metadata_props["pkg.torch.export.graph_signature.InputSpec.kind"] = "CONSTANT_TENSOR"
    assert set(as_ranges(assume(graph, ENTRY))) == {"x", "m", "v"}


def test_tensorflow_variables_are_widened_from_their_initial_value() -> None:
    graph = linear(**WEIGHTS)
    variable = ir.Value(name="v", shape=ir.Shape([3]), type=ir.TensorType(ir.DataType.FLOAT))
    set_role(variable, Role.PARAMETER)
    variable.metadata_props["assay.initial_value"] = "start"
    shape, scale = ir.Value(name="shape"), ir.Value(name="scale")
    shape.const_value, scale.const_value = ir.tensor([3]), ir.tensor(0.1)
    drawn = ir.Node("tf", "TruncatedNormal", [shape])
    start = ir.Node("tf", "Mul", [drawn.outputs[0], scale], outputs=[ir.Value(name="start")])
    graph.graph.extend([drawn, start])
    graph.graph.inputs.append(variable)
    found = as_ranges(assume(graph, FILE))["v"]
    assert (round(found.lo, 6), round(found.hi, 6)) == (-0.6, 0.6)


@pytest.mark.parametrize(("column", "rows"), [(0, 7), (1, 3)])
def test_floats_that_are_cast_to_indices_lie_in_the_table(column: int, rows: int) -> None:
    """Labels are often floats until they choose: ``p[torch.arange(n), answers.long()]``."""
    other = "other" if column else "labels"
    nodes = [
        helper.make_node("Cast", ["answers"], ["labels"], to=TensorProto.INT64),
        helper.make_node("Unsqueeze", ["labels", "last"], ["one"]),
        helper.make_node("Unsqueeze", [other, "last"], ["two"]),
        helper.make_node("Concat", ["two", "one"] if column else ["one", "one"], ["places"], axis=-1),
        helper.make_node("GatherND", ["table", "places"], ["y"]),
    ]
    inputs = [value("answers", TensorProto.FLOAT, 5), value("table", TensorProto.FLOAT, 7, 3)]
    inputs += [value("other", TensorProto.INT64, 5)] if column else []
    graph = graph_of(nodes, inputs, last=np.array([-1], np.int64))
    found = as_ranges(assume(graph, FILE))["answers"]
    least = min(rows, 3)  # of labels that choose along both axes the narrower tells
    assert (found.lo, found.hi, found.origin) == (0, least - 1, Origin.INFERRED)


def test_floats_that_are_read_as_numbers_too_are_no_indices() -> None:
    nodes = [
        helper.make_node("Cast", ["x"], ["whole"], to=TensorProto.INT64),
        helper.make_node("Cast", ["whole"], ["back"], to=TensorProto.FLOAT),
        helper.make_node("Log", ["back"], ["y"]),
    ]
    assert as_ranges(assume(graph_of(nodes, [value("x", TensorProto.FLOAT, 5)]), FILE))["x"].lo == -100


@pytest.mark.parametrize(
    ("span", "like", "expected"),
    [("0.5 4.0", 0.05, (0.25, 8.0)), ("-4.0 -0.5", -0.05, (-8.0, -0.25)), ("-1.0 4.0", 0, (-8.0, 8.0))],
)
def test_close_to_an_example_is_neither_twice_as_large_nor_half_as_near_to_0(
    span: str, like: float, expected: tuple[float, float]
) -> None:
    """`like`: the end nearest to 0 of what is like the example; 0 where that does not keep away from it."""
    graph = linear(**WEIGHTS)
    graph.graph.inputs[0].metadata_props[SPAN] = span
    known = [a for a in assume(graph, TargetConfig(id="t", entry="t.py:f")) if a.name == "x"]
    least = (like, 40.0) if like > 0 else (-40.0, like) if like < 0 else (-40.0, 40.0)
    given = [replace(a, range=replace(a.range, lo=least[0], hi=least[1])) for a in known]
    (close,) = close_to_examples(graph, given)
    assert (close.range.lo, close.range.hi) == expected
