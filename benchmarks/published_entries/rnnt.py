"""Entry points of rnnt: its loss of a transducer over padded sounds and words, on small networks."""

import keras
import tensorflow as tf
from rnnt import rnnt_loss


class _Transducer(tf.Module):
    """Sums of what sounds and words give, as a joint network makes them; word 0 is the blank, so padding is word 1."""

    def __init__(self, words):
        super().__init__()
        self.sounds = keras.layers.LSTM(8, return_sequences=True)
        self.embedding = keras.layers.Embedding(words, 8)
        self.words, self.joint = keras.layers.GRU(8, return_sequences=True), keras.layers.Dense(words)

    def __call__(self, sounds, labels, label_lengths, sound_lengths):
        before = tf.pad(labels, [[0, 0], [1, 0]])
        pairs = self.sounds(sounds)[:, :, None] + self.words(self.embedding(before))[:, None]
        logits = self.joint(tf.tanh(pairs))
        return tf.reduce_mean(rnnt_loss(logits, labels, label_lengths, sound_lengths))


def padded():
    labels = tf.constant([[3, 1, 4], [2, 5, 1]], tf.int64)
    lengths = tf.constant([3, 2], tf.int64), tf.constant([6, 4], tf.int64)
    return _Transducer(6), (tf.random.normal((2, 6, 5)), labels, *lengths)


def full():
    labels = tf.constant([[3, 1], [2, 2], [4, 1]], tf.int64)
    lengths = tf.constant([2, 2, 2], tf.int64), tf.constant([5, 5, 5], tf.int64)
    return _Transducer(5), (tf.random.normal((3, 5, 5)), labels, *lengths)


class _Logits(tf.Module):
    def __init__(self):
        super().__init__()
        self.joint = keras.layers.Dense(4)

    def __call__(self, pairs, labels, label_lengths, sound_lengths):
        return tf.reduce_sum(rnnt_loss(self.joint(pairs), labels, label_lengths, sound_lengths))


def joint_alone():
    lengths = tf.constant([1, 2], tf.int64), tf.constant([3, 4], tf.int64)
    labels = tf.constant([[3, 1], [1, 2]], tf.int64)
    return _Logits(), (tf.random.normal((2, 4, 3, 6)), labels, *lengths)
