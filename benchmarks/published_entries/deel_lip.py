"""Entry points of deel-lip: its losses of margins and Wasserstein distances on networks of its bounded activations."""

import tensorflow as tf
from deel.lip.layers import GroupSort2, MaxMin
from deel.lip.losses import KR, MulticlassHKR, MultiMargin, TauCategoricalCrossentropy


class _Bounded(tf.Module):
    def __init__(self, activation, outputs, loss):
        super().__init__()
        self.layers = [tf.keras.layers.Dense(8), activation, tf.keras.layers.Dense(outputs)]
        self.loss = loss

    def __call__(self, features, wanted):
        for layer in self.layers:
            features = layer(features)
        return self.loss(wanted, features)


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _classes():
    return tf.random.normal((4, 5)), tf.one_hot(tf.constant([0, 2, 1, 1]), 3)


def hinge_of_classes():
    loss = MulticlassHKR(alpha=10.0, min_margin=1.0, reduction="sum_over_batch_size")
    return _made(_Bounded(GroupSort2(), 3, loss), *_classes())


def wasserstein():
    loss = KR(reduction="sum_over_batch_size")
    return _made(_Bounded(MaxMin(), 1, loss), tf.random.normal((4, 5)), tf.constant([[1.0], [0.0], [1.0], [1.0]]))


def tempered():
    loss = TauCategoricalCrossentropy(tau=10.0, reduction="sum_over_batch_size")
    return _made(_Bounded(GroupSort2(), 3, loss), *_classes())


def margins():
    return _made(_Bounded(MaxMin(), 3, MultiMargin(reduction="sum_over_batch_size")), *_classes())
