"""Entry points of keras-matmulless: its layers of ternary weights in small models with losses of Keras."""

import keras
import tensorflow as tf
from keras_mml.layers import GRUMML, DenseMML, RMSNorm, SwiGLUMML, TokenEmbedding, TransformerBlockMML


class _Training(tf.Module):
    def __init__(self, samples, layers):
        super().__init__()
        self.model = keras.Sequential([keras.Input(samples.shape[1:], dtype=samples.dtype), *layers])
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def __call__(self, samples, labels):
        return self.loss(labels, self.model(samples))


def _trained(samples, *layers):
    return _Training(samples, layers), (samples, tf.constant([0, 2]))


def dense():
    return _trained(tf.random.normal((2, 6)), DenseMML(8, activation="relu"), DenseMML(3))


def normalised():
    return _trained(tf.random.normal((2, 6)), keras.layers.Dense(8), RMSNorm(), keras.layers.Dense(3))


def gated():
    return _trained(tf.random.normal((2, 8)), SwiGLUMML(8), DenseMML(3))


def recurrent():
    return _trained(tf.random.normal((2, 5, 6)), GRUMML(8), keras.layers.Dense(3))


def attending():
    tokens = tf.random.uniform((2, 5), 0, 20, tf.int32)
    layers = TokenEmbedding(5, 20, 8, with_positions=True), TransformerBlockMML(8, 16, 2, rate=0.0)
    return _trained(tokens, *layers, keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(3))
