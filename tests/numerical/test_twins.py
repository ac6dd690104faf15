"""The same question put to an ONNX operator and to its TensorFlow twin, and to operators that only look like twins."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.numerical.gradient_paths import carries_gradient
from analyzer.numerical.inference import _bounds

from .build import Builder, bounds, rules


def test_approximately_equal_is_not_equal() -> None:
    """``|x - c| < tolerance`` leaves room around c: a quotient by ``x - c`` may be anything there."""
    b = Builder()
    x = b.input("x", (4,))
    near = b.op("ApproximateEqual", x, b.const(1.0), domain="tf", tolerance=0.5)
    kept = b.op("Where", near, x, b.const(1.0))
    result = b.op("Div", b.const(1.0), b.op("Sub", kept, b.const(1.2)))
    assert rules(b.graph(result), {"x": (0, 2)}) == [("division-by-zero", "Div_3")]


def test_two_shuffles_are_two_values() -> None:
    b = Builder()
    x = b.input("x", (4,))
    first, second = (b.op("RandomShuffle", x, domain="tf") for _ in range(2))
    low, high = bounds(b.graph(b.op("Sub", first, second)), {"x": (0, 1)})
    assert low <= -1
    assert high >= 1


@pytest.mark.parametrize(
    ("op", "domain", "carries"),
    [
        ("Greater", "", False), ("GreaterOrEqual", "", False), ("GreaterEqual", "tf", False),
        ("LessEqual", "tf", False),
        ("ApproximateEqual", "tf", False), ("Add", "", True), ("AddV2", "tf", True),
    ],
)  # fmt: skip
def test_comparisons_pass_no_gradient_in_any_framework(op: str, domain: str, carries: bool) -> None:
    b = Builder()
    x = b.input("x", (4,))
    middle = b.op(op, x, b.const(1.0), domain=domain)
    root = b.op("Sqrt", middle, name="root")
    graph = b.graph(root)
    assert carries_gradient(graph.graph.node("root")) is carries


def test_the_initial_value_of_a_concatenation_is_not_that_of_its_first_part() -> None:
    b = Builder()
    joined = b.op("Concat", b.const([0.0]), b.op("RandomUniform", b.const([2], np.int32), domain="tf"), axis=0)
    graph = b.graph(joined)
    assert _bounds(graph.graph.outputs[0], 12) is None
