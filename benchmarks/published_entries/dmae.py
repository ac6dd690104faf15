"""Entry points of dmae: its clustering layers by several dissimilarities, plain and behind layers, with losses."""

import tensorflow as tf
from dmae import dissimilarities, losses
from dmae.layers import DissimilarityMixtureAutoencoder, DissimilarityMixtureAutoencoderCov, DissimilarityMixtureEncoder

ALPHA = 10.0


class _Clusters(tf.Module):
    def __init__(self, dissimilarity, loss):
        super().__init__()
        self.layer, self.loss = DissimilarityMixtureAutoencoder(ALPHA, 3, dissimilarity), loss

    def __call__(self, samples):
        return self.loss(samples, *self.layer(samples), ALPHA)


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _samples():
    return tf.random.normal((6, 2)) * 0.1 + tf.constant([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]] * 2)


def euclidean():
    return _made(_Clusters(dissimilarities.euclidean, losses.euclidean_loss), _samples())


def cosine():
    return _made(_Clusters(dissimilarities.cosine, losses.cosine_loss), _samples())


def manhattan():
    return _made(_Clusters(dissimilarities.manhattan, losses.manhattan_loss), _samples())


class _Covariances(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer = DissimilarityMixtureAutoencoderCov(ALPHA, 3)

    def __call__(self, samples):
        return losses.mahalanobis_loss(samples, *self.layer(samples), ALPHA)


def covariances():
    return _made(_Covariances(), _samples())


class _Deep(tf.Module):
    """Codes of an autoencoder are clustered while it is trained."""

    def __init__(self):
        super().__init__()
        self.encoder = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
        self.decoder = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(5)])
        self.layer = DissimilarityMixtureAutoencoder(ALPHA, 3)

    def __call__(self, samples):
        codes = self.encoder(samples)
        restored = tf.reduce_mean(tf.square(self.decoder(codes) - samples))
        return restored + 0.1 * losses.euclidean_loss(codes, *self.layer(codes), ALPHA)


def deep():
    return _made(_Deep(), tf.random.uniform((6, 5)))


class _Assigned(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.head = DissimilarityMixtureEncoder(ALPHA, 4), tf.keras.layers.Dense(3)

    def __call__(self, samples, labels):
        logits = self.head(self.layer(samples))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def assigned():
    return _made(_Assigned(), _samples(), tf.constant([0, 1, 2, 0, 1, 2]))
