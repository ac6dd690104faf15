"""A small encoder-decoder that labels every pixel of an image."""

import keras
from keras import layers


def build():
    keras.utils.set_random_seed(0)
    image = keras.Input((32, 32, 3), name="image")
    h = layers.Conv2D(8, 3, padding="same", activation="relu", name="stem")(image)
    skip = h
    h = layers.AveragePooling2D(2, name="shrink")(h)
    h = layers.Conv2D(16, 3, padding="same", activation="relu", name="bottleneck")(h)
    h = layers.Conv2DTranspose(8, 3, strides=2, padding="same", name="grow")(h)
    h = layers.Concatenate(name="join")([h, skip])
    labels = layers.Conv2D(4, 1, activation="softmax", name="labels")(h)
    return keras.Model(image, labels, name="segmentation")
