"""Entry points of bert4keras3: blocks of its transformers, and its losses of several labels at once."""

import keras
from bert4keras3 import backend
from bert4keras3.layers import (
    EfficientGlobalPointer,
    FeedForward,
    GatedAttentionUnit,
    GlobalPointer,
    LayerNormalization,
    MultiHeadAttention,
)


class _Loss(keras.layers.Layer):
    def __init__(self, loss):
        super().__init__()
        self.loss = loss

    def call(self, wanted, given):
        return keras.ops.mean(self.loss(wanted, given))


def _hidden():
    return keras.Input((10, 16), 2, name="hidden")


def block():
    hidden = _hidden()
    attended = MultiHeadAttention(heads=2, head_size=8, out_dim=16)([hidden, hidden, hidden])
    normal = LayerNormalization()(keras.layers.Add()([hidden, attended]))
    return keras.Model(hidden, LayerNormalization()(keras.layers.Add()([normal, FeedForward(32)(normal)])))


def gated():
    hidden = _hidden()
    return keras.Model(hidden, GatedAttentionUnit(units=32, key_size=8)(hidden))


def gated_softmax():
    hidden = _hidden()
    return keras.Model(hidden, GatedAttentionUnit(units=32, key_size=8, normalization="softmax_plus")(hidden))


def _spans(pointer):
    hidden, wanted = _hidden(), keras.Input((2, 10, 10), 2, name="spans")
    flat = keras.layers.Reshape((2, 100))
    loss = _Loss(backend.multilabel_categorical_crossentropy)
    return keras.Model([hidden, wanted], loss(flat(wanted), flat(pointer(hidden))))


def pointer():
    return _spans(GlobalPointer(2, 8))


def efficient_pointer():
    return _spans(EfficientGlobalPointer(2, 8, RoPE=False))


def several_labels():
    features, wanted = keras.Input((8,), 4, name="features"), keras.Input((6,), 4, name="labels")
    return keras.Model(
        [features, wanted],
        _Loss(backend.multilabel_categorical_crossentropy)(wanted, keras.layers.Dense(6)(features)),
    )
