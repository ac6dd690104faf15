"""Entry points of protoflow: distances to prototypes, and the loss of those that are near and wrong."""

import sys
import types

import tensorflow as tf

_package = sys.modules["protoflow"] = types.ModuleType("protoflow")
_package.__path__ = ["protoflow"]

from protoflow.functions import (  # noqa: E402
    euclidean_distance,
    glvq_loss,
    lpnorm_distance,
    omega_distance,
    sigmoid_beta,
    squared_euclidean_distance,
)
from protoflow.functions.products import lp_sip  # noqa: E402

LABELS = tf.constant([0.0, 0.0, 1.0, 1.0, 2.0, 2.0])


class _Prototypes(tf.Module):
    """Two prototypes for each of three classes, moved as its applications move them."""

    def __init__(self, distance, squashing=sigmoid_beta):
        super().__init__()
        self.prototypes = tf.Variable(tf.random.normal((6, 4)))
        self.distance, self.squashing = distance, squashing

    def __call__(self, rows, classes):
        distances = self.distance(rows, self.prototypes)
        return tf.reduce_mean(self.squashing(glvq_loss(classes, distances, LABELS)))


def _rows():
    return tf.random.normal((5, 4)), tf.constant([[0.0], [2.0], [1.0], [1.0], [0.0]])


def squared():
    return _Prototypes(squared_euclidean_distance), _rows()


def rooted():
    return _Prototypes(euclidean_distance), _rows()


def cubed():
    return _Prototypes(lambda rows, prototypes: lpnorm_distance(rows, prototypes, 4.0)), _rows()


class _Mapped(_Prototypes):
    """Distances after a map that is learned."""

    def __init__(self):
        super().__init__(lambda rows, prototypes: omega_distance(rows, prototypes, self.omega))
        self.omega = tf.Variable(tf.keras.initializers.GlorotUniform()((4, 3)))


def mapped():
    return _Mapped(), _rows()


class _Product(tf.Module):
    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(tf.keras.initializers.GlorotUniform()((4, 3)))

    def __call__(self, rows):
        return lp_sip(rows, self.kernel, p=2.0)


def product():
    return _Product(), (tf.random.normal((5, 4)),)
