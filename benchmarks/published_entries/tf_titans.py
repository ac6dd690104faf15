"""Entry points of tf-titans: its model of long memories trained on the last token, and its memory alone."""

import tensorflow as tf
from tf_titans.memory import Memory
from tf_titans.titans import Titans
from tf_titans.train import compute_loss


class _Next(tf.Module):
    def __init__(self, **options):
        super().__init__()
        sizes = {"embedding_dim": 8, "sequence_length": 6, "num_heads": 2, "dff": 16, "total_words": 20}
        self.model = Titans(**sizes, rate=0.0, **options)
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy()

    def __call__(self, tokens, labels):
        return compute_loss(labels, self.model(tokens, mask=None), self.loss)


def _built(model, inputs):
    model(*inputs)  # its layers are built with the first tokens
    return model, inputs


def language():
    return _built(_Next(), (tf.random.uniform((2, 6), 1, 20, tf.int32), tf.constant([3, 7])))


class _Memory(tf.Module):
    """Sequences of numbers by a memory with one layer behind it."""

    def __init__(self):
        super().__init__()
        self.memory, self.head = Memory(8, 6), tf.keras.layers.Dense(1)

    def __call__(self, samples, wanted):
        return tf.reduce_mean(tf.square(self.head(self.memory(samples))[:, -1] - wanted))


def memory():
    return _built(_Memory(), (tf.random.normal((2, 6, 8)), tf.random.normal((2, 1))))
