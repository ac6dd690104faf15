"""Entry points of keras-mdn-layer: mixture densities on one layer, their likelihood and sampled error."""

import keras
import keras_mdn_layer as mdn


class _Loss(keras.layers.Layer):
    def __init__(self, loss):
        super().__init__()
        self.loss = loss

    def call(self, wanted, given):
        return self.loss(wanted, given)


def _mixture(loss=None):
    features, wanted = keras.Input((6,), 4, name="features"), keras.Input((2,), 4, name="target")
    given = mdn.MDN(2, 3)(keras.layers.Dense(8, activation="relu")(features))
    return keras.Model(features, given) if loss is None else keras.Model([features, wanted], _Loss(loss)(wanted, given))


def densities():
    return _mixture()


def likelihood():
    return _mixture(mdn.get_mixture_loss_func(2, 3))


def sampled_error():
    return _mixture(mdn.get_mixture_mse_accuracy(2, 3))
