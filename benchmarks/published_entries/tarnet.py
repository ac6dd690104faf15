"""Entry points of tarnet: outcomes of treatments from one shared representation, with their error, and its layers."""

import tensorflow as tf
from TARNet import TARNet
from TARNet.layers.MLP import MLP


class _Trained(tf.Module):
    """The error of the outcome under the treatment that was given."""

    def __init__(self, **options):
        super().__init__()
        self.model = TARNet(units=8, output_dim=1, scaler=True, **options)

    def __call__(self, features, treatments, outcomes):
        return tf.reduce_mean(tf.square(self.model([features, treatments]) - outcomes))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def two_treatments():
    treatments = tf.constant([[0], [1], [1], [0]])
    return _made(_Trained(), tf.random.normal((4, 5)), treatments, tf.random.uniform((4, 1)))


def normalised():
    model = _Trained(normalizer_layer=tf.keras.layers.LayerNormalization(), n_treatments=3)
    return _made(model, tf.random.normal((4, 5)), tf.constant([[0], [2], [1], [2]]), tf.random.uniform((4, 1)))


class _Shared(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = MLP(units=8, num_layers=2, activation="elu")

    def __call__(self, features):
        return self.layers(features)


def shared():
    return _made(_Shared(), tf.random.normal((4, 5)))
