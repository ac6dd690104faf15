"""Entry points of tensorflow-fewshot: an encoder of pictures, and the loss of an episode on prototypes."""

import tensorflow as tf
from tensorflow_fewshot.models.utils import create_imageNetCNN, euclidean_distance


class _Episode(tf.keras.layers.Layer):
    """What the package computes in an episode from the embeddings of three classes."""

    def call(self, support, query, labels):
        prototypes = tf.reduce_mean(tf.reshape(support, (3, 2, -1)), axis=1)
        distribution = tf.math.softmax(-euclidean_distance(prototypes, query), axis=0)
        wanted = tf.one_hot(labels, 3)
        return tf.reduce_sum(tf.keras.losses.categorical_crossentropy(wanted, tf.transpose(distribution)))


def _pictures(name, count):
    return tf.keras.Input((16, 16, 3), count, name=name)


def encoder():
    return create_imageNetCNN((16, 16, 3), nb_hidden_layers=2, nb_filters=8)


def classifier():
    return create_imageNetCNN((16, 16, 3), nb_hidden_layers=2, nb_filters=8, use_dense_head=True, output_dim=5)


def episode():
    model = create_imageNetCNN((16, 16, 3), nb_hidden_layers=3, nb_filters=8)
    support, query = _pictures("support", 6), _pictures("query", 3)
    labels = tf.keras.Input((), 3, name="labels", dtype="int32")
    return tf.keras.Model([support, query, labels], _Episode()(model(support), model(query), labels))
