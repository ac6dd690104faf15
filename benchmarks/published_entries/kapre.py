"""Entry points of kapre: classifiers and a cleaner of sounds over its spectrograms, with losses of their training."""

import keras
import tensorflow as tf
from kapre.composed import (
    get_perfectly_reconstructing_stft_istft,
    get_stft_mag_phase,
    get_stft_magnitude_layer,
)
from kapre.signal import LogmelToMFCC
from kapre.time_frequency import Delta


def _classifier(front, classes=4):
    layers = [keras.layers.Conv2D(6, 3, activation="relu"), keras.layers.GlobalAveragePooling2D()]
    return keras.Sequential([*front, *layers, keras.layers.Dense(classes)])


class _Sounds(tf.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def __call__(self, sounds, labels):
        return self.loss(labels, self.model(sounds))


def _sounds():
    return tf.random.uniform((2, 512, 1), -1, 1), tf.constant([3, 0])


def decibels():
    front = get_stft_magnitude_layer((512, 1), n_fft=64, hop_length=32, return_decibel=True)
    return _Sounds(_classifier([front])), _sounds()


def cepstrum():
    """From the logarithms of mel spectrograms, with their changes."""
    front = [keras.Input((20, 16, 1)), LogmelToMFCC(n_mfccs=8), Delta()]
    return _Sounds(_classifier(front)), (tf.random.normal((2, 20, 16, 1)), tf.constant([3, 0]))


class _Cleaned(tf.Module):
    """A mask over the spectrum, whose sound is compared with what was said."""

    def __init__(self):
        super().__init__()
        self.forward, self.inverse = get_perfectly_reconstructing_stft_istft(32, 16, "channels_last", "channels_last")
        self.mask = keras.Sequential(
            [keras.Input((None, 17, 1)), keras.layers.Conv2D(1, 3, padding="same", activation="sigmoid")]
        )

    def __call__(self, noisy, clean):
        spectrum = self.forward(noisy)
        mask = self.mask(tf.abs(spectrum))
        return tf.reduce_mean(tf.abs(self.inverse(spectrum * tf.cast(mask, spectrum.dtype))[:, :256] - clean))


def cleaned():
    return _Cleaned(), (tf.random.uniform((2, 256, 1), -1, 1), tf.random.uniform((2, 256, 1), -1, 1))


def both_parts():
    """Decibels and phases beside each other."""
    front = get_stft_mag_phase((512, 1), n_fft=64, hop_length=32, return_decibel=True)
    return _Sounds(_classifier([front])), _sounds()
