"""Entry points of dropconnect-tensorflow: its layer whose connections are dropped, with a classifier's loss."""

import tensorflow as tf
from dropconnect_tensorflow import DropConnectDense


class _Classified(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer = DropConnectDense(units=8, prob=0.2, activation="relu", use_bias=True)
        self.head = tf.keras.layers.Dense(3)

    def __call__(self, features, labels):
        logits = self.head(self.layer(features))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def classified():
    model, inputs = _Classified(), (tf.random.normal((4, 6)), tf.constant([0, 2, 1, 1]))
    model(*inputs)
    return model, inputs
