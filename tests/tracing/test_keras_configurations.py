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
