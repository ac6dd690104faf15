"""Entry points of mingru-keras: its recurrent layer as a tagger, stacked, and behind words of several lengths."""

import keras
from mingru_keras import MinGRU


def tagged():
    steps = keras.Input((12, 3), 4, name="steps")
    return keras.Model(steps, keras.layers.Dense(5, activation="softmax")(MinGRU(8)(steps)))


def stacked():
    steps = keras.Input((16, 3), 4, name="steps")
    hidden = keras.layers.LayerNormalization()(MinGRU(8)(steps))
    return keras.Model(steps, keras.layers.Dense(1)(MinGRU(8)(hidden)[:, -1]))


class _Classified(keras.layers.Layer):
    def call(self, logits, labels):
        return keras.ops.mean(keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True))


def trained():
    steps, labels = keras.Input((10, 3), 4, name="steps"), keras.Input((), 4, name="labels", dtype="int32")
    logits = keras.layers.Dense(3)(keras.layers.GlobalAveragePooling1D()(MinGRU(6)(steps)))
    return keras.Model([steps, labels], _Classified()(logits, labels))
