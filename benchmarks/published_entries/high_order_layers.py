"""Entry points of high-order-layers: networks of its polynomials and Fourier series, as in its README, with a loss."""

import high_order_layers.PolynomialLayers as poly
import tensorflow as tf
from high_order_layers.FourierLayers import Fourier


class _Digits(tf.Module):
    def __init__(self, *layers):
        super().__init__()
        head = tf.keras.layers.Dense(4, activation="softmax")
        self.model = tf.keras.Sequential([tf.keras.layers.Flatten(), *layers, head])
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy()

    def __call__(self, pictures, labels):
        return self.loss(labels, self.model(pictures))


def _digits():
    return tf.random.uniform((3, 6, 6), -1, 1), tf.constant([3, 0, 2])


def _polynomials(basis):
    normalized = tf.keras.layers.LayerNormalization
    first, second = (poly.Polynomial(8, basis=basis, shift=0.0) for _ in range(2))
    return first, normalized(), second, normalized()


def cubic():
    return _Digits(*_polynomials(poly.b3)), _digits()


def linear_in_pieces():
    return _Digits(*_polynomials(poly.b1D)), _digits()


def fourier():
    normalized = tf.keras.layers.LayerNormalization
    return _Digits(Fourier(8, frequencies=2), normalized(), Fourier(8, frequencies=2), normalized()), _digits()
