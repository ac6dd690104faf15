"""Entry points of tf-slim: its losses of scores and of embeddings, on one layer."""

import tensorflow as tf
from tf_slim.losses import loss_ops, metric_learning


class _Scored(tf.Module):
    def __init__(self, loss, last=None):
        super().__init__()
        self.weight = tf.Variable(tf.random.normal((6, 3)))
        self.loss, self.last = loss, last

    def __call__(self, x, y):
        scores = tf.matmul(x, self.weight)
        return tf.reduce_mean(self.loss(scores if self.last is None else self.last(scores), y))


def _truths():
    return tf.random.normal((4, 6)), tf.constant([[0.0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]])


def log_loss():
    return _Scored(loss_ops.log_loss, tf.sigmoid), _truths()


def hinge():
    return _Scored(loss_ops.hinge_loss), _truths()


def pairwise_squared():
    return _Scored(loss_ops.mean_pairwise_squared_error), (tf.random.normal((4, 6)), tf.random.normal((4, 3)))


class _Cosine(_Scored):
    def __call__(self, x, y):
        rows = tf.math.l2_normalize(tf.matmul(x, self.weight), 1), tf.math.l2_normalize(y, 1)
        return loss_ops.cosine_distance(*rows, axis=1)


def cosine():
    return _Cosine(None), (tf.random.normal((4, 6)), tf.random.normal((4, 3)))


class _Embedded(_Scored):
    def __call__(self, x, labels):
        return self.loss(labels, tf.math.l2_normalize(tf.matmul(x, self.weight), 1))


def _classes():
    return tf.random.normal((6, 6)), tf.constant([0, 1, 2, 0, 1, 2])


def semihard():
    return _Embedded(metric_learning.triplet_semihard_loss), _classes()


def lifted():
    return _Embedded(metric_learning.lifted_struct_loss), _classes()


class _Paired(_Scored):
    def __call__(self, x, other, labels):
        return self.loss(labels, tf.matmul(x, self.weight), tf.matmul(other, self.weight))


def npairs():
    pairs = tf.random.normal((3, 6)), tf.random.normal((3, 6))
    return _Paired(metric_learning.npairs_loss), (*pairs, tf.constant([0, 1, 2]))


def contrastive():
    pairs = tf.random.normal((4, 6)), tf.random.normal((4, 6))
    return _Paired(metric_learning.contrastive_loss), (*pairs, tf.constant([0, 1, 1, 0]))
