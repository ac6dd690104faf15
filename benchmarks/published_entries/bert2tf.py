"""Entry points of bert2tf: its gated convolutions over words under its losses of focus, of twins and of answers."""

import sys
import types

import tensorflow as tf

for _name in ("bert2tf", "bert2tf.executors", "bert2tf.executors.models"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from bert2tf.executors.models.losses import FocalLoss, MRCLoss, RDropLoss  # noqa: E402
from bert2tf.executors.models.plugins import DGCNN  # noqa: E402


class _Words(tf.Module):
    def __init__(self, outputs):
        super().__init__()
        self.words = tf.keras.layers.Embedding(20, 8)
        self.layers = [DGCNN(8), DGCNN(8, dilation_rate=2, name="wider")]
        self.head = tf.keras.layers.Dense(outputs)

    def given(self, words):
        given = self.words(words)
        for layer in self.layers:
            given = layer(given)
        return self.head(given)


def _words():
    return tf.constant([[3, 7, 2, 19, 4, 8], [5, 6, 1, 0, 0, 0]])


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


class _Labelled(_Words):
    def __init__(self):
        super().__init__(3)
        self.loss = FocalLoss()

    def __call__(self, words, labels):
        return self.loss(labels, tf.sigmoid(tf.reduce_mean(self.given(words), 1)))


def labelled():
    return _made(_Labelled(), _words(), tf.constant([[1.0, 0, 1], [0, 1, 0]]))


class _Answers(_Words):
    """Where the answer starts and where it ends."""

    def __init__(self):
        super().__init__(2)
        self.loss = MRCLoss(6)

    def __call__(self, words, starts, ends):
        logits = self.given(words)
        return self.loss.call((starts, ends), (logits[..., 0], logits[..., 1]))


def answers():
    return _made(_Answers(), _words(), tf.constant([1, 0]), tf.constant([3, 2]))


class _Twins(_Words):
    """Every sentence twice, which dropout makes differ."""

    def __init__(self):
        super().__init__(3)
        self.drop, self.loss = tf.keras.layers.Dropout(0.3), RDropLoss(alpha=4)

    def __call__(self, words, labels):
        twice, labels = tf.repeat(words, 2, axis=0), tf.repeat(labels, 2, axis=0)
        logits = tf.reduce_mean(self.drop(self.given(twice), training=True), 1)
        known = tf.keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
        return tf.reduce_mean(known) + self.loss.call(labels, logits)


def twins():
    return _made(_Twins(), _words(), tf.constant([2, 0]))
