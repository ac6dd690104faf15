"""Entry points of tf-siren: sinusoidal networks of coordinates, as its README has them in small sizes."""

import tensorflow as tf
from tf_siren import SinusodialRepresentationDense, SIRENModel


class _Fitted(tf.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.model(_points()[0])  # its layers are built with the first points

    def __call__(self, points, colours):
        return tf.reduce_mean(tf.square(self.model(points) - colours))


def _points():
    return tf.random.uniform((6, 2), -1, 1), tf.random.uniform((6, 3))


def several_layers():
    model = SIRENModel(units=8, final_units=3, final_activation="sigmoid", num_layers=2, w0=1.0, w0_initial=30.0)
    return _Fitted(model), _points()


def one_layer():
    model = tf.keras.Sequential([SinusodialRepresentationDense(8, w0=1.0), tf.keras.layers.Dense(3)])
    return _Fitted(model), _points()
