"""Entry points of keras-aug: its layers of images before a small network, mixed labels with their loss included."""

import tensorflow as tf
from keras_aug import layers


class _Augmented(tf.Module):
    def __init__(self, *augmentations):
        super().__init__()
        self.augmentations = augmentations
        self.convolution = tf.keras.layers.Conv2D(4, 3, activation="relu")
        self.pool, self.head = tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(3)

    def __call__(self, images, labels):
        data = {"images": images, "labels": labels}
        for augmentation in self.augmentations:
            data = augmentation(data, training=True)
        logits = self.head(self.pool(self.convolution(data["images"])))
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(data["labels"], logits))


def _made(*augmentations):
    images = tf.random.uniform((4, 8, 8, 3), 0, 255)
    inputs = images, tf.one_hot(tf.constant([0, 2, 1, 1]), 3)
    model = _Augmented(*augmentations)
    model(*inputs)
    return model, inputs


def mixed():
    return _made(layers.vision.Rescale(scale=1 / 255), layers.vision.MixUp(alpha=0.2))


def cut_and_mixed():
    return _made(layers.vision.Rescale(scale=1 / 255), layers.vision.CutMix())


def normalized():
    return _made(
        layers.vision.Resize(8, along_long_edge=True),
        layers.vision.Rescale(scale=1 / 255),
        layers.vision.RandomGrayscale(p=1.0),
        layers.vision.Normalize(),
    )


def jittered():
    return _made(layers.vision.Rescale(scale=1 / 255), layers.vision.ColorJitter(0.2, 0.2, 0.2))
