"""Entry points of keras-wrn: wide residual networks, with and without dropout, and with their loss."""

import keras
from keras_wrn import build_model


def wide():
    return build_model((32, 32, 3), 10, 10, 2)


def dropped():
    return build_model((32, 32, 1), 5, 16, 2, dropout=0.3)


class _Loss(keras.layers.Layer):
    def call(self, given, wanted):
        return keras.ops.mean(keras.losses.sparse_categorical_crossentropy(wanted, given))


def trained():
    model = build_model((32, 32, 3), 10, 10, 2)
    images, labels = keras.Input((32, 32, 3), 2, name="images"), keras.Input((), 2, name="labels", dtype="int32")
    return keras.Model([images, labels], _Loss()(model(images), labels))
