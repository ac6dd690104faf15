"""Functions that give their value with the function of its gradient: who calls them sees the value."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import tensorflow as tf

{}
y = twice(tf.ones([2, 3]))
tf.ensure_shape(y, [2, 3])
tf.reshape(y, [{}])
"""
DECORATED = """
@tf.custom_gradient
def twice(x):
    def grad(dy):
        return 2 * dy
    return 2 * x, grad
"""
APPLIED = """
def both(x):
    return 2 * x, lambda dy: 2 * dy

value, gradient = both(tf.ones([2, 3]))
twice = tf.custom_gradient(both)
"""


@pytest.mark.parametrize("made", [DECORATED, APPLIED])
@pytest.mark.parametrize(("count", "lines"), [(6, 0), (7, 1)])
def test_the_value_alone(made: str, count: int, lines: int, tmp_path: Path) -> None:
    text = PROGRAM.format(made, count)
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    found = [(p.site.line, p.proved) for p in problems if p.level in ("error", "warning")]
    assert found == [(text.count("\n"), True)] * lines
