"""Defects inside Keras layers and models, each with a repaired twin. The line that fails is marked ``# defect: <name>``."""

import keras
from keras import ops


class Surprise(keras.layers.Layer):
    def call(self, logits):
        return -ops.log(ops.softmax(logits))  # defect: surprise


class SurpriseRepaired(keras.layers.Layer):
    def call(self, logits):
        return -ops.log_softmax(logits)


class Gain(keras.layers.Layer):
    def build(self, shape):
        self.gain = self.add_weight(shape=(1,), initializer="ones", name="gain")

    def call(self, x):
        return x / self.gain  # defect: gain


class GainRepaired(Gain):
    def call(self, x):
        return x / (ops.abs(self.gain) + 1e-6)


class Length(keras.layers.Layer):
    def call(self, x):
        return x / ops.sqrt(ops.sum(x * x, axis=-1, keepdims=True))  # defect: length


class LengthRepaired(keras.layers.Layer):
    def call(self, x):
        return x / ops.sqrt(ops.sum(x * x, axis=-1, keepdims=True) + 1e-6)


def _model(*layers):
    inputs = keras.Input((6,), name="x")
    hidden = keras.layers.Dense(5, activation="relu", name="hidden")(inputs)
    return keras.Model(inputs, [layer(name=f"end_{i}")(hidden) for i, layer in enumerate(layers)])


def defective():
    return _model(Surprise, Gain, Length)


def repaired():
    return _model(SurpriseRepaired, GainRepaired, LengthRepaired)
