"""Entry points of keras-condenser: sequences with padding condensed into vectors by its functions, then classified."""

import tensorflow as tf
from condenser import Condenser


class _Classifier(tf.Module):
    def __init__(self, **options):
        super().__init__()
        self.words = tf.keras.layers.Embedding(20, 6, mask_zero=True)
        self.condenser = Condenser(n_sample_points=5, sampling_bounds=(-5, 5), **options)
        self.head = tf.keras.layers.Dense(3)

    def __call__(self, words, labels):
        hidden = self.condenser(self.words(words), mask=self.words.compute_mask(words))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.head(hidden)))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _sentences():
    return tf.constant([[3, 7, 5, 9, 14], [5, 12, 11, 0, 0]]), tf.constant([2, 0])


def attentive():
    return _made(_Classifier(output_dim=8, reducer_trainable=True), *_sentences())


def weighted_attention():
    return _made(_Classifier(attention_type="weighted", use_derivatives=False, use_reducer=False), *_sentences())


def residual():
    options = {"use_residual": True, "residual_activation": "tanh", "activation": "relu", "reducer_trainable": True}
    return _made(_Classifier(output_dim=4, **options), *_sentences())
