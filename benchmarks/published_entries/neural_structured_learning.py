"""Entry points of neural-structured-learning: classifiers kept near their neighbours, and near what misleads them."""

import sys
import types

import tensorflow as tf

_package = sys.modules["neural_structured_learning"] = types.ModuleType("neural_structured_learning")
_package.__path__ = ["neural_structured_learning"]

import neural_structured_learning.configs as configs  # noqa: E402
from neural_structured_learning.lib.distances import pairwise_distance_wrapper  # noqa: E402
from neural_structured_learning.lib.regularizer import virtual_adv_regularizer  # noqa: E402


class _Classifier(tf.Module):
    def __init__(self, distance):
        super().__init__()
        self.hidden, self.head = tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(3)
        self.distance = distance

    def logits(self, features):
        return self.head(self.hidden(features))

    def known(self, features, labels):
        return tf.keras.losses.sparse_categorical_crossentropy(labels, self.logits(features), from_logits=True)


class _Neighbours(_Classifier):
    """The graph's penalty of what differs between a row and each of its neighbours."""

    def __call__(self, features, neighbours, weights, labels):
        near = pairwise_distance_wrapper(self.logits(features), self.logits(neighbours), weights, self.distance)
        return tf.reduce_mean(self.known(features, labels)) + 0.1 * near


def _graph(distance):
    inputs = tf.random.normal((4, 5)), tf.random.normal((4, 5)), tf.constant([[1.0], [0.5], [0.0], [1.0]])
    model, labels = _Neighbours(distance), tf.constant([0, 2, 1, 1])
    model(*inputs, labels)
    return model, (*inputs, labels)


def squared_distance():
    return _graph(configs.DistanceConfig(distance_type=configs.DistanceType.L2))


def divergence():
    kind, transform = configs.DistanceType.KL_DIVERGENCE, configs.TransformType.SOFTMAX
    return _graph(configs.DistanceConfig(distance_type=kind, transform_fn=transform, sum_over_axis=-1))


def symmetric_divergence():
    kind, transform = configs.DistanceType.JENSEN_SHANNON_DIVERGENCE, configs.TransformType.SOFTMAX
    return _graph(configs.DistanceConfig(distance_type=kind, transform_fn=transform, sum_over_axis=-1))


class _Misled(_Classifier):
    def __call__(self, features, labels):
        away = virtual_adv_regularizer(features, self.logits, self.distance)
        return tf.reduce_mean(self.known(features, labels)) + 0.1 * away


def virtual_adversary():
    kind, transform = configs.DistanceType.KL_DIVERGENCE, configs.TransformType.SOFTMAX
    distance = configs.DistanceConfig(distance_type=kind, transform_fn=transform, sum_over_axis=-1)
    model = _Misled(configs.VirtualAdvConfig(distance_config=distance))
    inputs = tf.random.normal((4, 5)), tf.constant([0, 2, 1, 1])
    model(*inputs)
    return model, inputs
