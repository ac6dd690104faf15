"""Entry points of bandsplit-tensorflow: spectra split into bands, in a network of sounds that it begins."""

import keras
from bandsplit_tensorflow import BandSplitLayer


def split():
    spectra = keras.Input((5, 257), 2)
    return keras.Model(spectra, BandSplitLayer(input_freq_dim=257, sr=16000, sub_band_feature_dim=4)(spectra))


def masked():
    spectra = keras.Input((5, 257), 2)
    bands = BandSplitLayer(sub_band_feature_dim=4)(spectra)
    series = keras.layers.GRU(8, return_sequences=True)(keras.layers.Reshape((5, -1))(bands))
    mask = keras.layers.Dense(257, activation="sigmoid")(series)
    return keras.Model(spectra, keras.layers.Multiply()([spectra, mask]))
