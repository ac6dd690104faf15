"""Element types of what a Keras layer of the program's own is given: Keras converts arrays and floating tensors."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import keras
import numpy as np
import tensorflow as tf
class Mask(keras.layers.Layer):
    def call(self, x, mask):
        size = tf.cast(tf.square(mask), tf.float32)
        return size * tf.square(x){}
x, mask = np.ones((2, 3)), np.ones((2, 3))
"""


@pytest.mark.parametrize(
    ("more", "call", "refused"),
    [
        ("", "Mask()(x, mask)", False),
        ("", "Mask()(x, mask=mask)", False),
        ("", "Mask()(tf.constant(x), tf.constant(mask))", False),
        ("", "Mask()(x.astype(np.float16), mask)", False),
        ("", "Mask().call(x, mask)", True),
        (" + tf.zeros((2, 3), tf.float64)", "Mask()(np.ones((2, 3), np.float32), mask)", True),
        ("", "Mask()(np.ones((2, 3), np.float32), mask)", False),
    ],
)
def test_a_call_converts_and_the_method_does_not(tmp_path: Path, more: str, call: str, refused: bool) -> None:
    text = HEAD.format(more) + call + "\n"
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    told = [p.site.line for p in shared.problems.values() if p.level == "error"]
    assert told == ([8] if refused else [])


@pytest.mark.parametrize("call", ["Mask()(x, mask)", "Mask()(tf.constant(x), tf.constant(mask))"])
def test_keras_runs_them(call: str) -> None:
    exec(compile(HEAD.format("") + call + "\n", "net.py", "exec"), {"__name__": "net"})
