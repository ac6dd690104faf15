"""Entry points of lwbna-unet: its light U-shaped network with losses of segmentation on its probabilities."""

import keras
import tensorflow as tf
from lwbna_unet.LWBNA_Unet import LWBNAUnet


class _Segmentation(tf.Module):
    def __init__(self, loss, classes):
        super().__init__()
        self.model, self.loss = LWBNAUnet(n_classes=classes, filters=8, depth=2, midblock_steps=2), loss
        self.model.build((2, 16, 16, 3))

    def __call__(self, images, masks):
        return self.loss(masks, self.model(images, training=True))


def _images():
    return tf.random.uniform((2, 16, 16, 3))


def _masks(classes):
    return tf.cast(tf.random.uniform((2, 16, 16, classes)) > 0.7, tf.float32)


def one_class():
    return _Segmentation(keras.losses.BinaryCrossentropy(), 1), (_images(), _masks(1))


def overlap():
    return _Segmentation(keras.losses.Dice(), 2), (_images(), _masks(2))


def rare_class():
    return _Segmentation(keras.losses.BinaryFocalCrossentropy(), 1), (_images(), _masks(1))
