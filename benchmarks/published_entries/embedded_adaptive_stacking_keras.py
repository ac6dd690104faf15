"""Entry points of embedded-adaptive-stacking-keras: windows of series embedded, with its adaptive loss."""

import tensorflow as tf
from embedded_adaptive_stacking_keras.loss import CustomLossWithRegression
from embedded_adaptive_stacking_keras.models import SlidingWindowEmbedding, ThresholdAlphaLayer


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


class _Adaptive(tf.Module):
    """A layer on embedded windows, whose loss learns its threshold and weight."""

    def __init__(self):
        super().__init__()
        self.lstm, self.layer = tf.keras.layers.LSTM(6), tf.keras.layers.Dense(1, activation="sigmoid")
        self.loss = CustomLossWithRegression(ThresholdAlphaLayer().call)

    def __call__(self, windows, wanted):
        return self.loss.call(wanted, self.layer(self.lstm(windows)))


def adaptive():
    return _made(_Adaptive(), tf.random.normal((4, 5, 3)), tf.random.uniform((4, 1)))


class _Embedded(tf.Module):
    def __init__(self):
        super().__init__()
        self.model, self.head = SlidingWindowEmbedding(3, [6, 6], 4), tf.keras.layers.Dense(1)

    def __call__(self, windows, wanted):
        return tf.reduce_mean(tf.square(self.head(self.model(windows)) - wanted))


def embedded():
    return _made(_Embedded(), tf.random.normal((4, 5, 3)), tf.random.normal((4, 1)))
