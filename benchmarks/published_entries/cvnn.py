"""Entry points of cvnn: its losses of complex numbers, on a layer for each of their parts."""

import sys
import types

import tensorflow as tf

_package = sys.modules["cvnn"] = types.ModuleType("cvnn")
_package.__path__ = ["cvnn"]

from cvnn.losses import (  # noqa: E402
    ComplexAverageCrossEntropy,
    ComplexAverageCrossEntropyIgnoreUnlabeled,
    ComplexMeanSquareError,
    ComplexWeightedAverageCrossEntropy,
)


class _Complex(tf.Module):
    def __init__(self, loss, activation=None):
        super().__init__()
        self.real, self.imaginary = (tf.keras.layers.Dense(3, activation=activation) for _ in range(2))
        self.loss = loss

    def __call__(self, features, wanted):
        return tf.reduce_mean(self.loss.call(wanted, tf.complex(self.real(features), self.imaginary(features))))


def _classes(*places):
    return tf.random.normal((4, 5)), tf.one_hot(tf.constant(places), 3)


def average():
    return _Complex(ComplexAverageCrossEntropy(), "softmax"), _classes(0, 2, 1, 1)


def unlabelled():
    return _Complex(ComplexAverageCrossEntropyIgnoreUnlabeled(), "softmax"), _classes(0, -1, 1, -1)


def weighted():
    loss = ComplexWeightedAverageCrossEntropy(weights=tf.constant([0.2, 0.3, 0.5]))
    return _Complex(loss, "softmax"), _classes(0, 2, 1, 1)


def squared():
    return _Complex(ComplexMeanSquareError()), (tf.random.normal((4, 5)), tf.random.normal((4, 3)))
