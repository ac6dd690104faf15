"""Entry points of sodbasnet: its blocks in a small finder of objects, with each of its losses, and its refinement."""

import keras
import tensorflow as tf
from BASNET.loss import binary_crossentropy, iou_loss, ssim_loss
from BASNET.RefUnet import RefUnet
from BASNET.ResidualBlock import basicBlock


class _Found(tf.Module):
    """What stands out in an image, under the losses that are added."""

    def __init__(self, *losses):
        super().__init__()
        self.blocks = [basicBlock(4, downsamples=True), basicBlock(4)]
        self.head, self.losses = keras.layers.Conv2D(1, 3, padding="same", activation="sigmoid"), losses

    def __call__(self, images, masks):
        for block in self.blocks:
            images = block(images)
        chances = self.head(images)
        return tf.add_n([tf.reduce_mean(loss(masks, chances)) for loss in self.losses])


def _found(*losses):
    masks = tf.cast(tf.random.uniform((2, 16, 16, 1)) > 0.5, tf.float32)
    model, inputs = _Found(*losses), (tf.random.uniform((2, 16, 16, 3)), masks)
    model(*inputs)
    return model, inputs


def all_losses():
    return _found(binary_crossentropy, ssim_loss, iou_loss)


def overlap():
    return _found(iou_loss)


def similarity():
    return _found(ssim_loss)


def refinement():
    images = keras.Input((16, 16, 1), 2)
    return keras.Model(images, RefUnet(4)(images))
