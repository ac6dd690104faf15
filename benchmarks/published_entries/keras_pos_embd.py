"""Entry points of keras-pos-embd: learned positions and waves."""

import keras
from keras_pos_embd import PositionEmbedding, TrigPosEmbedding


def _entry(layer):
    given = keras.Input((5, 6), 2, name="tokens")
    return keras.Model(given, keras.layers.Dense(3)(layer(given)))


def learned():
    return _entry(PositionEmbedding(input_dim=5, output_dim=6, mode=PositionEmbedding.MODE_ADD))


def waves():
    return _entry(TrigPosEmbedding(mode=TrigPosEmbedding.MODE_ADD))
