"""Entry points of keras-lmu: Legendre memory units on one layer."""

import keras
import keras_lmu


def _model(layer):
    keras.utils.set_random_seed(0)
    x = keras.Input((10, 4))
    return keras.Model(x, keras.layers.Dense(3, activation="softmax")(layer(x)))


def memory():
    return _model(keras_lmu.LMU(2, 8, 10, keras.layers.SimpleRNNCell(6), hidden_to_memory=True, memory_to_memory=True))


def trained_theta():
    return _model(keras_lmu.LMU(2, 4, 10, None, trainable_theta=True, discretizer="euler"))


def feedforward():
    return _model(keras_lmu.LMUFeedforward(2, 4, 10, keras.layers.Dense(6), conv_mode="raw"))
