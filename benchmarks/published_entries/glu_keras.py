"""Entry points of glu-keras: small networks of its gated units with losses of Keras."""

import keras
import tensorflow as tf
from glu_keras import GLU, Bilinear, GeGLU, ReGLU, SeGLU, SwiGLU


class _Training(tf.Module):
    def __init__(self, gate):
        super().__init__()
        layers = keras.layers.Dense(16), gate(), keras.layers.Dense(3)
        self.model = keras.Sequential([keras.Input((6,)), *layers])
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def __call__(self, samples, labels):
        return self.loss(labels, self.model(samples))


def _samples():
    return tf.random.normal((4, 6)), tf.constant([0, 2, 1, 1])


def sigmoid():
    return _Training(GLU), _samples()


def bilinear():
    return _Training(Bilinear), _samples()


def relu():
    return _Training(ReGLU), _samples()


def gelu():
    return _Training(GeGLU), _samples()


def swish():
    return _Training(SwiGLU), _samples()


def selu():
    return _Training(SeGLU), _samples()
