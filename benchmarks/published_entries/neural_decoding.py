"""Entry points of neural-decoding: its networks that tell movements by neurons' activity, with their squared error."""

import numpy as np
import tensorflow as tf
from Neural_Decoding.decoders import DenseNNRegression, GRURegression, LSTMRegression


class _Decoded(tf.Module):
    """A decoder builds its network when it is first fitted."""

    def __init__(self, decoder, spikes, movement):
        super().__init__()
        decoder.fit(spikes, movement)
        self.model = decoder.model

    def __call__(self, spikes, movement):
        return tf.reduce_mean(tf.square(self.model(spikes) - movement))


def _spikes(*shape):
    """Standardised counts of spikes, and the velocity in two directions less its mean."""
    counts = np.random.poisson(2.0, (8, *shape)).astype("float32")
    spikes = (counts - counts.mean(axis=0)) / (counts.std(axis=0) + 1e-3)
    return spikes, np.random.randn(8, 2).astype("float32")


def _entry(decoder, *shape):
    spikes, movement = _spikes(*shape)
    return _Decoded(decoder, spikes, movement), (tf.constant(spikes), tf.constant(movement))


def dense():
    return _entry(DenseNNRegression(units=16, dropout=0.25, num_epochs=1), 12)


def lstm():
    return _entry(LSTMRegression(units=8, dropout=0.25, num_epochs=1), 5, 6)


def gru():
    return _entry(GRURegression(units=8, dropout=0.0, num_epochs=1), 5, 6)
