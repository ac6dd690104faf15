"""Entry points of multiple-annotators-segmentation: its losses of many people's masks on small networks."""

import keras
import tensorflow as tf
from multiple_annotators_segmentation.losses import TGCE_SS, DiceCoefficient, noisy_label_loss_tf


def _network(outputs, activation):
    layers = [keras.Input((8, 8, 3)), keras.layers.Conv2D(8, 3, padding="same", activation="relu")]
    return keras.Sequential([*layers, keras.layers.Conv2D(outputs, 1, activation=activation)])


def _one_hot(*shape):
    return tf.one_hot(tf.random.uniform(shape, 0, 2, tf.int32), 2)


class _Overlap(tf.Module):
    def __init__(self, **options):
        super().__init__()
        self.model, self.loss = _network(2, "softmax"), DiceCoefficient(**options)

    def __call__(self, images, masks):
        return self.loss(masks, self.model(images))


def overlap():
    return _Overlap(), (tf.random.uniform((2, 8, 8, 3)), _one_hot(2, 8, 8))


def overlap_of_one_class():
    return _Overlap(target_class=1, smooth=1e-5), (tf.random.uniform((2, 8, 8, 3)), _one_hot(2, 8, 8))


class _Reliability(tf.Module):
    """Two classes, and how far each of three people is trusted at each place."""

    def __init__(self):
        super().__init__()
        self.classes, self.trust = _network(2, "softmax"), _network(3, "sigmoid")
        self.loss = TGCE_SS(annotators=3, classes=2)

    def __call__(self, images, masks):
        return self.loss(masks, tf.concat([self.classes(images), self.trust(images)], axis=-1))


def reliability():
    masks = tf.reshape(tf.transpose(_one_hot(2, 8, 8, 3), [0, 1, 2, 4, 3]), (2, 8, 8, 6))
    return _Reliability(), (tf.random.uniform((2, 8, 8, 3)), masks)


class _Confusion(tf.Module):
    """What a person mistakes for what, at each place, of classes that come before height and width."""

    def __init__(self):
        super().__init__()
        self.classes, self.confusion = _network(2, "softmax"), _network(4, "softplus")

    def __call__(self, images, labels):
        classes, confusion = (tf.transpose(m(images), [0, 3, 1, 2]) for m in (self.classes, self.confusion))
        return noisy_label_loss_tf(classes, confusion, labels, alpha=0.1)


def confusion():
    return _Confusion(), (tf.random.uniform((2, 8, 8, 3)), tf.random.uniform((2, 8, 8), 0, 2, tf.int32))
