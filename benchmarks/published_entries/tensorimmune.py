"""Entry points of tensorimmune: classifiers that watch a layer of their own for inputs unlike the known."""

import tensorflow as tf
from tensorimmune import ImmuneModel


class _Watched(tf.Module):
    """What it predicts and how strange it finds the input, with both losses it trains."""

    def __init__(self, layers, shape):
        super().__init__()
        bottleneck = tf.keras.layers.Dense(8, activation="relu", name="feature_bottleneck")
        head = tf.keras.layers.Dense(3, activation="softmax")
        base = tf.keras.Sequential([tf.keras.Input(shape), *layers, bottleneck, head])
        self.model = ImmuneModel(base_model=base, monitor_layer="feature_bottleneck", sensitivity=0.95)

    def __call__(self, inputs, labels):
        predictions, scores = self.model(inputs, return_score=True)
        known = tf.keras.losses.sparse_categorical_crossentropy(labels, predictions)
        return tf.reduce_mean(known) + tf.reduce_mean(scores)


def images():
    layers = [
        tf.keras.layers.Conv2D(4, 3, activation="relu"),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.GlobalAveragePooling2D(),
    ]
    return _Watched(layers, (8, 8, 1)), (tf.random.uniform((3, 8, 8, 1)), tf.constant([0, 2, 1]))


def rows():
    layers = [tf.keras.layers.Dense(6, activation="relu")]
    return _Watched(layers, (5,)), (tf.random.normal((4, 5)), tf.constant([0, 2, 1, 1]))
