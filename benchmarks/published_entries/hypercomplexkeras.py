"""Entry points of hypercomplexkeras: dense and convolutional layers over several algebras, with a loss."""

import tensorflow as tf
from HypercomplexKeras import Algebra
from HypercomplexKeras.Convolutional import HyperConv1D, HyperConv2D
from HypercomplexKeras.Hyperdense import HyperDense


def _model(shape, *layers):
    inputs = hidden = tf.keras.Input(shape, 2)
    for layer in layers:
        hidden = layer(hidden)
    return tf.keras.Model(inputs, hidden)


def quaternions():
    return _model((8,), HyperDense(3, activation="relu"), tf.keras.layers.Dense(3, activation="softmax"))


def octonions():
    return _model((16,), HyperDense(2, activation="tanh", algebra=Algebra.Octonions), tf.keras.layers.Dense(1))


class _Classified(tf.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = layers

    def __call__(self, images, labels):
        for layer in self.layers:
            images = layer(images)
        return tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, images))


def _made(images, *layers):
    head = tf.keras.layers.Flatten(), tf.keras.layers.Dense(3, activation="softmax")
    model, inputs = _Classified(*layers, *head), (images, tf.constant([0, 2]))
    model(*inputs)
    return model, inputs


def images():
    return _made(tf.random.uniform((2, 6, 6, 4)), HyperConv2D(2, (3, 3), activation="relu"))


def sounds():
    layer = HyperConv1D(2, (3,), activation="relu", algebra=Algebra.Complex)
    return _made(tf.random.normal((2, 12, 4)), layer)
