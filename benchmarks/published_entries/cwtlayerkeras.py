"""Entry points of cwtlayerkeras: its layer of wavelets before a classifier of signals, with a loss of labels."""

import keras
import tensorflow as tf
from cwtLayerKeras import Cwt


class _Signals(tf.Module):
    def __init__(self, **options):
        super().__init__()
        self.wavelets = Cwt(sample_count=32, min_scale=2, max_scale=10, output_size=(12, 12), **options)
        layers = keras.layers.Conv2D(4, 3, activation="relu"), keras.layers.GlobalAveragePooling2D()
        self.model = keras.Sequential([*layers, keras.layers.Dense(3)])
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def __call__(self, signals, labels):
        return self.loss(labels, self.model(self.wavelets(signals)))


def _signals():
    return tf.random.normal((2, 32)), tf.constant([2, 0])


def classified():
    return _Signals(wavelet="morl"), _signals()


def classified_by_trained_kernels():
    return _Signals(wavelet="rick", trainable_kernels=True), _signals()
