"""Entry points of ashpy: its dense encoder and decoder, and its layers of attention and of normalization."""

import sys
import types

import tensorflow as tf

for _name in ("ashpy", "ashpy.models", "ashpy.models.fc", "ashpy.layers"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from ashpy.layers.attention import Attention  # noqa: E402
from ashpy.layers.instance_normalization import InstanceNormalization  # noqa: E402
from ashpy.models.fc.decoders import Decoder  # noqa: E402
from ashpy.models.fc.encoders import Encoder  # noqa: E402


class _Trained(tf.Module):
    """What the models make of rows, with the error that they are trained by."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = layers

    def __call__(self, features, wanted):
        for layer in self.layers:
            features = layer(features)
        return tf.reduce_mean(tf.square(features - wanted))


def _made(features, wanted, *layers):
    model = _Trained(*layers)
    model(features, wanted)
    return model, (features, wanted)


def autoencoder():
    rows = tf.random.normal((4, 8))
    return _made(rows, rows, Encoder([12, 10], 4), Decoder([10, 12], 8))


def normalized_images():
    layers = tf.keras.layers.Conv2D(4, 3, padding="same"), InstanceNormalization()
    return _made(tf.random.uniform((2, 6, 6, 3)), tf.zeros((2, 6, 6, 4)), *layers)


def attended_images():
    layers = tf.keras.layers.Conv2D(16, 3, padding="same"), Attention(16)
    return _made(tf.random.uniform((2, 6, 6, 3)), tf.zeros((2, 6, 6, 16)), *layers)
