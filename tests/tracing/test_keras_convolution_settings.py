"""`conv_utils` of Keras and sizes that TensorFlow computes: what published convolutions build their kernels with."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

LAYER = """import tensorflow as tf
from tensorflow.python.keras.utils import conv_utils

class Scaled(tf.keras.layers.Layer):
    def __init__(self, filters, size, padding="Same", data_format=None):
        super().__init__()
        self.filters = filters
        self.size = conv_utils.normalize_tuple(size, 2, "size")
        self.padding = conv_utils.normalize_padding(padding)
        self.order = conv_utils.convert_data_format(conv_utils.normalize_data_format(data_format), 4)
    def build(self, shape):
        inner = shape[self.order.index("C")]
        self.kernel = self.add_weight(shape=self.size + (inner, self.filters), initializer="zeros")
    def call(self, x):
        return tf.nn.conv2d(x, self.kernel, 1, self.padding.upper(), self.order)

y = Scaled({given})(tf.zeros((2, 8, 8, 3)))
tf.reshape(y, (2, 8, 8, {filters}))
"""


@pytest.mark.parametrize("given", ["4, 3", "4, (3, 5)", "4, [1, 3], 'SAME', 'channels_last'"])
@pytest.mark.parametrize("filters", [4, 5])
def test_the_settings_of_a_convolution(tmp_path: Path, given: str, filters: int) -> None:
    shared = explore(tmp_path, "net.py", ast.parse(LAYER.format(given=given, filters=filters)), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == [18] * (filters != 4)
    assert not shared.unknown_calls


def test_settings_that_are_not_known(tmp_path: Path) -> None:
    given = "4, tuple(map(int, open('sizes'))), open('padding').read(), open('order').read()"
    shared = explore(tmp_path, "net.py", ast.parse(LAYER.format(given=given, filters=5)), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error" and p.proved]


ROUNDS = """import tensorflow as tf
count = tf.cast(tf.pow(2, tf.constant({bits} - 1, dtype="float32")), tf.int64)
parts = []
for place in range(count):
    parts.append((tf.constant(4.0) * tf.pow(0.5, tf.cast(place, "float32")))[..., None])
tf.reshape(tf.concat(parts, axis=-1), (4,))
"""


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_a_power_of_two_tensors_that_are_known(tmp_path: Path, bits: int) -> None:
    shared = explore(tmp_path, "net.py", ast.parse(ROUNDS.format(bits=bits)), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved] == [6] * (bits != 3)


@pytest.mark.parametrize("power", ["tf.pow(7, tf.constant(12))", "tf.pow(2.0, tf.constant(-1.0))"])
def test_a_power_that_is_not_kept(tmp_path: Path, power: str) -> None:
    text = f"import tensorflow as tf\ntf.reshape(tf.zeros(4), (int({power}) % 3 + 1, -1))\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error" and p.proved]
