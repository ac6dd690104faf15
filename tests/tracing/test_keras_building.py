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
