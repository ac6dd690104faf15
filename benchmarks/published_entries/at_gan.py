"""Entry points of at-gan: what makes rows of a table and what judges them, with the losses of its training."""

import tensorflow as tf
from at_gan.models.discriminator import build_discriminator
from at_gan.models.generator import build_generator

_CONFIG = {"units": [16, 16], "activation": "relu", "dropout": 0.1}


class _Judged(tf.Module):
    """Real rows carry labels that are smoothed on one side."""

    def __init__(self):
        super().__init__()
        self.discriminator = build_discriminator(9, _CONFIG)
        self.loss = tf.keras.losses.BinaryCrossentropy(from_logits=False)

    def __call__(self, rows, made, labels):
        real = self.loss(labels, self.discriminator(rows))
        return (real + self.loss(tf.zeros_like(labels), self.discriminator(made))) / 2.0


def _generator():
    return build_generator(_CONFIG, 4, continuous_dim=3, binary_dim=1, discrete_count_dim=2, categorical_dims=[3])


def judged():
    binary, counts = tf.round(tf.random.uniform((4, 1))), tf.random.uniform((4, 2))
    rows = tf.concat([binary, tf.random.uniform((4, 3), -1, 1), counts, tf.one_hot([0, 2, 1, 1], 3)], axis=1)
    made = _generator()(tf.random.normal((4, 4)))
    return _Judged(), (rows, made, tf.random.uniform((4, 1), 0.9, 1.0))


class _Made(tf.Module):
    def __init__(self):
        super().__init__()
        self.generator, self.discriminator = _generator(), build_discriminator(9, _CONFIG)
        self.loss = tf.keras.losses.BinaryCrossentropy(from_logits=False)

    def __call__(self, noise):
        judged = self.discriminator(self.generator(noise))
        return self.loss(tf.ones_like(judged), judged)


def made():
    return _Made(), (tf.random.normal((4, 4)),)
