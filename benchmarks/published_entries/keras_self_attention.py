"""Entry points of keras-self-attention: attention over embedded words."""

import os

os.environ["TF_KERAS"] = "1"

import keras
from keras_self_attention import ScaledDotProductAttention, SeqSelfAttention, SeqWeightedAttention


def _over(layer):
    words = keras.Input((7, 6), name="words")
    return keras.Model(words, layer(words))


def additive():
    return _over(SeqSelfAttention(units=4, attention_activation="sigmoid"))


def multiplicative():
    return _over(SeqSelfAttention(units=4, attention_type=SeqSelfAttention.ATTENTION_TYPE_MUL))


def weighted():
    return _over(SeqWeightedAttention())


def scaled():
    return _over(ScaledDotProductAttention())
