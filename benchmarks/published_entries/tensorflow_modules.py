"""Entry points of tensorflow-modules: its attention in a translator, under masks of padding and of what is to come."""

import tensorflow as tf
from tensorflow_modules import MultiHeadAttention
from tensorflow_modules.mask import create_look_ahead_mask, create_padding_mask


class _Translator(tf.Module):
    """Words of one language and of another through its attention, with padding and what is to come hidden."""

    def __init__(self):
        super().__init__()
        self.words, self.others = tf.keras.layers.Embedding(10, 8), tf.keras.layers.Embedding(12, 8)
        self.encoder, self.decoder, self.cross = (MultiHeadAttention(8, 2) for _ in range(3))
        self.norms = [tf.keras.layers.LayerNormalization(epsilon=1e-6) for _ in range(3)]
        self.head = tf.keras.layers.Dense(12)

    def __call__(self, words, others, following):
        padding, ahead = create_padding_mask(words), create_look_ahead_mask(others.shape[1])
        ahead = tf.maximum(ahead, create_padding_mask(others))
        words, given = self.words(words), self.others(others)
        words = self.norms[0](words + self.encoder(words, words, words, padding)[0])
        given = self.norms[1](given + self.decoder(given, given, given, ahead)[0])
        given = self.norms[2](given + self.cross(words, words, given, padding)[0])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(following, self.head(given))
        return tf.reduce_mean(tf.boolean_mask(loss, following != 0))


class _Classifier(tf.Module):
    def __init__(self):
        super().__init__()
        self.words, self.attention = tf.keras.layers.Embedding(10, 8), MultiHeadAttention(8, 4)
        self.head = tf.keras.layers.Dense(3)

    def __call__(self, words):
        hidden = self.words(words)
        hidden, weights = self.attention(hidden, hidden, hidden, create_padding_mask(words))
        kept = tf.cast(words != 0, tf.float32)[..., None]
        return self.head(tf.reduce_sum(hidden * kept, axis=1) / tf.reduce_sum(kept, axis=1)), weights


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _words():
    return tf.constant([[3, 7, 5, 9, 4], [6, 2, 8, 0, 0]])


def translator():
    others, following = tf.constant([[1, 5, 11, 3], [1, 4, 9, 0]]), tf.constant([[5, 11, 3, 2], [4, 9, 2, 0]])
    return _made(_Translator(), _words(), others, following)


def classifier():
    return _made(_Classifier(), _words())
