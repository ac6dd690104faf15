"""Entry points of tf-kan-latest: its layers of splines, as in its README."""

import keras
from tfkan.layers import Conv1DKAN, Conv2DKAN, DenseKAN


def regression():
    layers = [DenseKAN(units=8, grid_size=8, spline_order=3), DenseKAN(units=1)]
    return keras.Sequential([keras.Input((2,), 4), *layers])


def images():
    layers = [
        keras.layers.Conv2D(4, kernel_size=3, padding="same", activation="relu"),
        keras.layers.MaxPooling2D(),
        Conv2DKAN(filters=4, kernel_size=3, padding="same", kan_kwargs={"grid_size": 5, "spline_order": 3}),
        keras.layers.GlobalAveragePooling2D(),
        DenseKAN(units=6, grid_size=8),
        keras.layers.Dense(3),
    ]
    return keras.Sequential([keras.Input((8, 8, 3), 2), *layers])


def series():
    layers = [Conv1DKAN(filters=4, kernel_size=3), keras.layers.Flatten(), keras.layers.Dense(3, activation="softmax")]
    return keras.Sequential([keras.Input((8, 2), 4), *layers])
