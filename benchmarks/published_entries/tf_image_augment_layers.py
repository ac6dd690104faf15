"""Entry points of tf-image-augment-layers: classifiers behind its layers that change colours and backgrounds."""

import tensorflow as tf
from augment_layers import (
    ColorCastLayer,
    RandomColorTemperatureLayer,
    ReplaceBackgroundWithGrayNoiseLayer,
    RGBAtoRGBLayer,
)


class _Classifier(tf.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers, self.conv = list(layers), tf.keras.layers.Conv2D(4, 3, activation="relu")
        self.head = tf.keras.layers.Dense(3)

    def __call__(self, images, labels):
        for layer in self.layers:
            images = layer(images, training=True)
        logits = self.head(tf.reduce_mean(self.conv(images / 255.0), axis=(1, 2)))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _images(channels):
    return 255 * tf.random.uniform((2, 8, 8, channels)), tf.constant([2, 0])


def cast_colours():
    return _made(_Classifier(RGBAtoRGBLayer(), ColorCastLayer(max_strength=0.3)), *_images(4))


def colour_temperature():
    return _made(_Classifier(RandomColorTemperatureLayer(kelvin_range=(2500, 7500))), *_images(3))


def new_backgrounds():
    return _made(_Classifier(ReplaceBackgroundWithGrayNoiseLayer(use_white=True, use_black=True)), *_images(4))
