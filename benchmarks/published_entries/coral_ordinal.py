"""Entry points of coral-ordinal: its layer of ordered grades on a small network, with losses and the probabilities."""

import tensorflow as tf
from coral_ordinal import CoralOrdinal, OrdinalCrossEntropy, ordinal_softmax


class _Graded(tf.Module):
    def __init__(self, loss):
        super().__init__()
        self.hidden, self.layer = tf.keras.layers.Dense(8, activation="relu"), CoralOrdinal(num_classes=4)
        self.loss = loss

    def __call__(self, features, grades):
        return self.loss(grades, self.layer(self.hidden(features)))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _rows():
    return tf.random.normal((5, 6)), tf.constant([0, 3, 1, 2, 3])


def ordinal():
    return _made(_Graded(OrdinalCrossEntropy(num_classes=4)), *_rows())


def weighted():
    return _made(_Graded(OrdinalCrossEntropy(num_classes=4, importance_weights=[1.0, 0.5, 0.5])), *_rows())


def levels():
    """The loss written out: each grade passes the levels below it."""

    def loss(grades, logits):
        passed = tf.sequence_mask(grades, maxlen=3, dtype=tf.float32)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(passed, logits))

    return _made(_Graded(loss), *_rows())


class _Probabilities(tf.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.layer = tf.keras.layers.Dense(8, activation="relu"), CoralOrdinal(num_classes=4)

    def __call__(self, features):
        return ordinal_softmax(self.layer(self.hidden(features)))


def probabilities():
    return _made(_Probabilities(), tf.random.normal((5, 6)))
