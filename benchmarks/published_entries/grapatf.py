"""Entry points of grapatf: a graph of rows learned from their parameters, messages over a graph, and normalisation."""

import tensorflow as tf
from grapa.layers import gl, gpartinorm, gtopk


class _Learned(tf.Module):
    """A graph of the nearest rows, and the sum of what each is connected to."""

    def __init__(self, **options):
        super().__init__()
        self.graph, self.head = gtopk(gs=5, param=4, k=2, flag=3, **options), tf.keras.layers.Dense(2)

    def __call__(self, rows):
        graph, features = self.graph([rows])
        return self.head(tf.matmul(graph, features))


def _rows():
    """Three features and a flag that says whether a row is there."""
    there = tf.constant([[1.0, 1, 1, 1, 1], [1, 1, 1, 0, 0]])[..., None]
    return (tf.concat([tf.random.normal((2, 5, 3)) * there, there], -1),)


def learned_graph():
    return _Learned(), _rows()


class _Messages(tf.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer = gl(graphmax=3, graphvar=4, keepconst=1, **options)

    def __call__(self, graphs):
        return self.layer(graphs)


def _graphs():
    graph = tf.constant([[[1.0, 1, 0], [1, 1, 1], [0, 1, 1]]] * 2)
    return (tf.concat([graph, tf.random.normal((2, 3, 4))], -1),)


def messages():
    return _Messages(), _graphs()


def repeated_messages():
    return _Messages(iterations=3, alinearity=[]), _graphs()


class _Normalised(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.norm = tf.keras.layers.Dense(4), gpartinorm(gs=5, param=4)

    def __call__(self, rows):
        return self.norm([self.layer(rows)])


def normalised():
    return _Normalised(), _rows()
