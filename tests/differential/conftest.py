"""Small models, and workers that are shared by the whole session: a start costs more than a test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential.inputs import Inputs, InputSet
from analyzer.differential.plan import families
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact
from analyzer.differential.study import Study, study


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with Pool(limit=8, deadline=900.0) as shared:
        yield shared


def save_onnx(
    path: Path,
    nodes: Sequence[onnx.NodeProto],
    weights: Mapping[str, np.ndarray],
    shape: Sequence[int | str],
    output: str = "y",
    opset: int = 18,
    domains: Sequence[str] = (),
) -> Artefact:
    """A model with one input ``x`` and one float output."""
    graph = helper.make_graph(
        list(nodes),
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(shape))],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(a, n) for n, a in weights.items()],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    )
    model.ir_version = 10
    onnx.save(model, path)
    return onnx_artefact(path)


def onnx_artefact(path: Path) -> Artefact:
    return Artefact("onnx", {path.name: path}, {"path": path.name})


@pytest.fixture(scope="session")
def pad_max(tmp_path_factory: pytest.TempPathFactory) -> Artefact:
    """A Pad of zeros before MaxPool over negative values: folded wrongly by ONNX Runtime's Pad_Fusion since 1.20."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w"], ["c"], name="conv"),
        node("Sigmoid", ["c"], ["s"], name="sigmoid"),
        node("Neg", ["s"], ["n"], name="neg"),
        node("Pad", ["n", "pads"], ["p"], name="pad"),
        node("MaxPool", ["p"], ["m"], name="pool", kernel_shape=[3, 3], strides=[2, 2]),
        node("Tanh", ["m"], ["y"], name="tanh"),
    ]
    weights = {
        "w": np.random.default_rng(0).standard_normal((4, 3, 3, 3)).astype(np.float32),
        "pads": np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64),
    }
    return save_onnx(tmp_path_factory.mktemp("pad") / "pad_max.onnx", nodes, weights, ["n", 3, 10, 10])


@pytest.fixture(scope="session")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Artefact:
    """Convolution, batch norm, residual sum, softmax: nothing deviates."""
    rng = np.random.default_rng(1)
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w"], ["c"], name="conv", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c", "g", "b", "mean", "var"], ["bn"], name="bn"),
        node("Relu", ["bn"], ["r"], name="relu"),
        node("Add", ["r", "c"], ["a"], name="add"),
        node("GlobalAveragePool", ["a"], ["gap"], name="gap"),
        node("Flatten", ["gap"], ["f"], name="flatten"),
        node("Gemm", ["f", "fc"], ["logits"], name="fc"),
        node("Softmax", ["logits"], ["y"], name="softmax"),
    ]
    weights = {
        "w": rng.standard_normal((6, 3, 3, 3)).astype(np.float32),
        "g": np.ones(6, np.float32),
        "b": np.zeros(6, np.float32),
        "mean": np.zeros(6, np.float32),
        "var": np.full(6, 2.0, np.float32),
        "fc": rng.standard_normal((6, 5)).astype(np.float32),
    }
    return save_onnx(tmp_path_factory.mktemp("healthy") / "healthy.onnx", nodes, weights, ["n", 3, 9, 9])


@pytest.fixture(scope="session")
def save_model() -> Callable[..., Artefact]:
    return save_onnx


@pytest.fixture(scope="session")
def examine() -> Callable[..., Study]:
    return _examine


def _examine(
    artefact: Artefact,
    backends: Sequence[str],
    pool: Pool,
    feeds: Mapping[str, np.ndarray] | None = None,
    thorough: bool = False,
) -> Study:
    """One family on one model."""
    kinds = {artefact.kind: artefact}
    given = Inputs((InputSet("given", feeds),), (), False) if feeds is not None else None
    target = TargetConfig("model", path="model", backends=tuple(backends))
    (family,) = families(target.backends, kinds)
    return study(family, kinds, target, pool, Thresholds(), (lambda _: given) if given else None, thorough=thorough)


KERAS_MODEL = """
import sys, keras
from keras import layers as L
keras.utils.set_random_seed(0)
i = keras.Input((8, 8, 3), name="image")
x = L.Conv2D(4, 3, padding="same", name="before")(i)
x = L.AveragePooling2D(3, 2, padding="same", name="average")(x)
inner = keras.Sequential([keras.Input((4, 4, 4)), L.Conv2D(4, 1, name="one"), L.ReLU(name="relu")], name="inner")
x = inner(x)
x = L.BatchNormalization(name="norm")(x)
x = L.Add(name="sum")([x, inner(x)])
keras.Model(i, L.Dense(3, activation="softmax", name="head")(L.Flatten(name="flat")(x))).save(sys.argv[1])
"""


@pytest.fixture(scope="session")
def keras_model(tmp_path_factory: pytest.TempPathFactory) -> Artefact:
    """An average pooling that Keras pads by replication on Torch (fixed in 3.16), a nested model called twice."""
    path = tmp_path_factory.mktemp("keras") / "model.keras"
    env = {**os.environ, "KERAS_BACKEND": "numpy", "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([sys.executable, "-c", KERAS_MODEL, str(path)], check=True, env=env, capture_output=True)
    return Artefact("keras", {"model.keras": path}, {"path": "model.keras"})
