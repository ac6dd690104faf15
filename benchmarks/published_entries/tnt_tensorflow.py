"""Entry points of tnt-tensorflow: parts of its transformer of pixels within patches."""

import tensorflow as tf
from tnt.attention import Attention
from tnt.tnt import FeedForward, PreNorm


class _Network(tf.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = layers

    def __call__(self, inputs):
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def feed_forward():
    return _made(_Network(PreNorm(12, FeedForward(12, mult=2))), tf.random.normal((2, 5, 12)))


def attention():
    return _made(
        _Network(PreNorm(12, Attention(12, heads=2, dim_head=4)), tf.keras.layers.Dense(3)),
        tf.random.normal((2, 5, 12)),
    )
