"""Entry points of tf-keras-vis: the scores and regularizers that its maps of attention maximise, on its test models."""

import sys
from unittest.mock import MagicMock

import keras

sys.modules["deprecated"] = MagicMock(deprecated=lambda **_: lambda thing: thing)  # warnings, which nothing here needs

from tf_keras_vis.activation_maximization.regularizers import Norm, TotalVariation2D  # noqa: E402
from tf_keras_vis.utils.model_modifiers import ReplaceToLinear  # noqa: E402
from tf_keras_vis.utils.scores import BinaryScore, CategoricalScore  # noqa: E402


class _Apply(keras.layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, given):
        return self.function(given)


def _classifier(classes, activation):
    image = keras.Input((8, 8, 3), 2, name="image")
    hidden = keras.layers.Conv2D(6, 3, activation="relu", name="conv_1")(image)
    hidden = keras.layers.Dense(classes, name="dense_1")(keras.layers.GlobalAveragePooling2D()(hidden))
    return keras.Model(image, keras.layers.Activation(activation, name="output_1")(hidden))


def _scored(model, score):
    return keras.Model(model.inputs, _Apply(score)(model.outputs[0]))


def categorical():
    return _scored(_classifier(4, "softmax"), CategoricalScore([1, 3]))


def linear_categorical():
    model = _classifier(4, "softmax")
    ReplaceToLinear()(model)
    return _scored(model, CategoricalScore(2))


def binary():
    return _scored(_classifier(1, "sigmoid"), BinaryScore([True, False]))


def maximised():
    """The loss of activation maximisation, with the regularizers it has when none are given."""
    model, variation, norm = _classifier(4, "softmax"), TotalVariation2D(weight=10.0), Norm(weight=10.0, p=2)
    score = _Apply(CategoricalScore(1))(model.outputs[0])
    return keras.Model(model.inputs, _Apply(lambda x: variation(x) + norm(x))(model.inputs[0]) - score)
