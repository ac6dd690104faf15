"""Entry points of keras-model-hub: its classifiers of texts and rows, small, with the loss of their classes."""

import keras
import tensorflow as tf
from keras_model_hub import CNNRNNModel, RNN2DModel, RNNAttentionModel, TextCNN2DModel, TextCNNModel


class _Classifier(tf.Module):
    def __init__(self, model, words=None):
        super().__init__()
        self.embedding = None if words is None else keras.layers.Embedding(words, 8)
        self.model, self.loss = model, keras.losses.SparseCategoricalCrossentropy()

    def __call__(self, samples, labels):
        if self.embedding is not None:
            samples = self.embedding(samples)
        return self.loss(labels, self.model(samples, training=True))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _texts(model):
    words = tf.constant([[3, 7, 2, 9, 11, 1], [5, 1, 10, 4, 0, 0], [6, 8, 2, 3, 4, 0]])
    return _made(_Classifier(model, 12), words, tf.constant([2, 0, 1]))


def convolved_words():
    return _texts(TextCNNModel(3, filters=8))


def recurrent_words():
    return _texts(CNNRNNModel(3, filters=8, hidden_size=8, dropout=0.1))


def attentive_words():
    return _texts(RNNAttentionModel(3, hidden_size=8, bidirectional=True))


def convolved_rows():
    model = TextCNN2DModel(3, embed_dim=4, filters=8, hidden_size=24)
    return _made(_Classifier(model), tf.random.normal((3, 10)), tf.constant([2, 0, 1]))


def recurrent_rows():
    model = RNN2DModel(3, embed_dim=4, hidden_size=24)
    return _made(_Classifier(model), tf.random.normal((3, 10)), tf.constant([2, 0, 1]))
