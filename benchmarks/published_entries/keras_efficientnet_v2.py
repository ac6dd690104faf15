"""Entry points of keras-efficientnet-v2: small blocks and networks of its kind."""

import tensorflow as tf
from keras_efficientnet_v2 import efficientnet_v2


def network():
    blocks = {
        "out_channels": [4, 6],
        "depthes": [1, 1],
        "expands": [1, 2],
        "strides": [1, 2],
        "use_ses": [0, 1],
        "first_conv_filter": 4,
        "output_conv_filter": 8,
    }
    options = {"input_shape": (32, 32, 3), "num_classes": 3, "pretrained": None}
    return efficientnet_v2.EfficientNetV2(model_type={"small": blocks}, **options)


def squeezed():
    inputs = tf.keras.Input((8, 8, 8), 2)
    return tf.keras.Model(inputs, efficientnet_v2.se_module(inputs, se_ratio=0.25, name="squeeze_"))
