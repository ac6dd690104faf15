"""Merging layers of Keras: how many inputs, and which batches go together."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import keras
from keras import layers
x = layers.Input((8, 4))
row, rows = keras.ops.ones((1, 8, 4)), keras.ops.ones((3, 8, 4))
"""


@pytest.mark.parametrize("kind", ["Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"])
@pytest.mark.parametrize("inputs", ["[x]", "[x, x]", "[x, x, x]", "[x, row]", "[rows, row]", "[rows, rows]"])
def test_a_merging_layer_refuses_what_keras_refuses(tmp_path: Path, kind: str, inputs: str) -> None:
    pytest.importorskip("keras")
    text = f"{HEAD}y = layers.{kind}()({inputs})\n"
    if inputs == "[x, row]":
        text += "keras.Model(x, y)(keras.ops.ones((3, 8, 4)))\n"
    fails = False
    try:
        exec(text, {"__name__": "net"})
    except ValueError:
        fails = True
    told = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert any(p.level == "error" and p.proved for p in told) == fails
    assert fails or not told, [p.message for p in told]
