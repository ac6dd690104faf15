"""Entry points of tensorflow-caney: its focal losses of probabilities and logits, weighed and smoothed."""

import sys
import types

import tensorflow as tf

# The package's own imports name modules that it has no longer; its losses do without.
for _name in ("tensorflow_caney", "tensorflow_caney.model", "tensorflow_caney.model.losses"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from tensorflow_caney.model.losses.binary_focal_loss import BinaryFocalLoss  # noqa: E402
from tensorflow_caney.model.losses.categorical_focal_loss import SparseCategoricalFocalLoss  # noqa: E402


class _Masks(tf.Module):
    def __init__(self, outputs, activation, loss):
        super().__init__()
        self.convolution, self.loss = tf.keras.layers.Conv2D(outputs, 3, padding="same", activation=activation), loss

    def __call__(self, images, masks):
        return self.loss(masks, self.convolution(images))


def _made(model, masks):
    images = tf.random.uniform((2, 6, 6, 3))
    model(images, masks)
    return model, (images, masks)


def _two():
    return tf.cast(tf.random.uniform((2, 6, 6, 1), 0, 2, tf.int32), tf.float32)


def probabilities():
    return _made(_Masks(1, "sigmoid", BinaryFocalLoss(gamma=2)), _two())


def logits():
    loss = BinaryFocalLoss(gamma=2, from_logits=True, pos_weight=3.0, label_smoothing=0.1)
    return _made(_Masks(1, None, loss), _two())


def classes():
    labels = tf.random.uniform((2, 6, 6), 0, 4, tf.int32)
    return _made(_Masks(4, "softmax", SparseCategoricalFocalLoss(gamma=2)), labels)


def weighed_classes():
    labels = tf.random.uniform((2, 6, 6), 0, 4, tf.int32)
    loss = SparseCategoricalFocalLoss(gamma=2, class_weight=[1.0, 2.0, 1.0, 0.5], from_logits=True)
    return _made(_Masks(4, None, loss), labels)
