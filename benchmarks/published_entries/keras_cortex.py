"""Entry points of keras-cortex: models of the visual cortex made of its blocks, in small."""

import keras
from keras_cortex.cornet import CORBlockS, CORBlockZ


def _model(*layers):
    images = result = keras.Input((32, 32, 3), 2)
    for layer in layers:
        result = layer(result)
    return keras.Model(images, keras.layers.Dense(4)(keras.layers.Flatten()(result)))


def feed_forward():
    return _model(CORBlockZ(3, 4, kernel_size=7, stride=2), CORBlockZ(4, 6), CORBlockZ(6, 8))


def recurrent():
    return _model(keras.layers.Conv2D(4, 3, strides=2), CORBlockS(4, 6, times=2))
