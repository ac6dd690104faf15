"""Entry points of sincnet-tensorflow: a classifier of sounds by its filters, with its normalisation."""

import keras
import tensorflow as tf
from sincnet_tensorflow import LayerNorm, SincConv1D


class _Sounds(tf.Module):
    def __init__(self, *parts):
        super().__init__()
        self.model = keras.Sequential(
            [keras.Input((64, 1)), *parts, keras.layers.GlobalMaxPooling1D(), keras.layers.Dense(3)]
        )

    def __call__(self, sound, labels):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.model(sound)))


def _sounds():
    return tf.random.normal((2, 64, 1)), tf.constant([0, 2])


def filters():
    return _Sounds(SincConv1D(4, 9, 8000, stride=8), keras.layers.LeakyReLU()), _sounds()


def normalised():
    return _Sounds(keras.layers.Conv1D(4, 9, 8), LayerNorm(), keras.layers.LeakyReLU()), _sounds()


def whole():
    return _Sounds(SincConv1D(4, 9, 8000, stride=8), LayerNorm(), keras.layers.LeakyReLU()), _sounds()
