"""Entry points of keras-fsl: its losses of all pairs of a batch, on embeddings of one layer."""

import tensorflow as tf
from keras_fsl import losses


class _Pairs(tf.Module):
    def __init__(self, loss, distances=False):
        super().__init__()
        self.weight = tf.Variable(tf.random.normal((5, 4)))
        self.loss, self.distances = loss, distances

    def __call__(self, features, labels):
        embedded = tf.math.l2_normalize(tf.matmul(features, self.weight), 1)
        pairs = tf.matmul(embedded, embedded, transpose_b=True)
        pairs = 2 - 2 * pairs if self.distances else tf.sigmoid(4 * pairs)
        return tf.reduce_mean(self.loss(labels, pairs))


def _entry(loss, distances=False):
    return _Pairs(loss, distances), (tf.random.normal((6, 5)), tf.one_hot([0, 1, 2, 0, 1, 2], 3))


def crossentropy():
    return _entry(losses.BinaryCrossentropy())


def hardest_pair():
    return _entry(losses.max_crossentropy)


def spread():
    return _entry(losses.std_crossentropy)


def consistency():
    return _entry(losses.ClassConsistencyLoss())


def mean_score():
    return _entry(losses.MeanScoreClassificationLoss())


def triplet():
    return _entry(losses.TripletLoss(), distances=True)
