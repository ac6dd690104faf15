"""Entry points of triplet-tools: its losses of triplets within a batch, on embeddings of rows and of pictures."""

import tensorflow as tf
from triplet_tools import triplet_batch_hard_loss, triplet_batch_priming_loss, triplet_batch_semihard_loss


class _Embedded(tf.Module):
    def __init__(self, loss, *layers):
        super().__init__()
        self.layers, self.loss = tf.keras.Sequential([*layers, tf.keras.layers.Dense(4)]), loss

    def __call__(self, samples, labels):
        return self.loss(labels, self.layers(samples))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _rows():
    return tf.random.normal((6, 5)), tf.constant([0, 2, 1, 1, 0, 2])


def hard():
    return _made(_Embedded(triplet_batch_hard_loss()), *_rows())


def hard_by_distances():
    loss = triplet_batch_hard_loss(margin=0.5, metric="euclidean")
    return _made(_Embedded(loss, tf.keras.layers.Dense(8, activation="relu")), *_rows())


def semihard():
    loss = triplet_batch_semihard_loss(margin=1.0, semi_margin=0.1, metric="cosine")
    return _made(_Embedded(loss, tf.keras.layers.Dense(8, activation="relu")), *_rows())


def priming_pictures():
    layers = tf.keras.layers.Conv2D(4, 3, activation="relu"), tf.keras.layers.GlobalAveragePooling2D()
    pictures = tf.random.uniform((6, 8, 8, 3))
    return _made(_Embedded(triplet_batch_priming_loss(), *layers), pictures, tf.constant([0, 2, 1, 1, 0, 2]))
