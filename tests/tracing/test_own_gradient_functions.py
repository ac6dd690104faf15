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


WAYS = [
    """
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(twice(x) + 1.0)
tape.gradient(loss, x)
""",
    """
class Twice(tf.keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(3,))
    def call(self, x):
        return twice(x * self.scale)
model = tf.keras.Sequential([tf.keras.Input((3,)), Twice(), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, tf.zeros((2, 1)), epochs=1, verbose=0)
""",
]
NO_WAYS = [
    WAYS[0].replace("twice(x)", "tf.stop_gradient(twice(x)) + x"),
    "\ntwice(x)\n",
    WAYS[1].replace("model.fit(x, tf.zeros((2, 1)), epochs=1, verbose=0)", "model.predict(x, verbose=0)"),
]
BACK = """
import tensorflow as tf
x = tf.ones([2, 3])
@tf.custom_gradient
def twice(x):
    def grad(dy, variables=None):
        return tf.reduce_sum(dy, axis={axis}, keepdims=True) * dy * tf.ones([{size}])
    return 2 * x, grad
{way}
"""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [3, 4])
def test_the_gradient_on_the_way_back(way: str, size: int, tmp_path: Path) -> None:
    text = BACK.format(axis=1, size=size, way=way)
    assert _fails(text) is (size == 4)
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    wrong = next(i for i, line in enumerate(text.splitlines(), 1) if "dy * tf.ones" in line)
    assert [(p.site.line, p.proved) for p in problems] == ([(wrong, False)] if size == 4 else [])


@pytest.mark.parametrize("way", NO_WAYS)
def test_no_gradient_that_nothing_asks_for(way: str, tmp_path: Path) -> None:
    text = BACK.format(axis=1, size=4, way=way)
    assert not _fails(text)
    assert not explore(tmp_path, "program.py", ast.parse(text), Versions()).problems


def _fails(text: str) -> bool:
    pytest.importorskip("tensorflow")
    try:
        exec(text, {"__name__": "program"})
    except Exception:
        return True
    return False
