"""Entry points of pytftk: its group of dense layers as a classifier and as an autoencoder, with their losses."""

import tensorflow as tf
from pytftk.nn import FF


class _Classified(tf.Module):
    def __init__(self):
        super().__init__()
        self.model = FF([16, 8, 3], ["relu", "relu", None])

    def __call__(self, rows, labels):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.model(rows)))


def classified():
    return _Classified(), (tf.random.normal((4, 6)), tf.constant([2, 0, 1, 1]))


class _Autoencoder(tf.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = FF([8, 3], ["tanh", "tanh"]), FF([8, 6], ["tanh", "sigmoid"])

    def __call__(self, rows):
        return tf.reduce_mean(tf.square(self.decoder(self.encoder(rows)) - rows))


def autoencoder():
    return _Autoencoder(), (tf.random.uniform((4, 6)),)
