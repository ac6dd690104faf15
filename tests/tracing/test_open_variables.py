"""TensorFlow: variables whose shapes are left open."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

ASSIGNED = """
import tensorflow as tf

v = tf.Variable(tf.zeros((2, 3)){more})
v.assign(tf.zeros((5, 3)))
v.assign(tf.zeros((4, 3)))
print(v @ tf.zeros((3, 2)))
"""


@pytest.mark.parametrize(
    ("more", "lines"),
    [
        (", shape=tf.TensorShape([None, 3]), validate_shape=False", []),
        (", shape=[None, 3]", []),
        (", shape=tf.TensorShape(None)", []),
        (", validate_shape=False, shape=tf.TensorShape(None)", []),
        (", shape=[2, 3]", [5]),
        ("", [5]),
    ],
)
def test_a_variable_of_another_shape(more: str, lines: list[int], tmp_path: Path) -> None:
    shared = explore(tmp_path, "net.py", ast.parse(ASSIGNED.format(more=more)), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == lines
