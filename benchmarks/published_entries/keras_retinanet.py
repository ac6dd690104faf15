"""Entry points of keras-retinanet: its losses, and its heads of classes and of boxes, at few features."""

import sys
from unittest.mock import MagicMock

import tensorflow as tf

sys.modules["keras_retinanet.utils.compute_overlap"] = MagicMock()  # compiled, and for its data sets alone

from keras_retinanet.layers import RegressBoxes  # noqa: E402
from keras_retinanet.losses import focal, smooth_l1  # noqa: E402
from keras_retinanet.models.retinanet import default_classification_model, default_regression_model  # noqa: E402


class _Anchored(tf.Module):
    """Anchors' classes and boxes of one layer; the last column of what is wanted is the state of the anchor."""

    def __init__(self, outputs, loss, activation=None):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(outputs, activation=activation), loss

    def __call__(self, features, wanted):
        return self.loss(wanted, self.layer(features))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


STATES = ((1.0, 0.0, -1.0, 1.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0, -1.0, 0.0))


def _wanted(values):
    return tf.concat([values, tf.constant(STATES)[..., None]], -1)


def classes():
    labels = tf.one_hot(tf.constant([[0, 3, 3, 2, 3, 3], [3, 1, 3, 3, 3, 3]]), 3)
    return _made(_Anchored(3, focal(), "sigmoid"), tf.random.normal((2, 6, 5)), _wanted(labels))


def boxes():
    return _made(_Anchored(4, smooth_l1()), tf.random.normal((2, 6, 5)), _wanted(tf.random.normal((2, 6, 4))))


def classification_head():
    model = default_classification_model(3, 2, pyramid_feature_size=4, classification_feature_size=8)
    features = tf.keras.Input((4, 4, 4), 2)
    return tf.keras.Model(features, model(features))


def regression_head():
    model = default_regression_model(4, 2, pyramid_feature_size=4, regression_feature_size=8)
    features, anchors = tf.keras.Input((4, 4, 4), 2), tf.keras.Input((32, 4), 2)
    return tf.keras.Model([features, anchors], RegressBoxes()([anchors, model(features)]))
