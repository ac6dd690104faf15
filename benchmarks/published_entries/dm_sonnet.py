"""Entry points of dm-sonnet: quantised vectors with their loss, normalised layers, recurrent cores."""

import sonnet as snt
import tensorflow as tf


class _Quantised(tf.Module):
    def __init__(self, quantiser):
        super().__init__()
        self.first, self.quantiser = snt.Linear(4), quantiser
        self.first(tf.zeros((1, 6)))

    def __call__(self, x):
        found = self.quantiser(self.first(x), is_training=True)
        return found["loss"] + tf.reduce_mean(found["quantize"]) + found["perplexity"]


def _features():
    return (tf.random.normal((5, 6)),)


def quantised():
    return _Quantised(snt.nets.VectorQuantizer(4, 8, 0.25)), _features()


class _Normalised(tf.Module):
    def __init__(self, layer, shape):
        super().__init__()
        self.layer = layer
        self.layer(tf.ones(shape))

    def __call__(self, x):
        return tf.reduce_mean(tf.square(self.layer(x)))


def layer_norm():
    return _Normalised(snt.LayerNorm(-1, True, True), (5, 6)), _features()


def group_norm():
    return _Normalised(snt.GroupNorm(2), (2, 4, 4, 6)), (tf.random.normal((2, 4, 4, 6)),)


def instance_norm():
    return _Normalised(snt.InstanceNorm(True, True), (2, 4, 4, 6)), (tf.random.normal((2, 4, 4, 6)),)


class _Recurrent(tf.Module):
    def __init__(self, core):
        super().__init__()
        self.core = core
        self.core(tf.zeros((2, 6)), self.core.initial_state(2))

    def __call__(self, sequence):
        outputs, _ = snt.static_unroll(self.core, sequence, self.core.initial_state(2))
        return tf.reduce_mean(tf.square(outputs))


def gated():
    return _Recurrent(snt.GRU(4)), (tf.random.normal((3, 2, 6)),)


def long_memory():
    return _Recurrent(snt.LSTM(4)), (tf.random.normal((3, 2, 6)),)


class _Spectral(tf.Module):
    def __init__(self):
        super().__init__()
        self.net = snt.nets.MLP([8, 3])
        self.net(tf.zeros((1, 6)))

    def __call__(self, x, labels):
        scores = self.net(x)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores))


def classifier():
    return _Spectral(), (tf.random.normal((5, 6)), tf.constant([0, 1, 2, 0, 1]))
