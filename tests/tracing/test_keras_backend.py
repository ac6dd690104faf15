"""Shapes of keras.backend and of tf.TensorArray, held against the libraries: each call is run and traced."""

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
from tensorflow.keras import backend as K
a, b, c = tf.ones((4, 6)), tf.ones((4, 5, 6)), tf.ones((2, 8, 8, 3))
i = tf.constant([0, 2])

def written(count, size=0, grows=True):
    found = tf.TensorArray(tf.float32, size=size, dynamic_size=grows)
    for n in range(count):
        found = found.write(n, a)
    return found
"""
CALLS = """
    tf.ones(K.int_shape(b)[1:])
    K.mean(b, axis=[1, 2])
    K.sum(b, axis=-1, keepdims=True)
    K.max(b, axis=1)
    K.std(a, axis=0)
    K.all(a > 0, axis=1)
    K.argmax(a)
    K.argmax(b, axis=1)
    K.cumsum(a)
    K.expand_dims(a)
    K.expand_dims(a, 0)
    K.squeeze(K.expand_dims(a, 1), axis=1)
    K.concatenate([a, a])
    K.concatenate([a, a], axis=0)
    K.stack([a, a], axis=1)
    K.permute_dimensions(b, (2, 0, 1))
    K.permute_dimensions(x=b, pattern=(0, 2, 1))
    K.transpose(a)
    K.tile(a, [1, 2])
    K.tile(x=a, n=[2, 1])
    K.reverse(a, axes=1)
    K.gather(a, i)
    K.one_hot(i, 5)
    K.cast(a, "float16")
    K.arange(5)
    K.eye(3)
    K.zeros((2, 3))
    K.ones_like(b)
    K.random_normal((2, 3), mean=1.0)
    K.random_uniform(shape=(2, 3))
    K.constant([1.0, 2.0])
    K.maximum(b, a[:, None])
    K.greater(a, 0.5)
    K.softmax(a)
    K.clip(a, 0.0, 1.0)
    K.l2_normalize(a, axis=1)
    K.bias_add(a, tf.ones((6,)))
    K.bias_add(b, tf.ones((6,)))
    K.bias_add(b, tf.ones((5, 6)))
    K.bias_add(b, tf.ones((5, 1)))
    K.bias_add(c, tf.ones((3,)), data_format="channels_last")
    K.bias_add(c, tf.ones((8,)), "channels_first")
    K.dot(a, tf.ones((6, 7)))
    K.dot(b, tf.ones((6, 7)))
    K.dot(b, tf.ones((2, 6, 7)))
    K.batch_dot(a, a)
    K.batch_dot(a, b, axes=(1, 2))
    K.batch_dot(b, tf.ones((4, 6, 3)))
    K.batch_dot(b, b, axes=[2, 2])
    K.batch_dot(b, b, axes=1)
    K.batch_flatten(c)
    K.flatten(c)
    K.repeat(a, 3)
    K.repeat_elements(b, 2, axis=1)
    K.resize_images(c, 2, 3, "channels_last")
    K.spatial_2d_padding(c)
    K.spatial_2d_padding(c, ((1, 2), (0, 1)))
    K.temporal_padding(b, (1, 2))
    K.switch(tf.constant(True), a, a + 1)
    written(3).stack()
    written(3, 3, False).stack()
    written(3).concat()
    written(3).read(1)
    written(3).gather([0, 2])
    tf.ones(written(3).size())
    tf.TensorArray(tf.float32, size=4).unstack(b).read(0)
    tf.TensorArray(tf.float32, size=4).unstack(b).stack()
    a + K.epsilon()
    keras.activations.swish(b)
    keras.activations.log_softmax(b)
    keras.activations.get("leaky_relu")(a)
    keras.activations.get(None)(a)
    keras.activations.get(keras.activations.serialize(keras.activations.swish))(a)
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [line.strip() for line in CALLS])
def test_a_function_has_the_shape_that_keras_gives(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    scope: dict[str, Any] = {}
    exec(text, scope)
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
    last = text.count("\n")
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert set(found) == {tuple(scope["y"].shape)}


REFUSED = """
    K.mean(a, axis=2)
    K.concatenate([a, b])
    K.bias_add(a, tf.ones((7,)))
    K.bias_add(b, tf.ones((5,)))
    K.bias_add(b, tf.ones((5, 5)))
    K.bias_add(b, tf.ones((4, 5, 6)))
    K.bias_add(c, tf.ones((3,)), "channels_first")
    K.dot(a, tf.ones((5, 7)))
    K.dot(b, tf.ones((2, 5, 7)))
    K.batch_dot(a, tf.ones((4, 5)))
    K.batch_dot(a, tf.ones((3, 6)))
    K.batch_dot(b, b)
    K.repeat(b, 3)
    K.permute_dimensions(b, (0, 1))
    K.reshape(a, (5, 5))
    keras.activations.gelu(a) + tf.ones((4, 7))
    (a - K.epsilon()) / tf.ones((4, 7))
    written(3).stack() + tf.ones((2, 4, 6))
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [line.strip() for line in REFUSED.strip().splitlines()])
def test_what_keras_refuses_is_an_error(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    with pytest.raises(Exception):  # noqa: B017
        exec(text, {})
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert [(p.level, p.site.line) for p in problems if p.certain] == [("error", text.count("\n"))]


FORMAT = """
import keras
from keras import backend as K, layers
{setting}
shape = (1, 28, 20) if K.image_data_format() == "channels_first" else (28, 20, 1)
model = keras.Sequential([keras.Input(shape), layers.Conv2D(4, (3, {kernel}))])
"""


@pytest.mark.parametrize("setting", ["", "K.set_image_data_format('channels_first')"])
@pytest.mark.parametrize(("kernel", "lines"), [(3, []), (21, [6])])
def test_the_place_of_channels_is_the_default_until_another_is_set(
    setting: str, kernel: int, lines: list[int], tmp_path: Path
) -> None:
    text = FORMAT.format(setting=setting, kernel=kernel)
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems if p.level == "error" and p.certain] == lines
