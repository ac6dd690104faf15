"""Entry points of xl-tensorflow: blocks of images with its activations and excitation, and its resizing of images."""

import tensorflow as tf
from xl_tensorflow.layers import HSwish, SEConvEfnet2D, Swish
from xl_tensorflow.layers.actication import Mish
from xl_tensorflow.layers.conv import GlobalAveragePooling2DKeepDim, ResizeImageProcessLayer
from xl_tensorflow.layers.initializers import CONV_KERNEL_INITIALIZER, DENSE_KERNEL_INITIALIZER


class _Block(tf.Module):
    """A block of an efficient network, and a classifier of what it has found."""

    def __init__(self, activation):
        super().__init__()
        options = {"use_bias": False, "padding": "same"}
        self.expand = tf.keras.layers.Conv2D(12, 1, kernel_initializer=CONV_KERNEL_INITIALIZER, **options)
        self.depthwise = tf.keras.layers.DepthwiseConv2D(3, **options)
        self.norm, self.activation = tf.keras.layers.BatchNormalization(), activation
        self.excitation, self.project = SEConvEfnet2D(12, 0.25), tf.keras.layers.Conv2D(3, 1, **options)
        self.pool, self.head = GlobalAveragePooling2DKeepDim(), tf.keras.layers.Dense(4, None, True)
        self.head.kernel_initializer = tf.keras.initializers.get(DENSE_KERNEL_INITIALIZER)

    def __call__(self, images, labels):
        x = self.activation(self.norm(self.depthwise(self.expand(images)), training=True))
        x = self.pool(images + self.project(self.excitation(x)))
        logits = self.head(tf.reshape(x, (-1, 3)))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _images():
    return tf.random.uniform((2, 8, 8, 3)), tf.constant([3, 1])


def swish_block():
    return _made(_Block(Swish()), *_images())


def hard_swish_block():
    return _made(_Block(HSwish()), *_images())


def mish_block():
    return _made(_Block(Mish()), *_images())


class _Resized(tf.Module):
    def __init__(self):
        super().__init__()
        self.resize, self.conv = ResizeImageProcessLayer(target_size=(16, 16)), tf.keras.layers.Conv2D(4, 3)

    def __call__(self, images):
        images, scales, _ = self.resize(images)
        return self.conv(images), scales


def resized():
    return _made(_Resized(), 255 * tf.random.uniform((2, 20, 12, 3)))
