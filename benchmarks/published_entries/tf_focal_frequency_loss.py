"""Entry points of tf-focal-frequency-loss: its loss of spectra, on a layer that makes images, and its options."""

import tensorflow as tf
from tf_focal_frequency_loss import FocalFrequencyLoss


class _Made(tf.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(192, activation="tanh"), FocalFrequencyLoss(**options)

    def __call__(self, codes, images):
        return self.loss(tf.reshape(self.layer(codes), (-1, 3, 8, 8)), images)


def _made(**options):
    model, inputs = _Made(**options), (tf.random.normal((2, 5)), tf.random.uniform((2, 3, 8, 8), -1, 1))
    model(*inputs)
    return model, inputs


def plain():
    return _made(loss_weight=1.0, alpha=1.0)


def patches():
    return _made(patch_factor=2, log_matrix=True)


def averaged():
    return _made(ave_spectrum=True, batch_matrix=True)
