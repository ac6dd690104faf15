"""Entry points of mdrnn: its recurrent networks over grids, in one direction and in all, with losses of training."""

import keras
import numpy as np
import tensorflow as tf
from mdrnn import MDLSTM, MDRNN, Direction, MultiDirectional


class _Grids(tf.Module):
    """States at the start are given, since its own are of a type that NumPy no longer has."""

    def __init__(self, layer, states, loss, **output):
        super().__init__()
        self.layer, self.output, self.states = layer, keras.layers.Dense(**output), states
        self.loss = loss

    def __call__(self, grids, wanted):
        states = [np.zeros((1, 6), "float32") for _ in range(self.states)]
        return self.loss(wanted, self.output(self.layer(grids, initial_state=states)))


def _grids():
    return tf.random.normal((3, 2, 3, 5))


def classified():
    loss = keras.losses.SparseCategoricalCrossentropy()
    model = _Grids(MDRNN(6, input_shape=(2, 3, 5)), 2, loss, units=4, activation="softmax")
    return model, (_grids(), tf.constant([3, 0, 2]))


def each_position():
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    layer = MDRNN(6, input_shape=(2, 3, 5), activation="relu", return_sequences=True, direction=Direction(1, -1))
    return _Grids(layer, 2, loss, units=1), (_grids(), tf.constant(np.arange(18).reshape(3, 2, 3, 1) % 2))


def long_memory():
    loss = keras.losses.MeanSquaredError()
    return _Grids(MDLSTM(6, input_shape=(2, 3, 5)), 4, loss, units=1), (_grids(), tf.random.normal((3, 1)))


def all_directions():
    loss = keras.losses.SparseCategoricalCrossentropy()
    layer = MultiDirectional(MDRNN(6, input_shape=(2, 3, 5)))
    return _Grids(layer, 2, loss, units=4, activation="softmax"), (_grids(), tf.constant([3, 0, 2]))
