"""Entry points of keras-custom: its layers of reduction, powers and padding between usual ones."""

import keras
from keras_custom.layers import Clip, ConstantPadding2D, Max, Mean, MulConstant, PlusConstant, Pow, ReduceL2


def reduced():
    features = keras.Input((6, 8), 3, name="features")
    hidden = keras.layers.Dense(8, activation="relu")(features)
    parts = [Max(1, False)(hidden), Mean(1, False)(hidden), ReduceL2(1, False)(hidden)]
    return keras.Model(features, keras.layers.Dense(2)(keras.layers.Concatenate()(parts)))


def powers():
    features = keras.Input((8,), 3, name="features")
    hidden = PlusConstant(1.0)(MulConstant(0.5)(Pow(2)(keras.layers.Dense(6)(features))))
    return keras.Model(features, keras.layers.Dense(1)(Clip(0.0, 6.0)(hidden)))


def padded():
    pictures = keras.Input((8, 8, 3), 2, name="pictures")
    hidden = keras.layers.Conv2D(4, 3, activation="relu")(ConstantPadding2D(0.5, (1, 1))(pictures))
    return keras.Model(pictures, keras.layers.Dense(3)(keras.layers.GlobalAveragePooling2D()(hidden)))
