"""Entry points of rt-activation: its rectified tangent in a perceptron, in convolutions and in a recurrent cell."""

import keras
import tensorflow as tf
from rt_activation import RTA, rta


class _Trained(tf.Module):
    def __init__(self, loss, *layers):
        super().__init__()
        self.model, self.loss = keras.Sequential(layers), loss

    def __call__(self, features, wanted):
        return tf.reduce_mean(self.loss(wanted, self.model(features)))


def rows():
    layers = keras.Input((5,)), keras.layers.Dense(8, RTA), keras.layers.Dense(8, rta), keras.layers.Dense(1)
    return _Trained(keras.losses.mean_squared_error, *layers), (tf.random.normal((6, 5)), tf.random.normal((6, 1)))


def images():
    layers = [keras.Input((8, 8, 3)), keras.layers.Conv2D(6, 3), keras.layers.BatchNormalization()]
    layers += [keras.layers.Activation(RTA), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(3, "softmax")]
    loss = keras.losses.sparse_categorical_crossentropy
    return _Trained(loss, *layers), (tf.random.uniform((2, 8, 8, 3)), tf.constant([2, 0]))


def steps():
    layers = keras.Input((6, 3)), keras.layers.GRU(8, activation=RTA), keras.layers.Dense(1, "sigmoid")
    return _Trained(keras.losses.binary_crossentropy, *layers), (tf.random.normal((2, 6, 3)), tf.constant([[1.0], [0]]))
