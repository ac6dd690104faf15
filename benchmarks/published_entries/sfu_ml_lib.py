"""Entry points of sfu-ml-lib: its attentions over padded sequences, and its encoder, under a classifier."""

import tensorflow as tf
from sfu_ml_lib.modules.attention import MultiHeadAttention, MultiHeadDense, MultiHeadSelfAttention
from sfu_ml_lib.modules.encoders import SelfAttentionEncoderLayer


class _Classifier(tf.Module):
    def __init__(self, *encoders):
        super().__init__()
        self.encoders, self.pooling = list(encoders), MultiHeadAttention(2)
        self.head = tf.keras.layers.Dense(3)

    def __call__(self, series, mask, labels):
        for encoder in self.encoders:
            series = encoder(series, mask=mask)
        logits = self.head(self.pooling(series, mask=mask))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def _made(model):
    mask = tf.constant([[True] * 5, [True] * 3 + [False] * 2])
    inputs = tf.random.normal((2, 5, 4)), mask, tf.constant([0, 2])
    model(*inputs)
    return model, inputs


def pooled():
    return _made(_Classifier())


def self_attention():
    return _made(_Classifier(MultiHeadSelfAttention(2)))


def encoder():
    return _made(_Classifier(SelfAttentionEncoderLayer(2, 0.1)))


class _Transformed(tf.Module):
    def __init__(self):
        super().__init__()
        transformers = (MultiHeadDense(4, 2, activation="tanh") for _ in range(2))
        self.pooling = MultiHeadAttention(2, 2.0, *transformers)

    def __call__(self, series):
        return self.pooling(series)


def transformed():
    model, series = _Transformed(), tf.random.normal((2, 5, 4))
    model(series)
    return model, (series,)
