"""Entry points of kortex: its networks of the visual cortex over small pictures, with a loss of labels."""

import keras
import tensorflow as tf
from kortex.cornet.cornet_z import CORBlockZ, CORNetZ
from kortex.layers import SpatialSoftargmax


class _Classified(tf.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def __call__(self, pictures, labels):
        return self.loss(labels, self.model(pictures))


def _pictures():
    return tf.random.uniform((2, 32, 32, 3)), tf.constant([3, 0])


def cortex():
    return _Classified(CORNetZ(output_dim=4)), _pictures()


class _Places(tf.Module):
    """Where features are, from which a place is told."""

    def __init__(self):
        super().__init__()
        self.model = keras.Sequential([CORBlockZ(3, 8, kernel_size=7, stride=2), CORBlockZ(8, 8), SpatialSoftargmax()])
        self.head = keras.layers.Dense(3)

    def __call__(self, pictures, places):
        return tf.reduce_mean(tf.square(self.head(self.model(pictures)) - places))


def places():
    return _Places(), (tf.random.uniform((2, 32, 32, 3)), tf.random.normal((2, 3)))
