"""Entry points of tfdbonas: its layers over graphs, as its model of architectures stacks them."""

import tensorflow as tf
from tfdbonas.layers import GraphConvolution, GraphGather


def _model(*layers):
    nodes, edges = tf.keras.Input((6, 3), 1), tf.keras.Input((6, 6), 1)
    hidden = nodes
    for layer in layers:
        hidden = layer([hidden, edges])
    hidden = tf.keras.layers.Dense(8)(GraphGather()(hidden))
    return tf.keras.Model([nodes, edges], tf.keras.layers.Dense(1)(hidden))


def architectures():
    return _model(*(GraphConvolution(units, activation="tanh") for units in (4, 6, 8)))


def rectified():
    return _model(GraphConvolution(8, activation="relu", use_bias=False))
