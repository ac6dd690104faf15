"""Entry points of iird: filters with feedback of series, images and volumes, fitted by a few of their own steps."""

import tensorflow as tf
from IIRD import IIR1D, IIR2D, IIR3D


class _Trained(tf.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def __call__(self, signals, wanted):
        return tf.reduce_mean(tf.square(self.layer(signals) - wanted))


def _made(layer, *shape):
    model = _Trained(layer)
    inputs = tf.random.normal((2, *shape, 1)), tf.random.normal((2, *shape, 2))
    model(*inputs)
    return model, inputs


def series():
    return _made(IIR1D(Delays=2, filters=2, max_steps=3), 12)


def images():
    return _made(IIR2D(Delays=1, filters=2, max_steps=2), 6, 6)


def volumes():
    return _made(IIR3D(Delays=1, filters=2, max_steps=2), 4, 4, 4)
