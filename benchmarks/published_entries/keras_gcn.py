"""Entry points of keras-gcn: its convolutions over graphs, in small models."""

import keras
from keras_gcn import GraphConv


def _model(*layers):
    nodes, edges = keras.Input((6, 4), 2, name="nodes"), keras.Input((6, 6), 2, name="edges")
    hidden = nodes
    for layer in layers:
        hidden = layer([hidden, edges])
    return keras.Model([nodes, edges], keras.layers.Dense(3, activation="softmax")(hidden))


def convolved():
    return _model(GraphConv(8, activation="relu"), GraphConv(6, activation="relu"))


def walked():
    return _model(GraphConv(8, step_num=2))


def without_bias():
    return _model(GraphConv(8, activation="tanh", use_bias=False), GraphConv(6))
