"""Entry points of keras-bcr: correlations of a residual block, as a layer and as a loss."""

import keras
from keras_bcr import BatchCorrRegularizer, batch_corr


class _Correlation(keras.layers.Layer):
    def call(self, given, before):
        return batch_corr(given, before)


class _Penalised(keras.layers.Layer):
    def call(self, wanted, given, block, before):
        return keras.ops.mean(keras.losses.mean_squared_error(wanted, given)) + 1e-3 * batch_corr(block, before)


def _block(features, width):
    hidden = keras.layers.Dense(width, activation="gelu")(features)
    return keras.layers.Dropout(0.1)(hidden)


def residual():
    features = keras.Input((8,), 6, name="features")
    hidden = BatchCorrRegularizer(1e-3)([_block(features, 8), features])
    return keras.Model(features, keras.layers.Dense(1)(keras.layers.Add()([hidden, features])))


def correlation():
    features = keras.Input((8,), 6, name="features")
    return keras.Model(features, _Correlation()(_block(features, 8), features))


def regression():
    features, wanted = keras.Input((8,), 6, name="features"), keras.Input((1,), 6, name="wanted")
    block = _block(features, 8)
    given = keras.layers.Dense(1)(keras.layers.Add()([block, features]))
    return keras.Model([features, wanted], _Penalised()(wanted, given, block, features))
