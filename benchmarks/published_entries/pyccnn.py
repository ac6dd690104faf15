"""Entry points of pyccnn: small networks of its activations with parameters, under its losses of correlation."""

import tensorflow as tf
from pyccnn.core import activations, losses


class _Cascade(tf.Module):
    """A unit that sees the inputs, and outputs that see the unit as well."""

    def __init__(self, activation, loss, parameters=0, outputs=2):
        super().__init__()
        self.unit, self.head = tf.keras.layers.Dense(3), tf.keras.layers.Dense(outputs)
        self.activation, self.loss = activation, loss

    def __call__(self, x, y):
        hidden = self.activation(self.unit(x))
        return self.loss(y, self.head(tf.concat([x, hidden], axis=-1)))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _samples():
    return tf.random.normal((8, 4)), tf.random.normal((8, 2))


def quantiles():
    return _made(_Cascade(activations.matern_5, losses.build_quantile_loss(0.8)), *_samples())


def pseudo_huber():
    return _made(_Cascade(activations.square_rbf, losses.build_pseudo_huber(0.5)), *_samples())


class _Candidate(tf.Module):
    """A candidate unit that is to correlate with what the network leaves."""

    def __init__(self, activation, loss):
        super().__init__()
        self.unit, self.activation, self.loss = tf.keras.layers.Dense(2), activation, loss

    def __call__(self, x, residuals):
        return self.loss(residuals, self.activation(self.unit(x)))


def correlated_candidate():
    return _made(_Candidate(activations.ricker, losses.S_cascor), *_samples())


def bayesian_candidate():
    return _made(_Candidate(activations.fourier, losses.fully_bayesian), *_samples())
