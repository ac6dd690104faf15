"""Entry points of leap-net: its layers of a grid whose lines may fall out, in models of Keras."""

import sys
import types

import keras

_package = sys.modules["leap_net"] = types.ModuleType("leap_net")
_package.__path__ = ["leap_net"]

from leap_net.keras import Ltau, LtauNoAdd, ResNetLayer  # noqa: E402


def _model(*layers):
    loads, lines = keras.Input((6,), 3, name="loads"), keras.Input((4,), 3, name="lines")
    hidden = keras.layers.Dense(8, activation="relu")(loads)
    for layer in layers:
        hidden = layer([hidden, lines]) if isinstance(layer, LtauNoAdd) else layer(hidden)
    return keras.Model([loads, lines], keras.layers.Dense(5)(hidden))


def leap():
    return _model(Ltau())


def leap_without_sum():
    return _model(LtauNoAdd(use_bias=False))


def wide_leap():
    return _model(Ltau(nb_unit_per_tau_dim=3), Ltau())


def residual():
    return _model(ResNetLayer(12, activation="relu"), Ltau(), ResNetLayer(6))
