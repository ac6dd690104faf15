"""Entry points of tfdwt: its layers of wavelets, forth and back, around small networks."""

import tensorflow as tf
from TFDWT.DWT1DFB import DWT1D, IDWT1D
from TFDWT.DWT2DFB import DWT2D, IDWT2D
from TFDWT.DWT3DFB import DWT3D


def sounds():
    sounds = tf.keras.Input((16, 2), 2)
    hidden = tf.keras.layers.Conv1D(4, 3, padding="same", activation="relu")(DWT1D(wave="bior3.1")(sounds))
    return tf.keras.Model(sounds, IDWT1D(wave="bior3.1")(hidden))


def images():
    images = tf.keras.Input((8, 8, 3), 2)
    hidden = tf.keras.layers.Conv2D(8, 3, padding="same", activation="relu")(DWT2D(wave="haar")(images))
    return tf.keras.Model(images, IDWT2D(wave="haar")(hidden))


def classified_images():
    images = tf.keras.Input((8, 8, 3), 2)
    hidden = tf.keras.layers.Conv2D(4, 3, padding="same", activation="relu")(images)
    hidden = tf.keras.layers.GlobalAveragePooling2D()(DWT2D(wave="db2")(hidden))
    return tf.keras.Model(images, tf.keras.layers.Dense(3, activation="softmax")(hidden))


def volumes():
    volumes = tf.keras.Input((4, 4, 4, 1), 2)
    hidden = tf.keras.layers.Flatten()(DWT3D(wave="haar")(volumes))
    return tf.keras.Model(volumes, tf.keras.layers.Dense(3)(hidden))
