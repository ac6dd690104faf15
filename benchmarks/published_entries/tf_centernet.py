"""Entry points of tf-centernet: its residual blocks and its heads, at small images."""

import keras
from centernet.model.head import ObjectDetectionHead, PoseEstimationHead
from centernet.model.residual import ResidualBlock


def _model(layer, shape):
    inputs = keras.Input(shape, batch_size=2)
    return keras.Model(inputs, layer(inputs))


def residual():
    return _model(ResidualBlock(4, 8, 2), (16, 16, 4))


def detection():
    return _model(ObjectDetectionHead(3), (8, 8, 8))


def pose():
    return _model(PoseEstimationHead(5), (8, 8, 8))
