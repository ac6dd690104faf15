"""An element type that a program asks for, but that tracing does not know, is not the type of what is given."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import numpy as np, tensorflow as tf, keras
from somewhere import kind
x = tf.random.normal((2, 3))
table = np.random.randn(3, 4)
tf.matmul(x, {})
"""


@pytest.mark.parametrize(
    ("table", "refused"),
    [
        ("tf.Variable(initial_value=table, trainable=False, dtype=kind)", False),
        ("tf.Variable(table, dtype='float32')", False),
        ("tf.constant(tf.constant(table, 'float64'), dtype=kind)", False),
        ("keras.ops.convert_to_tensor(table, dtype=kind)", False),
        ("tf.Variable(table)", True),
        ("tf.Variable(table, dtype='float64')", True),
    ],
)
def test_a_type_that_is_asked_for_is_not_that_of_the_value(table: str, refused: bool, tmp_path: Path) -> None:
    shared = explore(tmp_path, "main.py", ast.parse(PROGRAM.format(table)), Versions())
    told = [(p.rule, p.site.line) for p in shared.problems.values() if p.level != "note"]
    assert told == ([("tracing/incompatible-element-type", 6)] if refused else [])


ASKED = [("", True), (", dtype='float64'", False), (", dtype=kind", False)]
VALUES = (", on_value=one, off_value=zero", False)  # which Keras does not take


@pytest.mark.parametrize(
    ("function", "asked", "refused"),
    [("keras.ops.one_hot", *each) for each in ASKED] + [("tf.one_hot", *each) for each in (*ASKED, VALUES)],
)
def test_codes_of_classes_are_float32_unless_a_type_is_asked_for(
    function: str, asked: str, refused: bool, tmp_path: Path
) -> None:
    table = f"{function}(keras.ops.zeros((3,), 'int32'), 4{asked})"
    text = PROGRAM.replace("matmul(x", "matmul(tf.cast(x, 'float64')").format(table)
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert any(p.rule == "tracing/incompatible-element-type" for p in shared.problems.values()) is refused
