"""Entry points of keras-proba: heads that predict distributions with their losses, and layers of random weights."""

import tensorflow as tf
from keras_proba import layers, losses


class _Regressed(tf.Module):
    def __init__(self, head, loss):
        super().__init__()
        self.hidden, self.head, self.loss = tf.keras.layers.Dense(8, activation="relu"), head, loss

    def __call__(self, features, wanted):
        return self.loss(wanted, self.head(self.hidden(features)))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _regressed(head, loss, outputs=1):
    return _made(_Regressed(head, loss), tf.random.normal((5, 6)), tf.random.normal((5, outputs)))


def gaussian():
    return _regressed(layers.GaussianHead(2), losses.GaussianNLL(), 2)


def mixture():
    return _regressed(layers.MixtureGaussianHead(num_components=3), losses.MixtureGaussianNLL())


def mixture_of_several():
    return _regressed(layers.MixtureGaussianHead(num_components=2, units=2), losses.MixtureGaussianNLL(units=2), 2)


class _Bayesian(tf.Module):
    """A classifier with the divergences that its layers add."""

    def __init__(self, kind):
        super().__init__()
        self.hidden, self.head = kind(8, activation="relu", kl_weight=0.01), kind(3, kl_weight=0.01)

    def __call__(self, features, labels):
        logits = self.head(self.hidden(features))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        return loss + tf.add_n(self.hidden.losses + self.head.losses)


def _bayesian(kind):
    return _made(_Bayesian(kind), tf.random.normal((5, 6)), tf.constant([0, 2, 1, 1, 0]))


def reparameterized():
    return _bayesian(layers.DenseReparameterization)


def locally_reparameterized():
    return _bayesian(layers.DenseLocalReparameterization)


def flipped_signs():
    return _bayesian(layers.DenseFlipout)
