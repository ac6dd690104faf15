"""Layers that Keras does not make, held against Keras: the line that makes the layer is told."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.operators.keras_construction import OF_KERAS_1
from analyzer.tracing.tracing import explore, read_source

keras = pytest.importorskip("keras")

LAYERS = [
    "Conv2D(3, 0)", "Conv2D(3, (3, 0))", "Conv2D(3, (3, 1))", "Conv2D(0, 3)", "Conv2D(3, 3, strides=0)",
    "Conv2D(3, 3, dilation_rate=(1, 0))", "DepthwiseConv2D(0)", "SeparableConv2D(3, 0)", "Conv2DTranspose(3, 0)",
    "MaxPooling2D(0)", "MaxPooling2D(2)", "AveragePooling1D(0)", "GlobalAveragePooling2D()", "Dense(0)", "Dense(5)",
    "Conv1D(4, 3, groups=3)", "Conv1D(6, 3, groups=3)", "Conv1D(4, 3, groups=0)", "UpSampling2D(0)", "LSTM(0)",
    "GRU(3)", "Embedding(0, 3)", "Embedding(2, 3)", "Conv2D(3, (3, 3, 3))", "DepthwiseConv2D(3, depth_multiplier=0)",
    "RepeatVector(0)", "MultiHeadAttention(0, 3)", "ConvLSTM2D(3, 0)", "Conv3D(2, [1, 2, 3])",
]  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_that_is_not_made(tmp_path: Path, layer: str) -> None:
    text = f"import keras\nfrom keras import layers\nlayer = layers.{layer}\nprint(layer)\n"
    try:
        eval(f"keras.layers.{layer}", {"keras": keras})
        wrong = False
    except ValueError:
        wrong = True
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in found if p.level == "error"] == ([3] if wrong else [])


_OLD = """
from keras.layers import Convolution2D, MaxPooling2D
from keras.models import Sequential

net = Sequential()
net.add(Convolution2D(8, {}, input_shape=(3, 32, 32)))
net.add(MaxPooling2D((8, 8)))
"""


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [("9, 9, border_mode='same'", False), ("3, 3, subsample=(2, 2)", False), ("9", True), ("9, padding='same'", True)],
)
def test_arguments_of_keras_1_have_its_order_of_axes(tmp_path: Path, arguments: str, wrong: bool) -> None:
    (tmp_path / "net.py").write_text(_OLD.format(arguments))
    _, tree = read_source(tmp_path / "net.py", tmp_path)
    shared = explore(tmp_path, "net.py", tree, Versions())
    assert any(p.level == "error" for p in shared.problems.values()) is wrong


def test_no_layer_of_today_has_an_argument_of_keras_1() -> None:
    import keras

    layers = [v for v in vars(keras.layers).values() if inspect.isclass(v)]
    assert not any(OF_KERAS_1 & set(inspect.signature(layer.__init__).parameters) for layer in layers)


UNPADDED = """import keras
import tensorflow as tf

class Block(keras.layers.Layer):
    def __init__(self, **settings):
        super().__init__(**settings)
        self.conv = keras.layers.DepthwiseConv1D(3, padding={!r})
    def call(self, x):
        return self.conv(tf.pad(x, self.margins))
"""


def test_an_argument_that_no_rank_makes_right_is_told(tmp_path: Path) -> None:
    """And not that the input, whose rank is not known, has none."""
    told = {}
    for padding in ("same", "causal"):
        shared = explore(tmp_path, "net.py", ast.parse(UNPADDED.format(padding)), Versions())
        told[padding] = [p.message.partition(": ")[2] for p in shared.problems.values() if p.level == "error"]
    assert told == {"same": [], "causal": ["`padding` is 'causal'; it must be one of valid, same"]}
