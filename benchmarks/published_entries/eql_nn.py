"""Entry points of eql-nn: networks that learn equations, stacked as its model builds them."""

import keras
from EQL.layer import DenseLayer, EqlLayer


def _equation(units, dim, exclude=None, lmbda=0):
    given = result = keras.Input((dim,), 4)
    for position, v in enumerate(units):
        left_out = exclude[position] if exclude else None
        result = EqlLayer("random_normal", "random_normal", v=v, lmbda=lmbda, exclude=left_out)(result)
    return keras.Model(given, DenseLayer("random_normal", "random_normal", lmbda=lmbda)(result))


def two_layers():
    return _equation([1, 1], 5)


def wider_with_penalty():
    return _equation([2, 3], 4, lmbda=0.001)


def without_some():
    return _equation([1, 1], 3, exclude=[["sin"], ["mult", "sig"]])
