"""Entry points of keras-unet-collection: losses of segmentation and of boxes on Keras models."""

import keras
from keras_unet_collection import losses


class _Loss(keras.layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, wanted, given):
        return self.function(wanted, given)


def _segmenting(function):
    image, wanted = keras.Input((8, 8, 1), batch_size=2, name="image"), keras.Input((8, 8, 1), 2, name="labels")
    given = keras.layers.Conv2D(1, 3, padding="same", activation="sigmoid")(image)
    return keras.Model([image, wanted], _Loss(function)(wanted, given))


def dice():
    return _segmenting(losses.dice)


def tversky():
    return _segmenting(losses.tversky)


def focal_tversky():
    return _segmenting(losses.focal_tversky)


def intersection_over_union():
    return _segmenting(losses.iou_seg)


def ranked_probability():
    return _segmenting(losses.crps2d_tf)


def generalized_box():
    features, wanted = keras.Input((6,), 4, name="features"), keras.Input((4,), 4, name="boxes")
    return keras.Model([features, wanted], _Loss(losses.iou_box)(wanted, keras.layers.Dense(4)(features)))
