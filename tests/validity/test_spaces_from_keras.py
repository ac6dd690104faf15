"""Spaces from Keras code: Functional and Sequential models, `keras.ops`, and what cannot be followed."""

from __future__ import annotations

import itertools
import random
import runpy
from pathlib import Path
from typing import Any

import pytest

from analyzer.commands.cli import main

pytest.importorskip("keras")
pytest.importorskip("tensorflow")

EXAMPLES = Path(__file__).parents[2] / "benchmarks" / "published_space_code"
OWN = """
import keras
from keras import layers


class Half(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.dense = layers.Dense(width // 2)

    def call(self, x):
        return self.dense(x)


def build(width, own):
    if width > 8:
        raise ValueError("too wide")
    inputs = keras.Input((width,))
    x = Half(width)(inputs) if own else layers.Dense(4)(inputs)
    return keras.Model(inputs, layers.Add()([x, inputs[:, :4]]))
"""
POOLED = """
import keras
from keras import layers


def build(width, pool):
    inputs = keras.Input((8, 8, 3))
    x = layers.Conv2D(width, 3)(inputs)
    if pool == "max":
        x = layers.MaxPool2D()(x)
    elif pool == "average":
        x = layers.AvgPool2D()(x)
    else:
        x = layers.MaxPool2D(pool_sise=2)(x)
    return keras.Model(inputs, x)
"""


def really(build: Any, *arguments: Any, **named: Any) -> bool:
    import keras
    import numpy as np

    keras.backend.clear_session()
    try:
        model = build(*arguments, **named)
        model([np.zeros([2, *x.shape[1:]], x.dtype) for x in model.inputs])
    except Exception:
        return False
    return True


def exported(tmp_path: Path, root: Path, *options: str) -> tuple[int, Any]:
    path = tmp_path / "keep.py"
    code = main(["space", *options, "--root", str(root), "--export", str(path)])
    return code, runpy.run_path(str(path))


@pytest.mark.study
def test_attention_and_functions_of_keras_ops(tmp_path: Path) -> None:
    names = {
        "width": [4, 5, 6],
        "heads": [1, 2],
        "key": [2],
        "tokens": [4, 5, 6],
        "merge": ["plain", "halves", "turned"],
    }
    domains = "\n".join(f"  {n}: {v}" for n, v in names.items())
    (tmp_path / "s.yml").write_text(f"version: 1\nhyperparameters:\n{domains}\n")
    _, module = exported(tmp_path, EXAMPLES, "keras_examples.py:transformer", "--space", str(tmp_path / "s.yml"))
    build = runpy.run_path(str(EXAMPLES / "keras_examples.py"))["transformer"]
    vectors = [dict(zip(names, v, strict=True)) for v in itertools.product(*names.values())]
    truth = [really(build, **v) for v in vectors]
    assert [module["valid"](v) for v in vectors] == truth
    assert 0 < sum(truth) < len(truth)


@pytest.mark.study
def test_a_tuner_s_function_of_a_sequential_model(tmp_path: Path) -> None:
    keras_tuner = pytest.importorskip("keras_tuner")
    code, module = exported(tmp_path, EXAMPLES, "--keras-tuner", "keras_examples.py:sequential")
    assert code == 1
    build = runpy.run_path(str(EXAMPLES / "keras_examples.py"))["sequential"]
    rng = random.Random(5)
    for _ in range(25):
        values: dict[str, Any] = {f"kernel_{i}": rng.choice([3, 5, 7]) for i in range(3)}
        values |= {f"filters_{i}": rng.choice([8, 16]) for i in range(3)} | {"activation": "relu", "dropout": False}
        values |= {"layers": rng.choice([1, 2, 3]), "pool": rng.choice([1, 2, 3, 4])}
        values |= {"padding": rng.choice(["valid", "same"]), "groups": rng.choice([1, 1, 2])}
        given = keras_tuner.HyperParameters()
        given.values = dict(values)
        assert module["valid"](values) is really(build, given)
        assert module["keep"](given) is module["valid"](values)


def test_a_layer_of_the_project_s_own_is_not_followed_and_a_refusal_is(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(OWN)
    (tmp_path / "s.yml").write_text("version: 1\nhyperparameters: {width: {min: 1, max: 64}, own: [true, false]}\n")
    code, module = exported(tmp_path, tmp_path, "net.py:build", "--space", str(tmp_path / "s.yml"))
    assert code == 3
    build = runpy.run_path(str(tmp_path / "net.py"))["build"]
    said = {(w, o): module["valid"]({"width": w, "own": o}) for w in range(1, 65) for o in (True, False)}
    assert {o for (w, o), v in said.items() if w <= 8 and v is None} == {True}
    for (width, own), verdict in said.items():
        if verdict is not None and (width < 12 or width == 64):
            assert verdict is really(build, width=width, own=own)


def test_a_call_with_other_arguments_than_are_taken_fails_at_every_vector(tmp_path: Path) -> None:
    """Average pooling has no default size in Keras, as maximum pooling has."""
    (tmp_path / "net.py").write_text(POOLED)
    (tmp_path / "s.yml").write_text(
        "version: 1\nhyperparameters: {width: {min: 1, max: 6}, pool: [max, average, both]}\n"
    )
    code, module = exported(tmp_path, tmp_path, "net.py:build", "--space", str(tmp_path / "s.yml"))
    assert code == 1
    build = runpy.run_path(str(tmp_path / "net.py"))["build"]
    for width, pool in itertools.product(range(1, 7), ("max", "average", "both")):
        assert module["valid"]({"width": width, "pool": pool}) is (pool == "max")
        assert width > 1 or really(build, width=width, pool=pool) is (pool == "max")
