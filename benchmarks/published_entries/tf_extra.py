"""Entry points of tf-extra: its losses on one layer, and its layers of attention and pooling."""

import tensorflow as tf
from tf_extra import layers, losses


class _Loss(tf.keras.layers.Layer):
    def __init__(self, loss):
        super().__init__()
        self.loss = loss

    def call(self, wanted, given):
        return self.loss(wanted, given)


def _trained(loss, outputs, activation=None):
    features = tf.keras.Input((8,), 6, name="features")
    wanted = tf.keras.Input((outputs,), 6, name="wanted")
    given = tf.keras.layers.Dense(outputs, activation=activation)(features)
    return tf.keras.Model([features, wanted], _Loss(loss)(wanted, given))


def focal():
    return _trained(losses.FocalLoss(), 1, "sigmoid")


def focal_of_logits():
    return _trained(losses.FocalLoss(gamma=1.5, from_logits=True), 1)


def dice():
    return _trained(losses.DiceLoss(), 4, "sigmoid")


def tversky():
    return _trained(losses.TverskyLoss(), 4, "sigmoid")


def smoothed():
    return _trained(losses.LabelSmoothingCrossEntropy(), 5, "softmax")


def contrastive():
    return _trained(losses.ContrastiveLoss(), 1, "softplus")


def triplet():
    return _trained(losses.TripletLoss(), 12)


def attention():
    pictures = tf.keras.Input((12, 12, 3), 2, name="pictures")
    hidden = tf.keras.layers.Conv2D(16, 3, padding="same")(pictures)
    hidden = layers.GeM()(layers.CBAM(4, 3)(layers.Mish()(hidden)))
    return tf.keras.Model(pictures, tf.keras.layers.Dense(5)(hidden))
