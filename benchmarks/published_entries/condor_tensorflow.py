"""Entry points of condor-tensorflow: its losses of ordered classes behind one layer."""

import tensorflow as tf
from condor_tensorflow import (
    CondorOrdinalCrossEntropy,
    OrdinalEarthMoversDistance,
    SparseCondorOrdinalCrossEntropy,
    SparseOrdinalEarthMoversDistance,
    ordinal_softmax,
)


class _Ordered(tf.Module):
    def __init__(self, loss=None, classes=4):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(classes - 1), loss
        self.layer.build((None, 6))

    def __call__(self, features, wanted):
        return self.loss(wanted, self.layer(features))


def _levels():
    return tf.random.normal((5, 6)), tf.constant([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 0]], tf.float32)


def _labels():
    return tf.random.normal((5, 6)), tf.constant([0, 1, 2, 3, 1])


def cross_entropy():
    return _Ordered(CondorOrdinalCrossEntropy()), _levels()


def weighted_cross_entropy():
    return _Ordered(CondorOrdinalCrossEntropy(importance_weights=[1.0, 0.5, 2.0])), _levels()


def sparse_cross_entropy():
    return _Ordered(SparseCondorOrdinalCrossEntropy()), _labels()


def earth_movers():
    return _Ordered(OrdinalEarthMoversDistance()), _levels()


def sparse_earth_movers():
    return _Ordered(SparseOrdinalEarthMoversDistance()), _labels()


class _Predicted(_Ordered):
    def __call__(self, features):
        return ordinal_softmax(self.layer(features))


def predicted():
    return _Predicted(), (tf.random.normal((5, 6)),)
