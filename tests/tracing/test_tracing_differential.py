"""Traced verdicts against execution, and no false errors on published sources: samples of the benchmarks."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def load(name: str) -> object:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
    return module


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("family", "seeds"), [("torch", range(9000, 9150)), ("keras", range(9000, 9050)), ("tf1", range(9000, 9050))]
)
def test_random_scripts_fail_where_tracing_says(family: str, seeds: range) -> None:
    study = load("tracing_differential")
    failing = 0
    for seed in seeds:
        text = study.script(seed, family)  # type: ignore[attr-defined]
        expected = study.executed(text)  # type: ignore[attr-defined]
        failing += bool(expected)
        traced = study.traced(text)  # type: ignore[attr-defined]
        assert study.same(traced, expected), f"seed {seed}: {traced} {expected}\n{text}"  # type: ignore[attr-defined]
    assert len(seeds) // 5 <= failing <= 4 * len(seeds) // 5


TORCH = "import torch, torch.nn as nn, torch.nn.functional as F\nx = torch.zeros(2, 3, 4)\n"
TF1 = (
    "import numpy as np\nimport tensorflow.compat.v1 as tf\nx = tf.placeholder(tf.float32, [None, 5])\n"
    "y = {}\nwith tf.Session() as s:\n    s.run(y, feed_dict={{x: np.zeros((2, 5))}})\n"
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (TORCH + "y = x.transpose(0, 1).view(-1)\n", 3),
        (TORCH + "y = x.transpose(0, 1).contiguous().view(-1)\n", None),
        (TORCH + "y = x.transpose(0, 1).reshape(-1)\n", None),
        (TORCH + "y = x[:, 1:].view(-1)\n", 3),
        (TORCH + "y = x[1:].view(-1)\n", None),
        (TORCH + "y = torch.tile(x, (2,))\n", None),
        (TORCH + "y = x.max(1).values.view(7)\n", 3),
        (TORCH + "a, b, c = x.chunk(2)\n", 3),
        (TORCH + "y = x.chunk(3)[2]\n", 3),
        (TORCH + "y = nn.Conv2d(3, 4, 1, groups=2)\n", 3),
        (TORCH + "y = nn.Conv2d(3, 4, 1)(torch.zeros(0, 3, 8, 8))\n", None),
        (TORCH + "y = nn.Linear(4, 2)(x.double())\n", 3),
        (TORCH + "y = nn.Linear(4, 2).double()(x.double())\n", None),
        (TORCH + "y = x.mean((0, -3))\n", 3),
        (TORCH + "y = F.cross_entropy(torch.zeros(4), torch.zeros(1, dtype=torch.long))\n", None),
        (TF1.format("tf.reshape(x, [-1, 3]) * 2.0"), 6),
        (TF1.format("tf.reshape(x, [-1, 5]) * 2.0"), None),
    ],
)
def test_what_random_scripts_have_shown(text: str, line: int | None) -> None:
    study = load("tracing_differential")
    found = study.traced(text).errors  # type: ignore[attr-defined]
    assert bool(found) is (line is not None), found
    if line is not None and "Session" not in text:
        assert found == {line}


# scripts on which tracing and execution once differed: pools larger than their input, `view` of tensors in another
# layout, wrong ranks, losses of scalars and of unequal rows, models fed another shape, axes named twice in a graph,
# sizes that a graph checks when it runs
DIFFERED = (
    212, 908, 2465, 2535, 2594, 2599, 2608, 2654, 2662, 2750, 2804, 2813, 2933, 2939, 3047, 3290, 3369, 3585, 4162,
    4273, 4310, 4442, 4516, 4793, 400194, 400862, 402061, 500074, 500389, 501048, 501750,
)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", DIFFERED)
def test_scripts_that_differed_agree(seed: int) -> None:
    study = load("tracing_differential")
    text = study.script(seed)  # type: ignore[attr-defined]
    traced, expected = study.traced(text), study.executed(text)  # type: ignore[attr-defined]
    assert study.same(traced, expected), f"{traced} {expected}\n{text}"  # type: ignore[attr-defined]


KERAS = "import tensorflow as tf, keras\nfrom keras import layers\nx = tf.zeros([1, 2, 2, 3])\n"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "text",
    [
        "y = layers.AveragePooling2D(3)(x)\n",
        "y = layers.AveragePooling2D(4, strides=1)(x)\n",
        "y = tf.nn.avg_pool(x, 3, 1, 'VALID')\n",
        "f = tf.function(lambda x: tf.nn.avg_pool(x, 3, 1, 'VALID'))\ny = f(x)\n",
        "@tf.function\ndef f(x):\n    return tf.nn.avg_pool2d(x, 3, 1, 'VALID')\ny = f(x)\n",
        "y = layers.MaxPooling2D(3)(x)\n",
        "y = layers.AveragePooling2D(3)(keras.Input((2, 2, 3)))\n",
        "l = layers.Conv2D(2, 1)\ny = l(x)\nz = l(x[..., :2])\n",
        "l = layers.BatchNormalization()\ny = l(x)\nz = l(x)\n",
        "class M(keras.Model):\n    def __init__(self):\n        super().__init__()\n"
        "        self.pool = layers.AveragePooling2D(3)\n"
        "    def call(self, x):\n        return self.pool(x)\ny = M()(x)\n",
        "y = layers.Conv2D(2, 1)(layers.AveragePooling2D(3)(x))\n",
        "m = keras.Sequential([keras.Input((2, 2, 5)), layers.Conv2D(2, 1)])\ny = m(x)\n",
        "m = keras.Sequential([keras.Input((2, 2, 5)), layers.ReLU()])\ny = m(x)\n",
        "y = tf.nn.softmax_cross_entropy_with_logits(labels=tf.zeros([1, 3]), logits=tf.zeros([4, 3]))\n",
        "y = tf.nn.softmax_cross_entropy_with_logits(labels=tf.zeros([4, 3]), logits=tf.zeros([1, 3]))\n",
        "y = keras.losses.MeanSquaredError()(tf.zeros([3]), tf.zeros([3]))\n",
        "y = keras.losses.MeanSquaredError()(tf.reduce_sum(x), tf.reduce_sum(x))\n",
        "y = layers.TimeDistributed(layers.Dense(3))(tf.zeros([2, 3]))\n",
    ],
)
def test_keras_fails_where_tracing_says(text: str) -> None:
    study = load("tracing_differential")
    traced, expected = study.traced(KERAS + text), study.executed(KERAS + text)  # type: ignore[attr-defined]
    assert study.same(traced, expected), (traced, expected)  # type: ignore[attr-defined]


def test_what_the_processor_decides_is_a_warning() -> None:
    """TensorFlow's kernels refuse the pool on some processors and give an empty tensor on others."""
    text = KERAS + "y = layers.MaxPooling2D(3)(x)\nz = layers.Conv2D(2, 3)(y)\n"
    shared = explore(Path("/nonexistent"), "script.py", ast.parse(text), Versions())
    (problem,) = shared.problems.values()
    assert (problem.rule, problem.level, problem.site.line) == ("tracing/empty-result", "warning", 4)
    assert "on processors with AVX-512 VNNI" in problem.message


def test_an_empty_pool_is_an_advisory() -> None:
    text = KERAS + "y = layers.AveragePooling2D(3)(x)\n"
    shared = explore(Path("/nonexistent"), "script.py", ast.parse(text), Versions())
    assert [(p.rule, p.level, p.site.line) for p in shared.problems.values()] == [("tracing/empty-result", "note", 4)]


@pytest.mark.parametrize(
    "name",
    [
        "transformers/models/bert/modeling_bert.py",
        "transformers/models/t5/modeling_t5.py",
        "keras/src/applications/vgg16.py",
        "torch/nn/modules/transformer.py",
        "torch/nn/modules/rnn.py",
    ],
)
def test_published_sources_have_no_errors(name: str) -> None:
    package, _, rest = name.partition("/")
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    file = Path(next(iter(spec.submodule_search_locations))) / rest
    shared = explore(file.parent, file.name, ast.parse(file.read_text()), Versions())
    assert [p for p in shared.problems.values() if p.level == "error"] == []
