"""Entry points of transfer-learning-tensor: the blocks of its dense network, in small models."""

import tensorflow as tf
from models.Densenet import Conv_block, Dense_block


def _model(*layers):
    images = tf.keras.Input((8, 8, 8), 2)
    hidden = images
    for layer in layers:
        hidden = layer(hidden)
    hidden = tf.keras.layers.GlobalAveragePooling2D()(hidden)
    return tf.keras.Model(images, tf.keras.layers.Dense(3, activation="softmax")(hidden))


def convolved():
    return _model(Conv_block(4), Conv_block(6))


def dense():
    return _model(Dense_block(2))
