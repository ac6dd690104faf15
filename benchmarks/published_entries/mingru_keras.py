"""Entry points of mingru-keras: sequences read by layers of the minimal unit, and training on them."""

import keras
from mingru_keras import MinGRU


class _Loss(keras.layers.Layer):
    def call(self, wanted, given):
        return keras.ops.mean(keras.losses.sparse_categorical_crossentropy(wanted, given, from_logits=True))


def _sequence():
    return keras.Input((12, 6), 2, name="sequence")


def layer():
    sequence = _sequence()
    return keras.Model(sequence, MinGRU(8)(sequence))


def stacked():
    sequence = _sequence()
    hidden = keras.layers.LayerNormalization()(MinGRU(8)(sequence))
    return keras.Model(sequence, keras.layers.Dense(1)(MinGRU(8)(hidden)[:, -1]))


def classification():
    sequence, labels = _sequence(), keras.Input((), 2, name="labels", dtype="int32")
    scores = keras.layers.Dense(4)(keras.layers.GlobalAveragePooling1D()(MinGRU(8)(sequence)))
    return keras.Model([sequence, labels], _Loss()(labels, scores))
