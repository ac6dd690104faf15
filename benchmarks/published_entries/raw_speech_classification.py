"""Entry points of raw-speech-classification: its two networks over raw speech, as trained and with their losses."""

import keras
from rsclf.model_architecture import model_architecture


def below_segments():
    return model_architecture("subseg", inputFeatDim=4000, outputFeatDim=1)


def segments():
    return model_architecture("seg", inputFeatDim=4000, outputFeatDim=4)


class _Binary(keras.layers.Layer):
    def call(self, probabilities, labels):
        return keras.ops.mean(keras.losses.binary_crossentropy(labels, probabilities))


class _Categories(keras.layers.Layer):
    def call(self, probabilities, labels):
        return keras.ops.mean(keras.losses.sparse_categorical_crossentropy(labels, probabilities))


def below_segments_trained():
    model, labels = below_segments(), keras.Input((1,), name="labels")
    return keras.Model([*model.inputs, labels], _Binary()(model.outputs[0], labels))


def segments_trained():
    model, labels = segments(), keras.Input((), name="labels", dtype="int32")
    return keras.Model([*model.inputs, labels], _Categories()(model.outputs[0], labels))
