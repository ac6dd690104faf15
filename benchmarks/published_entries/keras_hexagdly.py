"""Entry points of keras-hexagdly: small networks on hexagonal grids, with the losses of what they tell."""

import keras
from keras_hexagdly import AvgPool2d, Conv2d, Conv3d, MaxPool2d


class _Loss(keras.layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, wanted, given):
        return self.function(wanted, given)


def _entry(grid, layers, wanted, function):
    hidden = given = keras.Input(grid, 2, name="grid")
    for layer in layers:
        hidden = layer(hidden)
    return keras.Model([given, wanted], _Loss(function)(wanted, hidden))


def classifier():
    layers = [Conv2d(4, 1, activation="relu"), MaxPool2d(1, 2), keras.layers.Flatten(), keras.layers.Dense(3)]
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return _entry((6, 6, 1), layers, keras.Input((), 2, dtype="int32", name="labels"), loss)


def averaged():
    layers = [Conv2d(4, 2, activation="relu"), AvgPool2d(1, 1), keras.layers.GlobalAveragePooling2D()]
    layers.append(keras.layers.Dense(1, activation="sigmoid"))
    return _entry((6, 6, 1), layers, keras.Input((1,), 2, name="labels"), keras.losses.BinaryCrossentropy())


def shared_neighbours():
    layers = [Conv2d(4, 1, share_neighbors=True, activation="tanh"), Conv2d(1, 1)]
    return _entry((6, 6, 2), layers, keras.Input((6, 6, 1), 2, name="wanted"), keras.losses.MeanSquaredError())


def volume():
    layers = [Conv3d(2, (2, 1), activation="relu"), keras.layers.GlobalAveragePooling3D(), keras.layers.Dense(1)]
    return _entry((4, 6, 6, 1), layers, keras.Input((1,), 2, name="wanted"), keras.losses.Huber())
