"""Initialisers, regularisers and constraints of Keras, and second names of functions, held against the libraries."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import keras
import tensorflow as tf
from tensorflow.keras import constraints, initializers, regularizers
from keras.src.initializers.random_initializers import HeNormal
from keras.src.ops.numpy import concatenate
from tensorflow.python.framework import ops
from tensorflow.python.layers import utils
from tensorflow.python.ops import array_ops, init_ops_v2, math_ops, nn, nn_ops
w = tf.ones((3, 4))

@keras.saving.register_keras_serializable("programs")
class Doubled:
    def __init__(self, times=2):
        self.times = times

    def __call__(self, w):
        return tf.concat([w] * self.times, 0)

    def get_config(self):
        return {"times": self.times}

    @classmethod
    def from_config(cls, config):
        return cls(**config)
"""
CALLS = """
    initializers.get("glorot_uniform")((3, 4))
    initializers.get("HeNormal")(shape=(3, 4))
    initializers.he_uniform()((2, 5))
    initializers.get(initializers.serialize(initializers.Orthogonal()))((5, 2))
    initializers.get(initializers.Zeros)((2, 2))
    initializers.get({"class_name": "RandomNormal", "config": {"mean": 0.0, "stddev": 0.1}})((7,))
    initializers.get(lambda shape, dtype=None: tf.zeros(shape))((2, 3))
    initializers.constant(1.0)((3, 1))
    tf.initializers.glorot_uniform()((3, 4))
    tf.random_normal_initializer(0.0, 0.1)((3, 4))
    tf.initializers.Constant(2.0)((3, 4))
    regularizers.get("l2")(w)
    regularizers.l1_l2(0.1, 0.2)(w)
    regularizers.get(None) or w
    constraints.get("non_neg")(w)
    constraints.MaxNorm(2)(w)
    constraints.deserialize(constraints.serialize(constraints.UnitNorm()))(w)
    tf.ones((int(regularizers.L2(2).get_config()["l2"]), 3))
    Doubled(3)(w)
    HeNormal()((2, 3))
    concatenate([w, w], axis=1)
    array_ops.reshape(math_ops.reduce_sum(w, 1), [1, 3])
    nn_ops.softmax(w)
    nn.sigmoid_cross_entropy_with_logits(labels=w, logits=w)
    ops.convert_to_tensor([[1.0, 2.0]])
    init_ops_v2.Ones()((2, 3))
    math_ops.logical_and(w > 0, w > 1)
    array_ops.concat([w, w], 1)
    tf.ones((utils.conv_output_length(10, 3, "valid", 2), utils.conv_output_length(10, 3, "same", 3)))
    tf.ones((utils.conv_output_length(10, 3, "valid", 1, 2), utils.conv_output_length(10, 3, "full", 2)))
"""
REFUSED = """
    tf.matmul(w, initializers.get("zeros")((3, 4)))
    constraints.get("unit_norm")(w) + tf.ones((4, 3))
    tf.matmul(w, Doubled()(w))
    array_ops.reshape(w, [5])
    tf.concat([w, HeNormal()((2, 3))], 0)
    math_ops.matmul(w, w)
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", lines(CALLS))
def test_a_call_has_the_shape_that_the_library_gives(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    scope: dict[str, Any] = {}
    exec(text, scope)
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
    assert not shared.unknown_calls
    last = text.count("\n")
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert set(found) == {tuple(scope["y"].shape)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", lines(REFUSED))
def test_what_the_library_refuses_is_found(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    with pytest.raises(Exception):  # noqa: B017
        exec(text, {})
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True]


@pytest.mark.parametrize("use", ["activation(tf.zeros((2, {})))", "activation * {}", "activation == activations.{}"])
def test_the_activation_that_is_none(tmp_path: Path, use: str) -> None:
    text = f"""import tensorflow as tf
from tensorflow.keras import activations
activation = activations.get(None)
if {use.format("linear" if "==" in use else 3)} is not False:
    tf.reshape(activation(tf.zeros((2, 3))), (5,))
"""
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    found = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    assert found == [4 if "*" in use else 5]
