"""Entry points of keras-octave-conv: its convolutions over two octaves, in models as its README builds them."""

import keras
from keras_octave_conv import OctaveConv1D, OctaveConv2D


def _model(shape, first, flat, last):
    inputs = keras.Input(shape, 2)
    high, low = first(inputs)
    hidden = last([high, low])
    return keras.Model(inputs, keras.layers.Dense(3, activation="softmax")(flat(hidden)))


def images():
    layers = OctaveConv2D(8, 3), keras.layers.Flatten(), OctaveConv2D(4, 3, ratio_out=0.0)
    return _model((8, 8, 3), *layers)


def rectified_images():
    layers = OctaveConv2D(8, 3, activation="relu"), keras.layers.GlobalAveragePooling2D()
    return _model((8, 8, 3), *layers, OctaveConv2D(4, 3, ratio_out=0.0, activation="relu"))


def sounds():
    layers = OctaveConv1D(8, 3, octave=4), keras.layers.Flatten(), OctaveConv1D(4, 3, octave=4, ratio_out=0.0)
    return _model((16, 2), *layers)
