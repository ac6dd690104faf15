"""Entry points of tensorflow-constrained-optimization: its losses of rates behind one layer."""

import tensorflow as tf
from tensorflow_constrained_optimization.python.rates.loss import HingeLoss, SoftmaxCrossEntropyLoss, SoftmaxLoss


class _Rated(tf.Module):
    """How often positives and negatives are taken for positive, weighted as rates are."""

    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(1), loss
        self.layer.build((None, 6))

    def __call__(self, features, weights):
        return tf.reduce_mean(self.loss.evaluate_binary_classification(self.layer(features), weights))


def _samples():
    labels = tf.constant([1.0, 0.0, 1.0, 1.0, 0.0])
    return tf.random.normal((5, 6)), tf.stack((1.0 - labels, labels), axis=1)


def hinge():
    return _Rated(HingeLoss(margin=1.0)), _samples()


def softmax():
    return _Rated(SoftmaxLoss()), _samples()


def softmax_cross_entropy():
    return _Rated(SoftmaxCrossEntropyLoss()), _samples()
