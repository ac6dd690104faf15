"""Entry points of cstmodels: sets of pictures that its blocks read together, as in its README, with a loss."""

import keras
import tensorflow as tf
from cstmodels import SetConv2D, SmartReshape2D


def _network(filters, classes, **options):
    pictures = keras.Input((None, None, None, 3))
    hidden, size = SmartReshape2D()(pictures)
    for count in filters:
        hidden = SetConv2D(count, 3, activation="relu", padding="same", **options)(hidden, set_size=size)
        hidden = SetConv2D(count, 3, activation="relu", padding="same", **options)(hidden, set_size=size)
        hidden = keras.layers.MaxPooling2D()(hidden)
    hidden = keras.layers.GlobalAveragePooling2D()(hidden)
    return keras.Model(pictures, keras.layers.Dense(classes, activation="softmax")(hidden))


class _Sets(tf.Module):
    """One label for each picture of a set."""

    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, keras.losses.SparseCategoricalCrossentropy()

    def __call__(self, pictures, labels):
        return self.loss(labels, self.model(pictures))


def _pictures():
    return tf.random.uniform((2, 3, 8, 8, 3)), tf.constant([0, 0, 0, 2, 2, 2])


def trained():
    return _Sets(_network((4, 8), 3)), _pictures()


def trained_with_dropout():
    return _Sets(_network((8,), 3, mhsa_dropout=0.1)), _pictures()
