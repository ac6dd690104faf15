"""Models that are saved and copied, their weights and shapes, layers that prepare data, and published networks."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import keras
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
w = tf.ones((3, 4))
i = keras.Input((4,))
m = keras.Model(i, layers.Dense(2, name="last")(layers.Dense(3)(i)))
s = keras.Sequential([keras.Input((4,)), layers.Dense(3), layers.BatchNormalization(), layers.Dense(2)])

def called(layer, x=w):
    layer(x)
    return layer

def loaded(model, path="FOLDER/m.keras"):
    model.save(path)
    return keras.models.load_model(path)

def stepped(cell):
    return cell(w, cell.get_initial_state(batch_size=3))[0]
"""
CALLS = """
    loaded(m)(w)
    loaded(s)(w)
    keras.models.model_from_json(m.to_json())(w)
    m.trainable_variables[0]
    s.trainable_weights[4]
    tf.ones((m.count_params(),))
    tf.ones(m.compute_output_shape((3, 4)))
    tf.ones(layers.Dense(7).compute_output_shape((3, 4)))
    tf.ones(s.compute_output_shape((None, 4))[1:])
    tf.ones((called(layers.Dense(7)).count_params(), 2))
    called(layers.BatchNormalization()).moving_mean
    called(layers.BatchNormalization()).gamma
    called(layers.Dense(7)).trainable_variables[1]
    stepped(layers.LSTMCell(5))
    stepped(layers.GRUCell(5))
    layers.PReLU()(w)
    layers.Normalization()(w)
    layers.StringLookup(vocabulary=["a", "b"])(tf.constant([["a"], ["b"]]))
    layers.IntegerLookup(vocabulary=[1, 2])(tf.constant([[1], [2]]))
    layers.Hashing(num_bins=3)(tf.constant([["a"], ["b"]]))
    layers.Discretization(bin_boundaries=[0.0, 1.0])(w)
    layers.CategoryEncoding(num_tokens=4, output_mode="one_hot")(tf.constant([1, 2]))
    layers.CategoryEncoding(num_tokens=4, output_mode="multi_hot")(tf.constant([[1, 2, 3], [0, 1, 2]]))
    layers.SpectralNormalization(layers.Dense(3))(w)
    keras.applications.MobileNet(weights=None, include_top=False, input_shape=(33, 65, 3))(tf.ones((2, 33, 65, 3)))
    keras.applications.MobileNet(weights=None, classes=7)(tf.ones((2, 224, 224, 3)))
    keras.applications.VGG16(weights=None, include_top=False, input_shape=(70, 64, 3))(tf.ones((2, 70, 64, 3)))
    keras.applications.vgg16.VGG16(weights=None, include_top=False, pooling="avg")(tf.ones((2, 64, 64, 3)))
    keras.applications.vgg16.preprocess_input(np.ones((2, 8, 8, 3)))
"""
REFUSED = """
    loaded(m)(tf.ones((3, 5)))
    keras.models.model_from_json(m.to_json())(tf.ones((3, 5)))
    tf.reshape(w, (m.count_params(),))
    tf.ones((3, 5)) + tf.ones(m.compute_output_shape((3, 4)))
    stepped(layers.LSTMCell(5)) + tf.ones((3, 4))
    layers.SpectralNormalization(layers.Dense(3))(w) + w
    layers.Dense(2)(layers.PReLU()(w)) + w
    tf.matmul(w, called(layers.Dense(7)).trainable_variables[1][None])
    keras.applications.MobileNet(weights=None, classes=7)(tf.ones((2, 224, 224, 3))) + tf.ones((2, 8))
"""
KEPT = """
    called(layers.Dense(7), tf.ones((1, m.compute_output_shape((3, 4))[1])))(tf.ones((3, 2)))
    tf.ones(layers.GRU(5).compute_output_shape((3, 4, 2)))
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", lines(CALLS) + lines(KEPT))
def test_a_call_has_the_shape_that_keras_gives(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n".replace("FOLDER", str(tmp_path))
    scope: dict[str, Any] = {}
    exec(text, scope)
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
    last = text.count("\n")
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert set(found) == {tuple(scope["y"].shape)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", lines(REFUSED))
def test_what_keras_refuses_is_found(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n".replace("FOLDER", str(tmp_path))
    with pytest.raises(Exception):  # noqa: B017
        exec(text, {})
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True]


def test_asking_for_a_shape_builds_nothing(tmp_path: Path) -> None:
    """A layer that was asked what it gives for one width takes another."""
    text = f"{HEAD}\nd = layers.Dense(7)\nd.compute_output_shape((3, 9))\ny = d(w)\n"
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
