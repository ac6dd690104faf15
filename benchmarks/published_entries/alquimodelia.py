"""Entry points of alquimodelia: forecasts of series by the architectures that it builds by name."""

from alquimodelia.alquimodelia import ModelMagia

SERIES = {"x_timesteps": 16, "y_timesteps": 4, "num_features_to_train": 3, "num_classes": 1}


def convolutions():
    return ModelMagia("2StackedCNN", **SERIES, filters=4).model


def dense():
    return ModelMagia("FCNN", **SERIES).model


def unet():
    return ModelMagia("UNet", height=16, width=16, num_features_to_train=3, num_classes=2, n_filters=4).model
