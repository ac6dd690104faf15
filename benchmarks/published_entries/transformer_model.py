"""Entry points of transformer-model: its attention with its masks and the loss of its trainer."""

import tensorflow as tf
from transformer_model.attention import MultiHeadAttention
from transformer_model.masker import Masker
from transformer_model.positional_encoder import PositionalEncoder
from transformer_model.training import Trainer


class _Next(tf.Module):
    """Embedded words with their places look at those before them; zero is padding."""

    def __init__(self, words=20, size=8):
        super().__init__()
        self.embedding, self.attention = tf.keras.layers.Embedding(words, size), MultiHeadAttention(size, 2)
        self.network = MultiHeadAttention.point_wise_feed_forward_network(size, 16)
        self.norm, self.head = tf.keras.layers.LayerNormalization(epsilon=1e-6), tf.keras.layers.Dense(words)
        self.places = PositionalEncoder(size).positional_encoding(words, size)
        self.loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
        self.size = size

    def __call__(self, tokens):
        given, following = tokens[:, :-1], tokens[:, 1:]
        _, mask, _ = Masker().create_masks(given, given)
        words = self.embedding(given) * tf.math.sqrt(tf.cast(self.size, tf.float32))
        words += self.places[:, : tf.shape(given)[1], :]
        attended, _ = self.attention(words, words, words, mask)
        hidden = self.norm(attended + words)
        return Trainer.loss_function(self, following, self.head(self.network(hidden) + hidden))


class _Attention(tf.Module):
    def __init__(self):
        super().__init__()
        self.attention = MultiHeadAttention(8, 2)

    def __call__(self, values, queries, tokens):
        output, weights = self.attention(values, values, queries, Masker.create_padding_mask(tokens))
        return output, weights


def _tokens():
    return tf.constant([[3, 5, 7, 2, 9, 4], [8, 1, 6, 2, 0, 0]])


def _built(model, inputs):
    model(*inputs)  # its layers are built with the first tokens
    return model, inputs


def language():
    return _built(_Next(), (_tokens(),))


def attention():
    return _built(_Attention(), (tf.random.normal((2, 6, 8)), tf.random.normal((2, 4, 8)), _tokens()))
