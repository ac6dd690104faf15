"""Entry points of keras-efficient-kan: small networks of its layer with losses of Keras."""

import keras
import tensorflow as tf
from keras_efficient_kan import KANLinear


class _Training(tf.Module):
    def __init__(self, layers, loss):
        super().__init__()
        self.model = keras.Sequential([keras.Input((4,)), *layers])
        self.loss = loss

    def __call__(self, features, wanted):
        return tf.reduce_mean(self.loss(wanted, self.model(features)))


def regression():
    layers = [KANLinear(5), KANLinear(1, use_layernorm=False)]
    return _Training(layers, keras.losses.mean_squared_error), (tf.random.normal((3, 4)), tf.random.normal((3, 1)))


def classifier():
    layers = [KANLinear(5, grid_size=4, spline_order=2), KANLinear(3, base_activation="silu"), keras.layers.Softmax()]
    loss = keras.losses.SparseCategoricalCrossentropy()
    return _Training(layers, loss), (tf.random.normal((3, 4)), tf.constant([0, 2, 1]))
