"""Functional Keras models by inheritance, models with inputs and outputs by name, embeddings that run both ways."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import keras
from keras import layers
class Backbone(keras.Model):
    def __init__(self, width):
        first, second = keras.Input((8,), name="left"), keras.Input((6,), name="right")
        hidden = layers.Dense(width)(layers.Concatenate()([first, second]))
        super().__init__(inputs={"b": first, "a": second}, outputs={"z": hidden, "c": layers.Dense(3)(hidden)})
        self.width = width
backbone = Backbone(5)
given = {"a": keras.Input((6,)), "b": keras.Input((8,))}
embedding = layers.ReversibleEmbedding(100, 32, dtype="float32")
vectors = embedding(keras.Input((7,), dtype="int32"))
"""


@pytest.mark.parametrize(
    ("value", "width"),
    [
        ("backbone(given)['z']", 5),
        ("backbone(given)['c']", 3),
        ("backbone(backbone.input)['z']", 5),
        ("keras.Model(backbone.inputs, backbone.outputs)([given['a'], given['b']])[0]", 3),
        ("vectors", 32),
        ("embedding(vectors, reverse=True)", 100),
        ("embedding(layers.Dense(32)(given['a']), reverse=True)", 100),
    ],
)
@pytest.mark.parametrize("more", [0, 1])
def test_a_width_is_what_keras_makes(tmp_path: Path, value: str, width: int, more: int) -> None:
    keras = pytest.importorskip("keras")
    text = f"{HEAD}x = {value}\ny = layers.Dense({width + more})(x)\nlayers.Add()([x, y])\n"
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    told = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    assert told == ([text.count("\n")] if more else [])
    if hasattr(keras.layers, "ReversibleEmbedding"):
        if more:
            with pytest.raises(ValueError, match="shapes"):
                exec(compile(text, "net.py", "exec"), {"__name__": "net"})
        else:
            exec(compile(text, "net.py", "exec"), {"__name__": "net"})


def test_vectors_of_another_width_are_refused(tmp_path: Path) -> None:
    text = f"{HEAD}embedding(layers.Dense(31)(vectors), reverse=True)\n"
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    (problem,) = [p for p in shared.problems.values() if p.level == "error" and p.proved]
    assert problem.site.line == text.count("\n")
    assert "must have 32 elements" in problem.message


GENERATOR = """
import numpy as np
import keras
def batches(rows, width):
    shape = (rows, *width)
    while True:
        yield np.zeros(shape), np.zeros((rows, 1))
class Batches(keras.utils.Sequence):
    def __init__(self, rows, width):
        self.shape = (rows, *width)
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return np.zeros(self.shape), np.zeros((self.shape[0], 1))
model = keras.Sequential([keras.layers.Dense(3, input_shape=(5,)), keras.layers.Dense(1)])
model.compile(loss="mse")
model.fit(SOURCE(4, (WIDTH,)), steps_per_epoch=3)
"""


@pytest.mark.parametrize(("width", "wrong"), [(5, False), (6, True)])
@pytest.mark.parametrize("source", ["batches", "Batches"])
def test_a_model_is_fitted_to_what_a_generator_gives(tmp_path: Path, source: str, width: int, wrong: bool) -> None:
    text = GENERATOR.replace("SOURCE", source).replace("WIDTH", str(width))
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert bool([p for p in found if p.level == "error" and p.proved]) is wrong


OWN = """import tensorflow as tf
class Own(tf.keras.layers.{base}):
    {build}
    def call(self, x):
        return {made}
Own({sizes})(tf.zeros({shape}))
"""
BUILDS = ["pass", "def build(self, shape):\n        super().build(shape)\n        self.extra = self.units = 9"]
MADE = [
    ("Dense", "5", (2, 3), "tf.matmul(x, self.kernel) + self.bias + tf.zeros({n})", 5),
    ("Dense", "5, use_bias=False", (2, 3), "tf.reduce_sum(self.kernel, axis=1) + tf.zeros({n})", 3),
    ("Conv1D", "5, 2", (2, 6, 3), "tf.nn.conv1d(x, self.kernel, 1, 'SAME') + tf.zeros({n})", 5),
    ("Embedding", "7, 4", (2, 3), "self.embeddings[0] + tf.zeros({n})", 4),
]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(("base", "sizes", "shape", "made", "size"), MADE)
@pytest.mark.parametrize("more", [0, 1])
def test_the_weights_of_a_layer_that_is_inherited_from(
    tmp_path: Path, build: str, base: str, sizes: str, shape: tuple[int, ...], made: str, size: int, more: int
) -> None:
    pytest.importorskip("tensorflow")
    text = OWN.format(base=base, build=build, sizes=sizes, shape=shape, made=made.format(n=size + more))
    try:
        exec(text, {"__name__": "net"})
        fails = False
    except Exception:
        fails = True
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    wrong = next(i for i, line in enumerate(text.splitlines(), 1) if "return" in line)
    assert [p.site.line for p in found if p.proved] == ([wrong] if fails else [])
    assert fails is bool(more)


STRIDES = """import tensorflow as tf
class Own(tf.keras.layers.Conv1D):
    def build(self, shape):
        {first}
        {second}
print(tf.keras.layers.Dense(2)(Own(5, 2)(tf.zeros((2, 6, 3)))) + tf.zeros((2, {size}, 2)))
"""


@pytest.mark.parametrize(
    "order", [("self.strides = (2,)", "super().build(shape)"), ("super().build(shape)", "self.strides = (2,)")]
)
@pytest.mark.parametrize(("size", "wrong"), [(3, False), (5, True)])
def test_strides_that_are_set_while_a_layer_is_built_are_those_it_moves_by(
    tmp_path: Path, order: tuple[str, str], size: int, wrong: bool
) -> None:
    text = STRIDES.format(first=order[0], second=order[1], size=size)
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert bool([p for p in found if p.proved]) is wrong
