"""Layers of Keras that a program builds itself, held against Keras."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import keras
import tensorflow as tf
from keras import layers


class Net(layers.Layer):
    def build(self, input_shape):
        self.first = layers.Conv2D({filters}, 3)
        self.first.build(input_shape)
        self.norm = layers.LayerNormalization()
        self.norm.build({shape})

    def call(self, x):
        return self.norm(self.first(x))


net = Net()
net(tf.ones((2, 8, 8, {channels})))
net(tf.ones((2, 9, 9, 3)))
"""


@pytest.mark.parametrize(
    ("filters", "shape", "channels"),
    [
        (16, "(None, None, None, 16)", 3),
        (32, "(None, None, None, 16)", 3),
        (16, "[None, 6, 6, 17]", 3),
        (16, "self.first.compute_output_shape(input_shape)", 3),
        (16, "(None, None, None, 16)", 5),
    ],
)
def test_a_layer_that_is_built_takes_what_it_was_built_for(
    filters: int, shape: str, channels: int, tmp_path: Path
) -> None:
    text = PROGRAM.format(filters=filters, shape=shape, channels=channels)
    fails = False
    try:
        exec(text, {"__name__": "program"})
    except Exception:
        fails = True
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    told = [p for p in shared.problems.values() if p.level == "error"]
    assert bool(told) is fails
    assert all(p.proved for p in told)


CROSSED = """
import keras
import tensorflow as tf
from keras import layers


class Crossed(layers.Layer):
    def __init__(self):
        super().__init__()
        self.query, self.key = layers.Dense(4), layers.Dense(4)

    def build(self, {first}_shape, context_shape=None):
        self.query.build({first}_shape)
        self.key.build({first}_shape if context_shape is None else context_shape)

    def call(self, x, context=None):
        return self.query(x), self.key(x if context is None else context)


layer = Crossed()
{builds}
layer(tf.ones((2, 3, 5)), tf.ones((2, 7, {width})))
"""


@pytest.mark.parametrize(
    ("first", "builds", "width", "wrong"),
    [
        ("input", "layer.build((2, 3, 5), (2, 7, 6))", 6, False),
        ("input", "layer.build((2, 3, 5), (2, 7, 6))", 7, True),
        ("x", "", 6, False),
        ("x", "layer.build((2, 3, 5))", 6, True),
    ],
)
def test_a_layer_is_built_once_and_by_the_names_of_what_its_call_takes(
    first: str, builds: str, width: int, wrong: bool, tmp_path: Path
) -> None:
    text = CROSSED.format(first=first, builds=builds, width=width)
    error = None
    try:
        exec(compile(text, "program", "exec"), {})
    except ValueError as raised:
        error = raised
    assert (error is not None) == wrong
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert any(p.level == "error" for p in shared.problems.values()) == wrong
