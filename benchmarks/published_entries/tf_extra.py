"""Entry points of tf-extra: its attention and pooling in small networks, its losses on one layer."""

import sys
import types

import tensorflow as tf

_package = sys.modules["tf_extra"] = types.ModuleType("tf_extra")
_package.__path__ = ["tf_extra"]

from tf_extra.layers import CBAM, GeM, MultiHeadSelfAttention, PositionalEncoding, SqueezeExcitation  # noqa: E402
from tf_extra.losses import (  # noqa: E402
    ContrastiveLoss,
    DiceLoss,
    FocalLoss,
    LabelSmoothingCrossEntropy,
    TripletLoss,
    TverskyLoss,
)

keras = tf.keras


class _Trained(tf.Module):
    def __init__(self, model, *losses):
        super().__init__()
        self.model, self.losses = model, losses

    def __call__(self, features, wanted):
        given = self.model(features)
        return tf.add_n([loss(wanted, given) for loss in self.losses])


def _images():
    return keras.Input((8, 8, 3), 2, name="images")


def recalibrated():
    images = _images()
    hidden = SqueezeExcitation(4)(keras.layers.Conv2D(8, 3, activation="relu")(images))
    return keras.Model(images, keras.layers.Dense(4, activation="softmax")(GeM()(CBAM(4, 3)(hidden))))


def attention():
    steps = keras.Input((6, 8), 2, name="steps")
    return keras.Model(steps, MultiHeadSelfAttention(8, 2, 0.1)(PositionalEncoding(max_len=16)(steps)))


def _segmented(*losses):
    model = keras.Sequential([keras.Input((8, 8, 3)), keras.layers.Conv2D(1, 3, padding="same", activation="sigmoid")])
    masks = tf.cast(tf.random.uniform((2, 8, 8, 1)) > 0.6, tf.float32)
    return _Trained(model, *losses), (tf.random.uniform((2, 8, 8, 3)), masks)


def focal():
    return _segmented(FocalLoss())


def overlap():
    return _segmented(DiceLoss(), TverskyLoss(0.3, 0.7))


def smoothed():
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(4, activation="softmax")])
    return _Trained(model, LabelSmoothingCrossEntropy()), (tf.random.normal((5, 6)), tf.one_hot([0, 3, 1, 2, 3], 4))


def triplets():
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(12)])
    return _Trained(model, TripletLoss()), (tf.random.normal((5, 6)), tf.zeros((5, 1)))


class _Pairs(tf.Module):
    """How far two embeddings lie apart, brought near for pairs that belong together."""

    def __init__(self):
        super().__init__()
        self.model, self.loss = keras.Sequential([keras.Input((6,)), keras.layers.Dense(4)]), ContrastiveLoss()

    def __call__(self, first, second, together):
        square = tf.reduce_sum(tf.square(self.model(first) - self.model(second)), axis=-1, keepdims=True)
        return self.loss(together, tf.sqrt(tf.maximum(square, keras.backend.epsilon())))


def pairs():
    together = tf.constant([[1.0], [0.0], [1.0], [0.0], [0.0]])
    return _Pairs(), (tf.random.normal((5, 6)), tf.random.normal((5, 6)), together)
