"""Keras gives an input the axis of size 1 that its model was declared with, or takes it away."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

SOURCE = """import numpy as np
from tensorflow import keras
model = keras.Sequential([{}])
model.compile(optimizer="sgd", loss="mse")
model.fit(np.zeros({}), np.zeros(6))
"""
SHAPED = "keras.layers.Dense(units=1, input_shape=[{}])"
DECLARED = "keras.Input(shape=({},)), keras.layers.Dense(1)"


@pytest.mark.parametrize("layers", [SHAPED, DECLARED])
def test_an_axis_of_one_may_be_left_out(layers: str, tmp_path: Path) -> None:
    def told(width: int, shape: str) -> list[int]:
        tree = ast.parse(SOURCE.format(layers.format(width), shape))
        return [
            p.site.line for p in explore(tmp_path, "p.py", tree, Versions()).problems.values() if p.level == "error"
        ]

    assert told(1, "6") == []
    assert told(1, "(6, 1, 1)") == []
    assert told(2, "6") != []
