"""Labels that a model leaves out of its own loss: a batch of nothing else is unlike an example that holds others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence, Level
from analyzer.graph import Graph
from analyzer.graph.model import SHOWN
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer

N = helper.make_node


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        yield confirmer


def levels(workers: Confirmer, nodes: list[Any], shown: str, outputs: tuple[str, ...] = ("y",)) -> set[Level]:
    """Of the failures of scores x (6, 5) and `labels` (6,), of which `kept` are not 0 and `left` are."""
    numbers = {"zero": 0, "one": 1}
    given = [N("Constant", [], [n], value=numpy_helper.from_array(np.array(v))) for n, v in numbers.items()]
    given += [N("Equal", ["labels", "zero"], ["left"]), N("Not", ["left"], ["kept"])]
    given.append(N("Cast", ["kept"], ["weight"], to=TensorProto.FLOAT))
    given.append(N("SoftmaxCrossEntropyLoss", ["x", "labels"], ["terms"], reduction="none"))
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, (6, 5)),
        helper.make_tensor_value_info("labels", TensorProto.INT64, (6,)),
    ]
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs]
    graph = helper.make_graph([*given, *nodes], "g", inputs, results)
    imports = [helper.make_opsetid("", 20)]
    model = ir.from_proto(helper.make_model(graph, opset_imports=imports, ir_version=10))
    model.graph.inputs[1].metadata_props[SHOWN] = shown
    found = analyse(Graph(model, "torch"), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers)
    return {f.level for f in found.findings if not f.rule.startswith("numerical/gradient")}


def mean_of(terms: str, mask: str) -> list[Any]:
    """``terms[mask].mean()``."""
    return [
        N("NonZero", [mask], ["places"]),
        N("Transpose", ["places"], ["rows"], perm=[1, 0]),
        N("GatherND", [terms, "rows"], ["some"]),
        N("ReduceMean", ["some"], ["y"], keepdims=0),
    ]


MEAN = mean_of("terms", "kept")
COUNT = [N("ReduceSum", ["weight"], ["n"], keepdims=0)]
TOTAL = [N("ReduceSum", ["shown"], ["total"], keepdims=0), *COUNT, N("Div", ["total", "n"], ["y"])]
WEIGHED = [N("Mul", ["terms", "weight"], ["shown"]), *TOTAL]
NOTHING = N("Constant", [], ["nothing"], value=numpy_helper.from_array(np.zeros((), np.float32)))
CHOSEN = [NOTHING, N("Where", ["left", "nothing", "terms"], ["shown"]), *TOTAL]
# The background of labels: what is read without it is another loss, or the terms are read in another way too.
OTHERS = [N("Abs", ["x"], ["far"]), *mean_of("far", "kept")]
POSITIVES = [*MEAN, N("ReduceSum", ["terms"], ["all"])]
ONES = [N("Equal", ["labels", "one"], ["is1"]), N("Not", ["is1"], ["others"]), *mean_of("terms", "others")]
BACKGROUND = mean_of("terms", "left")


@pytest.mark.parametrize(
    ("nodes", "shown", "outputs", "level"),
    [
        (MEAN, "0.0 4.0 6", ("y",), Level.WARNING),
        (WEIGHED, "0.0 4.0 6", ("y",), Level.WARNING),
        (CHOSEN, "0.0 4.0 6", ("y",), Level.WARNING),
        (MEAN, "0.0 0.0 6", ("y",), Level.ERROR),  # an example of nothing else
        (OTHERS, "0.0 4.0 6", ("y",), Level.ERROR),
        (POSITIVES, "0.0 4.0 6", ("y", "all"), Level.ERROR),
        (ONES, "0.0 4.0 6", ("y",), Level.ERROR),  # in the midst of the labels: one as any
        (BACKGROUND, "0.0 4.0 6", ("y",), Level.ERROR),  # ordinary labels of which none is 0
    ],
)
def test_labels_without_which_the_terms_of_a_loss_are_read(
    workers: Confirmer, nodes: list[Any], shown: str, outputs: tuple[str, ...], level: Level
) -> None:
    assert levels(workers, nodes, shown, outputs) == {level}


def test_a_text_of_which_nothing_follows_the_first_token_is_tried(workers: Confirmer) -> None:
    """Where the first token is padding too, another operator fails before the loss does."""
    bounds = {"none": [0], "first": [1], "last": [6], "axis": [1]}
    nodes = [N("Constant", [], [n], value=numpy_helper.from_array(np.array(v))) for n, v in bounds.items()]
    nodes += [
        N("Slice", ["tokens", "none", "first", "axis"], ["begin"]),
        N("Slice", ["tokens", "first", "last", "axis"], ["labels"]),
        N("Cast", ["begin"], ["number"], to=TensorProto.FLOAT),
        N("Unsqueeze", ["number", "axis"], ["divisor"]),
        N("Div", ["x", "divisor"], ["scores"]),
        N("SoftmaxCrossEntropyLoss", ["scores", "labels"], ["y"], ignore_index=0),
    ]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 9, 5)),
        helper.make_tensor_value_info("tokens", TensorProto.INT64, (2, 6)),
    ]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    imports = [helper.make_opsetid("", 20)]
    model = ir.from_proto(helper.make_model(graph, opset_imports=imports, ir_version=10))
    model.graph.inputs[1].metadata_props[SHOWN] = "0.0 8.0 12"
    found = analyse(Graph(model, "torch"), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers)
    told = {(f.level, f.confidence) for f in found.findings if f.rule == "numerical/empty-mean"}
    assert told == {(Level.WARNING, Confidence.CONFIRMED)}
