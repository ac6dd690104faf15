"""What a model divides by: quantities as they stand, which an example above 0 shows not to be 0, and complex ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper, shape_inference

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.graph.model import SHOWN
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer

N = helper.make_node
CONSTANTS = {"two": np.float32(2), "half": np.float32(0.5), "zero": np.float32(0), "first": [0], "second": [1]}
CONSTANTS |= {"third": [2], "axis": [-1], "four": [4, 1], "none": np.zeros((4, 1), np.float32)}
given = {
    n: np.asarray(v, np.float32 if isinstance(v, (np.float32, np.ndarray)) else np.int64) for n, v in CONSTANTS.items()
}
GIVEN = [N("Constant", [], [n], value=numpy_helper.from_array(v)) for n, v in given.items()]


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        yield confirmer


def divisions(
    workers: Confirmer,
    nodes: list[Any],
    shown: str = "0.45 0.65 4",
    shape: tuple[int, ...] = (4, 1),
    kind: int = TensorProto.FLOAT,
    declared: tuple[float, float] | None = None,
) -> set[tuple[Level, Confidence]]:
    """The divisions by 0 of a model of x whose example is `shown`."""
    inputs = [helper.make_tensor_value_info("x", kind, shape)]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([*GIVEN, *nodes], "g", inputs, [result])
    imports = [helper.make_opsetid("", 20)]
    made = helper.make_model(graph, opset_imports=imports, ir_version=10)
    model = ir.from_proto(shape_inference.infer_shapes(made))
    model.graph.inputs[0].metadata_props[SHOWN] = shown
    ranges = {"x": InputSpec(range=ValueRange(*declared))} if declared is not None else {}
    target = TargetConfig(id="t", entry="t.py:build", inputs=ranges)
    found: tuple[Finding, ...] = analyse(Graph(model, "torch"), target, explain=False, confirmer=workers).findings
    return {(f.level, f.confidence) for f in found if f.rule == "numerical/division-by-zero"}


PLAIN = [N("Reciprocal", ["x"], ["y"])]
SCALED = [N("Mul", ["x", "two"], ["d"]), N("Div", ["two", "d"], ["y"])]
SHAPED = [N("Unsqueeze", ["x", "axis"], ["d"]), N("Div", ["two", "d"], ["y"])]
SHIFTED = [N("Sub", ["x", "half"], ["d"]), N("Div", ["two", "d"], ["y"])]
SUM = [N("ReduceSum", ["x", "axis"], ["d"]), N("Div", ["x", "d"], ["y"])]
NORM = [N("ReduceL2", ["x", "axis"], ["d"]), N("Div", ["x", "d"], ["y"])]
COLUMN = [N("Slice", ["x", "second", "third", "axis"], ["d"]), N("Div", ["two", "d"], ["y"])]
WHOLE = [N("Cast", ["x"], ["d"], to=TensorProto.FLOAT), N("Div", ["two", "d"], ["y"])]


def squares(pairs: str) -> list[Any]:
    """1 / z of complex numbers that are pairs along the last axis, as exporters write it."""
    return [
        N("Slice", [pairs, "first", "second", "axis"], ["re"]),
        N("Slice", [pairs, "second", "third", "axis"], ["im"]),
        N("Mul", ["re", "re"], ["re2"]),
        N("Mul", ["im", "im"], ["im2"]),
        N("Add", ["re2", "im2"], ["d"]),
        N("Div", ["re", "d"], ["y"]),
    ]


COMPLEX = [N("Concat", ["x", "none"], ["z"], axis=-1), *squares("z")]
BLOCKS, TOLD = (Level.ERROR, Confidence.CONFIRMED), (Level.WARNING, Confidence.CONFIRMED)


@pytest.mark.parametrize(
    ("nodes", "options", "told"),
    [
        (PLAIN, {}, TOLD),
        (SCALED, {}, TOLD),
        (SHAPED, {}, TOLD),
        (COMPLEX, {}, TOLD),
        (PLAIN, {"shape": (), "shown": "0.1 0.1 1"}, TOLD),
        (PLAIN, {"shown": "0.0 0.65 4"}, BLOCKS),
        (PLAIN, {"shown": "0.05 0.65 4"}, BLOCKS),
        (PLAIN, {"shown": "-0.45 0.65 4"}, BLOCKS),
        (PLAIN, {"shape": (2, 2, 1)}, BLOCKS),  # a map
        (PLAIN, {"declared": (0.0, 1.0)}, BLOCKS),
        (PLAIN, {"shown": "3.0 9.0 4"}, BLOCKS),  # whole numbers: counts
        (WHOLE, {"kind": TensorProto.INT64, "shown": "3 9 4"}, BLOCKS),
        (SHIFTED, {}, BLOCKS),  # 0 where x is a half
        (SUM, {"shape": (4, 3)}, BLOCKS),  # a blank row
        (NORM, {"shape": (4, 3)}, BLOCKS),
        (COLUMN, {"shape": (4, 3)}, BLOCKS),  # the width of a box
    ],
)
def test_a_quantity_that_is_divided_by_as_it_stands_is_not_0(
    workers: Confirmer, nodes: list[Any], options: dict[str, Any], told: tuple[Level, Confidence]
) -> None:
    assert divisions(workers, nodes, **options) == {told}


SCORES = [  # of rows of x by two matrices, of which one is the negative of the other: (r, 2 - r)
    N("Constant", [], ["w"], value=numpy_helper.from_array(np.array([[1], [2], [-3]], np.float32))),
    N("Constant", [], ["minus"], value=numpy_helper.from_array(np.array([[-1], [-2], [3]], np.float32))),
    N("MatMul", ["x", "w"], ["r"]),
    N("MatMul", ["x", "minus"], ["negative"]),
    N("Add", ["negative", "two"], ["other"]),
]
APART = [*SCORES, N("Concat", ["r", "other"], ["z"], axis=-1), *squares("z")]
ALIKE = [*SCORES, N("Mul", ["r", "two"], ["again"]), N("Concat", ["r", "again"], ["z"], axis=-1), *squares("z")]
TOTAL = [N("Abs", ["r"], ["a"]), N("Abs", ["other"], ["b"]), N("Add", ["a", "b"], ["positive"])]
REAL = [*SCORES, *TOTAL, N("Concat", ["positive", "none"], ["z"], axis=-1), *squares("z")]


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        (APART, (Level.WARNING, Confidence.POSSIBLE)),
        (ALIKE, BLOCKS),
        (REAL, (Level.ERROR, Confidence.POSSIBLE)),  # one part counts
    ],
)
def test_a_complex_divisor_is_0_where_both_parts_are(
    workers: Confirmer, nodes: list[Any], told: tuple[Level, Confidence]
) -> None:
    assert divisions(workers, nodes, shown="-0.6 0.65 12", shape=(4, 3)) == {told}
