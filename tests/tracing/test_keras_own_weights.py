"""The weights of Keras's layers that a program writes, as `trainable_variables` lists them, held against Keras."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import tensorflow as tf

class Inner(tf.keras.layers.Layer):
    def build(self, shape):
        self.add_weight(shape=(shape[-1], 5), initializer="ones", trainable=True, name="w")

    def call(self, x):
        return tf.matmul(x, self.trainable_variables[0])


class Outer(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        {made}

    def build(self, shape):
        self.own = self.add_weight(shape=(shape[-1], 3), name="own")
        {added}

    def call(self, x):
        {called}
        return x


outer = Outer()
outer(tf.zeros((2, 4)))
y = outer.{wanted}
"""
CASES = [
    ("pass", "pass", "pass", "weights[0]"),
    ("pass", "pass", "pass", "trainable_weights[0]"),
    ("pass", "self.add_weight(shape=(7,), name='b')", "pass", "trainable_variables[1]"),
    ("pass", "self.add_weight(shape=(7,), trainable=False); self.add_weight(shape=(8, 2))", "pass",
     "trainable_variables[1]"),
    ("self.inner = Inner()", "pass", "self.inner(x)", "trainable_variables[1]"),
    ("self.inner = Inner()", "pass", "self.inner(x)", "weights[1]"),
    ("self.layers = [Inner(), Inner()]", "pass", "self.layers[1](self.layers[0](x))", "trainable_weights[2]"),
    ("self.dense = tf.keras.layers.Dense(6)", "pass", "self.dense(x)", "trainable_variables[1]"),
    ("self.dense = tf.keras.layers.Dense(6, use_bias=False); self.norm = tf.keras.layers.BatchNormalization()", "pass",
     "self.norm(self.dense(x))", "trainable_variables[3]"),
]  # fmt: skip


def program(made: str, added: str, called: str, wanted: str) -> str:
    return HEAD.format(made=made, added=added, called=called, wanted=wanted)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("fits", [True, False])
def test_a_weight_of_the_list(case: tuple[str, str, str, str], fits: bool, tmp_path: Path) -> None:
    text = program(*case)
    names: dict[str, object] = {}
    exec(text, names)
    shape = tuple(names["y"].shape)  # type: ignore[attr-defined]
    text += f"y + tf.zeros({shape if fits else tuple(n + 1 for n in shape)})\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.level, p.proved) for p in problems] == ([] if fits else [("error", True)])


@pytest.mark.parametrize(
    ("case", "index"),
    [
        (("self.mine = tf.Variable(tf.zeros((9,)))", "pass", "pass"), 0),  # Keras 2 lists it, Keras 3 does not
        (("import other; self.other = other.made()", "pass", "pass"), 1),
        (("self.norm = tf.keras.layers.BatchNormalization(); self.inner = Inner()", "pass", "self.inner(self.norm(x))"),
         3),
        (("self.trainable = False", "pass", "pass"), 0),
    ],
)  # fmt: skip
def test_what_is_not_known_is_not_told(case: tuple[str, str, str], index: int, tmp_path: Path) -> None:
    text = program(*case, f"weights[{index}]") + "y + tf.zeros((77, 78, 79))\n"
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems


CELL = """import tensorflow as tf

class Cell(tf.keras.layers.{base}):
    def build(self, shape):
        {built}

    def call(self, x, states, training=None):
        y = self.{weight}
        return x, [x]


Cell(5{more})(tf.zeros((2, 3)), [tf.zeros((2, 5)), tf.zeros((2, 5))])
"""


@pytest.mark.parametrize("built", ["super().build(shape)", "tf.keras.layers.{base}.build(self, shape)"])
@pytest.mark.parametrize("weight", ["kernel", "recurrent_kernel", "bias"])
@pytest.mark.parametrize(
    ("base", "more"), [("LSTMCell", ""), ("GRUCell", ""), ("GRUCell", ", reset_after=False"), ("SimpleRNNCell", "")]
)
def test_the_weights_of_a_cell_that_a_program_derives(
    base: str, more: str, weight: str, built: str, tmp_path: Path
) -> None:
    text = CELL.format(base=base, more=more, weight=weight, built=built.format(base=base))
    keras = pytest.importorskip("keras")
    cell = getattr(keras.layers, base)(5, **({"reset_after": False} if more else {}))
    cell.build((2, 3))
    shape = tuple(getattr(cell, weight).shape)
    for wrong in (False, True):
        told = f"self.{weight}\n        assert y.shape == {(*shape[:-1], shape[-1] + wrong)}"
        tree = ast.parse(text.replace(f"self.{weight}", told))
        problems = explore(tmp_path, "main.py", tree, Versions()).problems.values()
        assert [p.proved for p in problems if p.level == "error"] == ([True] if wrong else [])
