"""Entry points of opennetwork: models of Keras that it builds from graphs of its playground, with one branch or two."""

import tensorflow as tf
from opennetwork.parser import build_from_json


def _layer(name, kind, *connections, **params):
    return {"id": name, "type": kind, "params": params, "connections": list(connections)}


def convolutions():
    layers = (
        _layer("images", "input", "first", input_shape=[12, 12, 3]),
        _layer("first", "conv2d", "norm", filters=4, kernel_size=[3, 3], padding="same", activation="relu"),
        _layer("norm", "batchnorm", "pool"),
        _layer("pool", "maxpool2d", "second", pool_size=[2, 2]),
        _layer("second", "conv2d", "some", filters=6, kernel_size=[3, 3], strides=[2, 2], activation="relu"),
        _layer("some", "dropout", "flat", rate=0.2),
        _layer("flat", "flatten", "scores"),
        _layer("scores", "dense", "classes", units=3),
        _layer("classes", "softmax_output"),
    )
    return build_from_json({"layers": list(layers)}).model, (tf.random.uniform((2, 12, 12, 3)),)


def branches():
    layers = (
        _layer("table", "input", "wide", "narrow", input_shape=[6]),
        _layer("wide", "dense", "joined", units=8, activation="tanh"),
        _layer("narrow", "dense", "gelu", units=4),
        _layer("gelu", "activation", "joined", activation="gelu"),
        _layer("joined", "dense", units=1),
    )
    return build_from_json({"layers": list(layers)}).model, (tf.random.normal((4, 6)),)


def scores_of_places():
    layers = (
        _layer("images", "input", "first", input_shape=[8, 8, 1]),
        _layer("first", "conv2d", "hidden", filters=2, kernel_size=[3, 3]),
        _layer("hidden", "dense", "scores", units=6, activation="relu"),
        _layer("scores", "dense", units=4),
    )
    return build_from_json({"layers": list(layers)}).model, (tf.random.uniform((2, 8, 8, 1)),)
