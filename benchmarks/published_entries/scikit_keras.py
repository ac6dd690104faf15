"""Entry points of scikit-keras: the straight networks that it builds from settings."""

import sys
import types

import keras

_package = sys.modules["skkeras"] = types.ModuleType("skkeras")
_package.__path__ = ["skkeras"]

from skkeras.models import Straight  # noqa: E402


def _model(shape, classes=3, **settings):
    inputs = keras.Input(shape, 2)
    return keras.Model(inputs, keras.layers.Dense(classes, activation="softmax")(Straight(**settings)(inputs)))


def dense():
    return _model((6,), dense_units=(8, 8))


def dense_with_dropout():
    return _model((6,), dense_units=(8,), dropout_rate=0.2, dense_activation="tanh", dense_kernel_regularizer_l2=0.01)


def normalized():
    return _model((6,), dense_units=(8,), batchnormalization=True)


def images():
    settings = {"convolution_filters": (4, 4), "convolution_kernel_size": ((3, 3), (2, 2))}
    pooling = {"pooling_pool_size": ((2, 2), (1, 1)), "pooling_strides": ((2, 2), (1, 1))}
    return _model((8, 8, 3), dense_units=(8,), convolution_activation="relu", **settings, **pooling)
