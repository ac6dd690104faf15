"""Entry points of isab: its attention of sets through latents, learned or given, as in its README, with a loss."""

import tensorflow as tf
from isab import Isab


class _Sets(tf.Module):
    def __init__(self, **options):
        super().__init__()
        self.attention = Isab(dim=8, heads=2, **options)

    def __call__(self, sets):
        return self.attention(sets)


def learned_latents():
    return _Sets(num_latents=4), (tf.random.normal((1, 12, 8)),)


class _Given(tf.Module):
    """Latents that go through two layers."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Isab(dim=8, heads=2), Isab(dim=8, heads=2)
        self.latents = tf.Variable(tf.random.normal((4, 8)))

    def __call__(self, sets):
        hidden, latents = self.first(sets, self.latents)
        return self.second(hidden, latents)


def given_latents():
    return _Given(), (tf.random.normal((1, 12, 8)),)


class _Classified(_Sets):
    def __init__(self):
        super().__init__(num_latents=4)
        self.head = tf.keras.layers.Dense(3)

    def __call__(self, sets, labels):
        logits = self.head(tf.reduce_mean(self.attention(sets)[0], axis=1))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def classified():
    return _Classified(), (tf.random.normal((2, 12, 8)), tf.constant([2, 0]))
