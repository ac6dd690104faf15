"""Entry points of funkeras: its network of interest over what a user has seen, with the loss of a click."""

import tensorflow as tf
from funkeras.models.din.model import DIN, Dice


class _Clicks(tf.Module):
    def __init__(self):
        super().__init__()
        self.model = DIN(user_num=5, item_num=10, cate_num=3, cate_list=[0, 1, 2, 0, 1, 2, 0, 1, 2, 0], hidden_units=4)

    def __call__(self, users, items, history, lengths, clicked):
        probabilities = self.model([users, items, history, lengths])
        return tf.reduce_mean(tf.keras.losses.binary_crossentropy(clicked, probabilities))


def clicks():
    history, lengths = tf.constant([[3, 7, 2, 9], [5, 1, 0, 0]]), tf.constant([[4], [2]])
    users, items, clicked = tf.constant([[1], [4]]), tf.constant([[6], [8]]), tf.constant([[1.0], [0.0]])
    return _Clicks(), (users, items, history, lengths, clicked)


class _Activated(tf.Module):
    def __init__(self):
        super().__init__()
        self.model = tf.keras.Sequential([tf.keras.layers.Dense(8), Dice(), tf.keras.layers.Dense(3)])

    def __call__(self, rows, labels):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.model(rows)))


def activated():
    return _Activated(), (tf.random.normal((4, 6)), tf.constant([2, 0, 1, 1]))
