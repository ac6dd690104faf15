"""Entry points of tf-fourier-features: its networks of coordinates, with random projections, and without them."""

import tensorflow as tf
from tf_fourier_features import FourierFeatureMLP, FourierFeatureProjection


class _Fitted(tf.Module):
    """The error of the colours at some places of an image."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def __call__(self, places, colours):
        return tf.reduce_mean(tf.square(self.model(places) - colours))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _pixels():
    return tf.random.uniform((8, 2)), tf.random.uniform((8, 3))


def image():
    options = {"final_activation": "sigmoid", "num_layers": 3, "gaussian_scale": 10.0}
    return _made(_Fitted(FourierFeatureMLP(16, 3, gaussian_projection=12, **options)), *_pixels())


def plain_network():
    model = FourierFeatureMLP(16, 3, gaussian_projection=None, activation="tanh", num_layers=3)
    return _made(_Fitted(model), *_pixels())


class _Field(tf.Module):
    """A value and its gradient by the place, from a projection that keeps the axes."""

    def __init__(self):
        super().__init__()
        self.projection = FourierFeatureProjection(gaussian_projection=-1)
        self.hidden, self.head = tf.keras.layers.Dense(16, activation="softplus"), tf.keras.layers.Dense(1)

    def __call__(self, places):
        with tf.GradientTape() as tape:
            tape.watch(places)
            values = self.head(self.hidden(self.projection(places)))
        return values, tape.gradient(values, places)


def field():
    return _made(_Field(), tf.random.uniform((6, 3)))
