"""Layers of Keras models, found by name or place: their outputs and weights, held against Keras."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PREPARED = """
import keras
import numpy as np
from keras import Input, Model, Sequential, layers
x = Input((8, 8, 5))
h = layers.Conv2D(4, 3, name="first")(x)
h = layers.BatchNormalization()(h)
h = layers.MaxPooling2D()(h)
h = layers.Flatten()(h)
model = Model(x, layers.Dense(6, use_bias=False, name="last")(h))
row = Sequential([Input((5,)), layers.Dense(4), layers.Dropout(0.5), layers.Dense(2)])
forked = Model(x, layers.Concatenate()([h, layers.Dense(3, name="beside")(h)]))
table = layers.Embedding(7, 3)
one, pictures = np.zeros((2, 5), "float32"), np.zeros((2, 8, 8, 5), "float32")
"""
CASES = [
    "Model(model.input, model.get_layer('first').output)(pictures)",
    "Model(model.inputs, model.layers[1].output)(pictures)",
    "Model(model.input, model.layers[-2].output)(pictures)",
    "Model(model.input, [model.get_layer(index=3).output, model.output])(pictures)[0]",
    "Model(model.input, model.get_layer('last').input)(pictures)",
    "Model(forked.input, forked.get_layer('beside').output)(pictures)",
    "Model(row.inputs, row.layers[0].output)(one)",
    "model.get_weights()[0]",
    "model.get_weights()[3]",
    "model.get_weights()[-1]",
    "model.get_layer('first').get_weights()[1]",
    "model.get_layer('first').kernel",
    "row.get_weights()[2]",
    "row.layers[2].get_weights()[1]",
    "row.weights[1]",
    "row.layers[0].weights[0]",
    "row.layers[-1].bias",
    "keras.models.clone_model(row)(one)",
    "keras.models.clone_model(model)(pictures)",
]


@pytest.mark.parametrize("expression", CASES)
def test_a_part_of_a_model(expression: str, tmp_path: Path) -> None:
    text = f"{PREPARED}\nfound = {expression}\n"
    names: dict[str, np.ndarray] = {}
    exec(text, names)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    line = text.count("\n")
    (found,) = next(tensors for (_, at, _), tensors in shared.assigned.items() if at == line)[:1]
    assert found.dims == tuple(names["found"].shape)
    assert not [p for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize(
    "statement",
    [
        "for layer in model.layers[:-1]: layer.trainable = False",
        "names = [layer.name for layer in model.layers]",
        "forked.layers[1].output",
        "forked.get_weights()[0]",
        "model.get_layer('nowhere')",
        "row.layers[1].get_weights()",
        "row.set_weights([w * 0.5 for w in row.get_weights()])",
        "model.layers[0].output.shape",
        "row.pop(); row.add(layers.Dense(9)); row(one) @ np.zeros((9, 2), 'float32')",
        "copy = keras.models.clone_model(row); copy.add(layers.Dense(9)); row(one) @ np.zeros((2, 2), 'float32')",
    ],
)
def test_what_programs_do_with_the_layers_of_a_model(statement: str, tmp_path: Path) -> None:
    shared = explore(tmp_path, "net.py", ast.parse(f"{PREPARED}\n{statement}\n"), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error"]
