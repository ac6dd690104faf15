"""Entry points of tavolo: its embeddings mixed by attention, of the word alone and in context, with a loss."""

import numpy as np
import tensorflow as tf
from tavolo.embeddings import ContextualDynamicMetaEmbedding, DynamicMetaEmbedding


class _Texts(tf.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, tf.keras.layers.Dense(3)

    def __call__(self, words, labels):
        logits = self.head(tf.reduce_mean(self.layer(words), axis=1))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def _made(model):
    inputs = tf.constant([[3, 7, 2, 9, 11], [5, 1, 10, 4, 0]]), tf.constant([2, 0])
    model(*inputs)
    return model, inputs


def _embeddings():
    random = np.random.default_rng(0)
    return [random.normal(size=(12, 8)), random.normal(size=(12, 6))]


def words():
    return _made(_Texts(DynamicMetaEmbedding(_embeddings())))


def words_in_context():
    return _made(_Texts(ContextualDynamicMetaEmbedding(_embeddings(), n_lstm_units=4)))
