"""Entry points of rotary-embedding-tensorflow: attention over words and pictures turned by it, as in its README."""

import tensorflow as tf
from rotary_embedding_tensorflow.rotary_embedding_tensorflow import (
    RotaryEmbedding,
    apply_learned_rotations,
    apply_rotary_emb,
    broadcat,
)


class _Language(tf.Module):
    def __init__(self, rotated, **options):
        super().__init__()
        self.embedding, self.head = tf.keras.layers.Embedding(12, 16), tf.keras.layers.Dense(12)
        self.query, self.key, self.value = (tf.keras.layers.Dense(16, use_bias=False) for _ in range(3))
        self.rotary = RotaryEmbedding(rotated, **options)

    def __call__(self, words, following):
        hidden, steps = self.embedding(words), words.shape[1]
        query, key, value = (
            tf.transpose(tf.reshape(layer(hidden), (words.shape[0], steps, 2, 8)), (0, 2, 1, 3))
            for layer in (self.query, self.key, self.value)
        )
        rotations = self.rotary(tf.range(steps))
        query, key = apply_rotary_emb(rotations, query), apply_rotary_emb(rotations, key)
        future = 1 - tf.linalg.band_part(tf.ones((steps, steps)), -1, 0)
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / 8**0.5 - 1e9 * future)
        mixed = tf.reshape(tf.transpose(tf.matmul(weights, value), (0, 2, 1, 3)), (words.shape[0], steps, 16))
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(following, self.head(hidden + mixed))
        return tf.reduce_mean(losses)


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _words():
    words = tf.constant([[3, 7, 2, 9, 11], [5, 1, 10, 4, 0]])
    return words[:, :-1], words[:, 1:]


def language():
    return _made(_Language(8), *_words())


def part_of_each_head():
    return _made(_Language(4), *_words())


def learned_frequencies():
    return _made(_Language(8, learned_freq=True), *_words())


class _Pictures(tf.Module):
    """Rows and columns turn a half of the features each."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.head = tf.keras.layers.Dense(8), tf.keras.layers.Dense(8), tf.keras.layers.Dense(3)
        self.rotary = RotaryEmbedding(4, freqs_for="pixel", max_freq=10)

    def __call__(self, pictures, labels):
        rows, columns = self.rotary(tf.linspace(-1.0, 1.0, 4)), self.rotary(tf.linspace(-1.0, 1.0, 4))
        rotations = broadcat((rows[:, None, :], columns[None, :, :]), dim=-1)
        query = tf.reshape(apply_rotary_emb(rotations, self.query(pictures)), (-1, 16, 8))
        key = tf.reshape(apply_rotary_emb(rotations, self.key(pictures)), (-1, 16, 8))
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / 8**0.5)
        pooled = tf.reduce_mean(tf.matmul(weights, tf.reshape(pictures, (-1, 16, 3))), axis=1)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.head(pooled)))


def pictures():
    return _made(_Pictures(), tf.random.uniform((2, 4, 4, 3)), tf.constant([2, 0]))


class _Turned(tf.Module):
    def __init__(self):
        super().__init__()
        self.angles, self.hidden, self.head = (tf.keras.layers.Dense(size) for size in (4, 8, 1))

    def __call__(self, features, measured):
        turned = apply_learned_rotations(self.angles(features), self.hidden(features))
        return tf.reduce_mean(tf.square(self.head(turned) - measured))


def learned_rotations():
    return _made(_Turned(), tf.random.normal((4, 5)), tf.random.normal((4, 1)))
