"""Entry points of tensornumpykeras: its autoencoder of images, with the loss of what it rebuilds."""

import tensorflow as tf
from tensornumpykeras.build_autoencoder import build_autoencoder


class _Rebuilt(tf.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = build_autoencoder((128, 128, 3), 8)

    def __call__(self, images):
        return tf.reduce_mean(tf.square(self.decoder(self.encoder(images)) - images))


def rebuilt():
    return _Rebuilt(), (tf.random.uniform((1, 128, 128, 3)),)
