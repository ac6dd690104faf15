"""Entry points of keras-sig: signatures of paths in front of small heads."""

import keras
import tensorflow as tf
from keras_sig import SigLayer


class _Training(tf.Module):
    def __init__(self, loss, *layers):
        super().__init__()
        self.model, self.loss = keras.Sequential([keras.Input((6, 3)), *layers]), loss

    def __call__(self, paths, wanted):
        return tf.reduce_mean(self.loss(wanted, self.model(paths)))


def _paths():
    return tf.cumsum(0.3 * tf.random.normal((4, 6, 3)), axis=1)


def classes():
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return _Training(loss, SigLayer(2), keras.layers.Dense(3)), (_paths(), tf.constant([0, 2, 1, 1]))


def regression():
    layers = keras.layers.Dense(2), SigLayer(3), keras.layers.Dense(1)
    return _Training(keras.losses.mean_squared_error, *layers), (_paths(), tf.random.normal((4, 1)))


def streamed():
    layers = SigLayer(2, stream=True), keras.layers.GRU(4), keras.layers.Dense(1)
    return _Training(keras.losses.mean_squared_error, *layers), (_paths(), tf.random.normal((4, 1)))
