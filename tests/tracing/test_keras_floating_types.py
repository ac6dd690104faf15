"""The floating type that Keras makes weights in: each program runs, and none of what runs is told."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """import keras
import tensorflow as tf
{before}
class Shifted(keras.layers.Layer):
    def __init__(self, **settings):
        super().__init__({given})
        self.tau = self.add_weight(shape=(2,), initializer="uniform"{asked})
shifted = Shifted({made})
total = tf.zeros((3, 2), tf.float64) + {used}
"""
SETTINGS = [
    ({"before": "keras.backend.set_floatx('float64')"}, False),
    ({"before": "tf.keras.backend.set_floatx('float64')"}, False),
    ({"before": "keras.config.set_dtype_policy('float64')"}, False),
    ({"before": "keras.mixed_precision.set_global_policy('float64')"}, False),
    ({"asked": ", dtype='float64'"}, False),
    ({"asked": ", dtype=tf.float64"}, False),
    ({"given": "dtype='float64'"}, False),
    ({"given": "**settings", "made": "dtype='float64'"}, False),
    ({}, True),
    ({"asked": ", dtype='float32'"}, True),
]
USED = ("shifted.tau", "tf.identity(shifted.tau)")


@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize(("settings", "refused"), SETTINGS)
def test_weights_have_the_type_that_is_set(
    tmp_path: Path, settings: dict[str, str], refused: bool, used: str
) -> None:  # fmt: skip
    text = PROGRAM.format(**{"before": "", "given": "", "asked": "", "made": "", "used": used, **settings})
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    told = [(p.rule, p.proved) for p in shared.problems.values() if p.level == "error"]
    assert told == [("tracing/incompatible-element-type", True)] * refused
