"""Entry points of keras-bcr: the correlation of a residual branch with what enters it, weighed into a loss."""

import tensorflow as tf
from keras_bcr import BatchCorrRegularizer, batch_corr


class _Residual(tf.Module):
    def __init__(self, rate, branch):
        super().__init__()
        self.branch, self.regularizer = branch, BatchCorrRegularizer(rate)
        self.head = tf.keras.layers.Dense(3)

    def __call__(self, features, labels):
        hidden = features + self.regularizer([self.branch(features), features])
        logits = self.head(tf.reshape(hidden, (hidden.shape[0], -1)))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        return loss + tf.add_n(self.regularizer.losses)


def _made(model, inputs):
    model(*inputs)
    return model, inputs


def dense():
    features = tf.random.normal((8, 6))
    branch = tf.keras.Sequential([tf.keras.layers.Dense(6, activation="relu"), tf.keras.layers.Dense(6)])
    return _made(_Residual(1e-3, branch), (features, tf.constant([0, 2, 1, 1, 0, 2, 2, 0])))


def convolved():
    images = tf.random.uniform((8, 6, 6, 2))
    branch = tf.keras.layers.Conv2D(2, 3, padding="same", activation="relu")
    return _made(_Residual(1e-3, branch), (images, tf.constant([0, 2, 1, 1, 0, 2, 2, 0])))


class _Correlation(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer = tf.keras.layers.Dense(6)

    def __call__(self, features):
        return batch_corr(self.layer(features), features)


def correlation():
    return _made(_Correlation(), (tf.random.normal((8, 6)),))
