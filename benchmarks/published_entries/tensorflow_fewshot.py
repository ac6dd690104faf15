"""Entry points of tensorflow-fewshot: its encoder of pictures, and the loss of an episode of prototypes."""

import sys
import types

import tensorflow as tf

for _name in ("tensorflow_fewshot", "tensorflow_fewshot.models"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from tensorflow_fewshot.models.prototypical_network import _compute_loss  # noqa: E402
from tensorflow_fewshot.models.utils import create_imageNetCNN, euclidean_distance  # noqa: E402


class _Episode(tf.Module):
    """What meta_train computes of an episode whose pictures stand in the order of their labels."""

    def __init__(self, encoder, ways, shots):
        super().__init__()
        self.encoder, self.ways, self.shots = encoder, ways, shots

    def __call__(self, support, query):
        found = tf.reshape(self.encoder(support), (self.ways, self.shots, -1))
        distances = euclidean_distance(tf.reduce_mean(found, axis=1), self.encoder(query))
        chances = tf.transpose(tf.math.softmax(-distances, axis=0))
        return _compute_loss(chances, [way for way in range(self.ways) for _ in range(self.shots)], self.ways)


def _pictures(count):
    return tf.random.uniform((count, 16, 16, 1))


def encoder():
    return create_imageNetCNN((16, 16, 1), nb_hidden_layers=2, nb_filters=4)


def classifier():
    return create_imageNetCNN((16, 16, 1), nb_hidden_layers=2, nb_filters=4, use_dense_head=True, output_dim=5)


def episode():
    return _Episode(encoder(), 3, 2), (_pictures(6), _pictures(6))


def one_shot():
    return _Episode(encoder(), 4, 1), (_pictures(4), _pictures(4))
