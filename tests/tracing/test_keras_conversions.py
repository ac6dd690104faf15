"""What Keras brings into form by itself: element types, ranks, weights of examples. Each program is run and traced."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import numpy as np
import keras
import tensorflow as tf
from keras import layers, losses, ops
whole, real = np.ones((3, 4), "uint8"), np.ones((3, 4), "float32")
query = np.ones((2, 5, 8), "float32")
"""
RUNS = {
    "element types are promoted": """
        for made in (ops.add(whole, real), ops.subtract(real, whole), ops.multiply(whole, real),
                     ops.arctan2(whole, real), ops.concatenate([whole, real], 0)[:3], ops.stack([whole, real])[0]):
            assert made.shape == (3, 4)
        assert ops.matmul(whole, np.ones((4, 2))).shape == (3, 2)
        assert ops.einsum("ij,kj->ik", whole, real).shape == (3, 3)
    """,
    "vectors are multiplied as NumPy multiplies them": """
        assert ops.matmul(np.ones(4), np.ones((2, 3, 4, 5))).shape == (2, 3, 5)
        assert ops.matmul(np.ones(4), np.ones(4)).shape == ()
    """,
    "scores that are asked for": """
        for layer in (layers.Attention(), layers.AdditiveAttention(), layers.Attention(use_scale=True)):
            out, scores = layer([query, query], return_attention_scores=True)
            assert out.shape == (2, 5, 8)
        grouped = layers.GroupQueryAttention(head_dim=4, num_query_heads=4, num_key_value_heads=2)
        _, scores = grouped(query, query, return_attention_scores=True)
    """,
    "an input of one column": """
        given = layers.Input(shape=[1])
        model = keras.Model(given, layers.Dense(2)(given))
        assert model(np.array([5.0, 6.0])).shape == (2, 2)
        flat = layers.Input(shape=(4,))
        assert keras.Model(flat, layers.Dense(2)(flat))(np.ones((3, 4, 1))).shape == (3, 2)
    """,
    "a model of one column is fitted to numbers in a row": """
        for first in (layers.Dense(1, input_dim=1), layers.Dense(1, input_shape=(1,))):
            model = keras.Sequential([first, layers.Dense(1)])
            model.compile(loss="mse")
            model.fit(np.ones(6), np.ones(6), verbose=0)
    """,
    "whole numbers as targets": """
        targets, outputs = np.random.randint(0, 2, size=(2, 3)), np.random.random(size=(2, 3))
        for loss in (losses.poisson, losses.mean_squared_logarithmic_error, losses.mean_absolute_percentage_error):
            assert loss(targets, outputs).shape == (2,)
        assert tf.math.in_top_k(np.array([0, 1]), outputs.astype("float32"), 2).shape == (2,)
    """,
    "a layer asks what it demands": """
        class Parts(layers.Layer):
            def build(self, shape):
                self.input_spec = keras.InputSpec(ndim=len(shape), axes={-1: shape[-1]})
                self.built = True

            def call(self, x):
                n = ops.shape(x)
                if self.input_spec.ndim == 3:
                    return ops.reshape(x, (n[0], n[1], 2, 4))
                return ops.reshape(x, (n[0], 2, 2))

        assert Parts()(query).shape == (2, 5, 2, 4)
        assert Parts()(real).shape == (3, 2, 2)
    """,
    "a method called forward is one like any other": """
        class Pair(layers.Layer):
            def forward(self, x):
                return ops.concatenate([x, x], -1)

            def call(self, x):
                return self.forward(x)[..., :3]

        assert Pair()(real).shape == (3, 3)
    """,
    "a loss over another axis": """
        images = np.random.uniform(size=(2, 3, 4, 4)).astype("float32")
        images = images / images.sum(1, keepdims=True)
        losses.CategoricalCrossentropy(axis=1)(images, images)
    """,
    "a loss of one's own is given weights": """
        class Squared(losses.Loss):
            def call(self, y_true, y_pred):
                return ops.mean((y_true - y_pred) ** 2, -1)

        assert Squared()(real, real, sample_weight=np.ones(3)).shape == ()
        assert Squared(reduction="none")(real, real, np.ones(3)).shape == (3,)
    """,
    "statistics take the shape of what is normalised": """
        layer = layers.Normalization(axis=2, mean=np.arange(5, dtype="float32"), variance=np.ones(5, "float32"))
        layer.build((2, 4, 5, 3))
        assert layer.mean[0, 0, :, 0].shape == (5,)
    """,
}
FAILS = {
    "sizes differ": ("ops.add(whole, real[:2])", "add"),
    "inner sizes differ": ("ops.matmul(np.ones(4), np.ones((2, 3, 5, 5)))", "multiply"),
    "a row too short": ("ops.concatenate([whole, real[:, :3]], 0)", "concat"),
    "the scores are not asked for": ("a, b, c, d = layers.Attention()([query, query])", "unpacked"),
    "the key has another width": ("layers.Attention()([query, query[..., :7]])", "features"),
    "more axes than a layer demands": (
        "class L(layers.Layer):\n    def build(self, s): self.input_spec = keras.InputSpec(ndim=len(s))\n"
        "    def call(self, x): return ops.reshape(x, (3, 3)) if self.input_spec.ndim == 2 else x\nL()(real)",
        "reshape",
    ),
    "two columns": (
        "given = layers.Input(shape=[2])\nkeras.Model(given, layers.Dense(2)(given))(np.ones((3, 3)))",
        "fed",
    ),
}


def _errors(tmp_path: Path, body: str) -> list[str]:
    source = HEAD + textwrap.dedent(body)
    (tmp_path / "program.py").write_text(source)
    shared = explore(tmp_path, "program.py", ast.parse(source), Versions())
    return [f"{p.site.line} {p.message}" for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("name", RUNS)
def test_what_runs_is_left_in_peace(tmp_path: Path, name: str) -> None:
    exec(compile(HEAD + textwrap.dedent(RUNS[name]), name, "exec"), {})
    assert _errors(tmp_path, RUNS[name]) == []


@pytest.mark.parametrize("name", FAILS)
def test_what_fails_is_told(tmp_path: Path, name: str) -> None:
    body, said = FAILS[name]
    with pytest.raises(Exception):  # noqa: B017 - of whatever class Keras and the backend raise
        exec(compile(HEAD + body, name, "exec"), {})
    found = _errors(tmp_path, body)
    assert len(found) == 1
    assert said in found[0]
