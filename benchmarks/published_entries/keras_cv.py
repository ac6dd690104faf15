"""Entry points of keras-cv: losses of detection and of contrastive learning on Keras models."""

import keras
from keras_cv.src.losses import (
    BinaryPenaltyReducedFocalCrossEntropy,
    CIoULoss,
    FocalLoss,
    GIoULoss,
    IoULoss,
    SimCLRLoss,
    SmoothL1Loss,
)


class _Loss(keras.layers.Layer):
    def __init__(self, loss):
        super().__init__()
        self.loss = loss

    def call(self, wanted, given):
        return self.loss.call(wanted, given)


def _boxes(loss):
    features, wanted = keras.Input((6,), 4, name="features"), keras.Input((3, 4), 4, name="boxes")
    given = keras.layers.Reshape((3, 4))(keras.layers.Dense(12)(features))
    return keras.Model([features, wanted], _Loss(loss)(wanted, given))


def generalized_intersection():
    return _boxes(GIoULoss(bounding_box_format="xyxy"))


def intersection():
    return _boxes(IoULoss(bounding_box_format="xyxy"))


def complete_intersection():
    return _boxes(CIoULoss(bounding_box_format="xyxy"))


def smooth():
    return _boxes(SmoothL1Loss())


def _classes(loss, activation):
    features, wanted = keras.Input((6,), 4, name="features"), keras.Input((3,), 4, name="labels")
    return keras.Model([features, wanted], _Loss(loss)(wanted, keras.layers.Dense(3, activation)(features)))


def focal():
    return _classes(FocalLoss(from_logits=True), None)


def focal_of_probabilities():
    return _classes(FocalLoss(), "sigmoid")


def penalty_reduced():
    return _classes(BinaryPenaltyReducedFocalCrossEntropy(), "sigmoid")


def contrastive():
    first, second = keras.Input((6,), 4, name="first"), keras.Input((6,), 4, name="second")
    project = keras.layers.Dense(3)
    return keras.Model([first, second], _Loss(SimCLRLoss(temperature=0.5))(project(first), project(second)))
