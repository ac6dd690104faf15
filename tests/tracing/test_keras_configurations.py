"""A layer made of another one's configuration takes the arguments that this one was made with."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import keras
import numpy as np
from keras import layers

class Scaled(layers.Layer):
    def __init__(self, width=4, **options):
        super().__init__(**options)
        self.width = width
        self.dense = layers.Dense(width)

    def call(self, x):
        return self.dense(x)

    def get_config(self):
        {}

one = Scaled(5, name="first")
np.matmul({}(np.zeros((2, 3))), np.zeros(({}, 2)))
"""
KEPT = [
    "config = super().get_config(); config.update({'width': self.width}); return config",
    "return {**super(Scaled, self).get_config(), 'width': self.width}",
    "return dict(list(super().get_config().items()) + [('width', self.width)])",
]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize(
    "made",
    ["Scaled.from_config(one.get_config())", "Scaled(**one.get_config())", "type(one).from_config(one.get_config())"],
)
@pytest.mark.parametrize(("width", "fits"), [(5, True), (4, False)])
def test_a_layer_of_a_configuration(kept: str, made: str, width: int, fits: bool, tmp_path: Path) -> None:
    shared = explore(tmp_path, "net.py", ast.parse(PROGRAM.format(kept, made, width)), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == ([] if fits else [True])


def test_a_configuration_that_nobody_knows_tells_no_width(tmp_path: Path) -> None:
    text = PROGRAM.format("return super().get_config()", "Scaled.from_config(settings)", 4)
    shared = explore(tmp_path, "net.py", ast.parse(f"from somewhere import settings\n{text}"), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error"]


AGAIN = """
import keras
import numpy as np
from keras import layers

@keras.saving.register_keras_serializable()
class Scaled(layers.Layer):
    def __init__(self, width=4, inner=None, **options):
        super().__init__(**options)
        self.width = width
        self.inner = inner or layers.Dense(width)

    def call(self, x):
        return self.inner(x)

    def get_config(self):
        config = super().get_config()
        config.update({{"width": self.width, "inner": layers.serialize(self.inner)}})
        return config

    @classmethod
    def from_config(cls, config):
        config["inner"] = layers.deserialize(config["inner"])
        return cls(**config)

one = {}
{}
np.matmul(two(np.zeros((2, 3))), np.zeros(({}, 2)))
"""
MODEL = "keras.Sequential([keras.Input((3,)), layers.Dense(5)])"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("layers.Dense(5)", "two = layers.Dense.from_config(one.get_config())"),
        ("layers.Dense(5)", "two = type(one).from_config(one.get_config()) if False else layers.Dense(5)"),
        ("layers.Dense(5)", "two = layers.deserialize(layers.serialize(one))"),
        ("layers.Dense(9)", "config = one.get_config(); config['units'] = 5; two = layers.Dense.from_config(config)"),
        ("Scaled(5)", "two = Scaled.from_config(one.get_config())"),
        ("Scaled(5)", "two = layers.deserialize(layers.serialize(one))"),
        (MODEL, "two = keras.Sequential.from_config(one.get_config())"),
        (MODEL, "two = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(one))"),
    ],
)
@pytest.mark.parametrize(("width", "fits"), [(5, True), (4, False)])
def test_made_again_of_plain_data(one: str, two: str, width: int, fits: bool, tmp_path: Path) -> None:
    shared = explore(tmp_path, "net.py", ast.parse(AGAIN.format(one, two, width)), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == ([] if fits else [True])


def test_plain_data_that_somebody_else_has_changed_tells_no_width(tmp_path: Path) -> None:
    for change in ("changed(config)", "config.update(changed())"):
        two = f"config = one.get_config(); {change}; two = layers.Dense.from_config(config)"
        text = f"from somewhere import changed\n{AGAIN.format('layers.Dense(5)', two, 4)}"
        shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
        assert not [p for p in shared.problems.values() if p.proved]
