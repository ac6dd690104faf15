"""Entry points of deepsaki: its layers in the domain of frequencies and its pooling, in small networks."""

import sys
import types

import tensorflow as tf

for _name in ("DeepSaki", "DeepSaki.layers"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from DeepSaki.layers.fourier_layer import (  # noqa: E402
    FFT2D,
    FourierConvolution2D,
    FourierPooling2D,
    iFFT2D,
)
from DeepSaki.layers.pooling import GlobalSumPooling2D, LearnedPooling  # noqa: E402


class _Classified(tf.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = *layers, tf.keras.layers.Dense(3)

    def __call__(self, images, classes):
        for layer in self.layers:
            images = layer(images)
        losses = tf.keras.losses.sparse_categorical_crossentropy(classes, images, from_logits=True)
        return tf.reduce_mean(losses)


def _made(*layers, size=8):
    model, inputs = _Classified(*layers), (tf.random.uniform((2, size, size, 3)), tf.constant([0, 2]))
    model(*inputs)
    return model, inputs


def convolved():
    return _made(FourierConvolution2D(4, (3, 3)), GlobalSumPooling2D())


def _complex(images):
    return tf.cast(images, tf.complex64)


def pooled():
    layers = tf.keras.layers.Conv2D(4, 3, padding="same", activation="relu"), _complex, FFT2D(), FourierPooling2D()
    return _made(*layers, iFFT2D(), tf.math.real, LearnedPooling(2), tf.keras.layers.Flatten())


def there_and_back():
    layers = tf.keras.layers.Conv2D(4, 3, padding="same"), _complex, FFT2D(), iFFT2D(), tf.math.real
    return _made(*layers, GlobalSumPooling2D())
