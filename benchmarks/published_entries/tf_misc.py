"""Entry points of tf-misc: matrices rotated and shifted in their spectra, with its loss of deviations, in doubles."""

import tensorflow as tf
from tfmisc.models import HypersphericalRotation, SingularValueShift, SVDProjection
from tfmisc.objectives import ProductDeviations


class _Uncorrelated(tf.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, ProductDeviations()

    def __call__(self, rows):
        return self.loss(rows, self.model(rows))


def _rows():
    return tf.random.normal((8, 3), dtype=tf.float64)


def rotated():
    rows, model = _rows(), HypersphericalRotation()
    model.set_angles(rows)
    return _Uncorrelated(model), (rows,)


def shifted_spectrum():
    rows, model = _rows(), SingularValueShift()
    model.pretrain(rows)
    return _Uncorrelated(model), (rows,)


def projected():
    model = SVDProjection()
    model.fit(_rows())
    return model, (_rows(),)


class _Layer(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(3, activation="tanh"), ProductDeviations()

    def __call__(self, rows):
        return self.loss(rows, self.layer(rows))


def products_of_deviations():
    model, rows = _Layer(), tf.random.normal((8, 4), dtype=tf.float64)
    model(rows)
    return model, (rows,)
