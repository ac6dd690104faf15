"""Entry points of TensorFlow and PyTorch are weighed by the same training runs, each in its own engine."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.export import export
from analyzer.findings import Confidence, Finding, Level
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm import tensorflow_training, training
from analyzer.numerical.confirm.child import JSON, Worker, WorkerFailed
from analyzer.numerical.confirm.confirmation import Confirmer
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.objective import LOWEST
from analyzer.numerical.confirm.problem import SearchProblem
from analyzer.numerical.confirm.torch_training import TorchTrainer
from analyzer.walls.process import ProcessSandbox

TENSORFLOW = """
    import tensorflow as tf


    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.deviation = tf.Variable(tf.ones(4), name="deviation")
            self.weight = tf.Variable(tf.ones((4, 4)) * 0.25, name="weight")

        def __call__(self, x):
            spread = tf.reduce_sum(SIGN * self.deviation + 1e-3 * tf.math.log(self.deviation))
            return spread + tf.reduce_mean(tf.square(x @ self.weight - x)) MORE


    def build():
        return Net(), (tf.random.stateless_uniform((8, 4), (1, 2)),)
"""
PYTORCH = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.deviation = nn.Parameter(torch.ones(4))
            self.weight = nn.Parameter(torch.ones(4, 4) * 0.25)

        def forward(self, x):
            spread = (SIGN * self.deviation + 1e-3 * self.deviation.log()).sum()
            return spread + (x @ self.weight - x).square().mean() MORE


    def build():
        return Net(), (torch.rand(8, 4),)
"""
KERAS = """
    import keras
    import tensorflow as tf


    class Net(keras.Model):
        def build(self, shape):
            self.deviation = self.add_weight(shape=(4,), initializer="ones", name="deviation")
            self.out = keras.layers.Dense(4)
            self.out.build(shape)

        def call(self, x):
            spread = tf.reduce_sum(SIGN * self.deviation + 1e-3 * tf.math.log(self.deviation))
            return spread + tf.reduce_mean(tf.square(self.out(x) - x)) MORE


    def build():
        x = tf.random.stateless_uniform((8, 4), (1, 2))
        model = Net()
        model(x)
        return model, (x,)
"""
COMPILED = """
    import keras
    import tensorflow as tf


    class Scale(keras.layers.Layer):
        def build(self, shape):
            self.deviation = self.add_weight(shape=(), initializer="ones", name="deviation")

        def call(self, x):
            return x * self.deviation + 1e-3 * tf.math.log(self.deviation) + self.deviation


    def build():
        inputs = keras.Input((4,))
        model = keras.Model(inputs, Scale()(keras.layers.Dense(5)(inputs)))
        model.compile("adam", loss=LOSS)
        return model
"""
RECORDED = """
    import tensorflow as tf


    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.deviation = tf.Variable(tf.ones(4), name="deviation")

        def __call__(self, x, labels):
            spread = tf.reduce_sum(SIGN * self.deviation + 1e-3 * tf.math.log(self.deviation)) MORE
            return spread + tf.reduce_sum(x[: int(labels[0].numpy())])


    def build():
        return Net(), (tf.random.stateless_uniform((8, 4), (1, 2)), tf.constant([3, 4, 5, 6]))
"""


class Absent(Worker):
    """There is no PyTorch."""

    def ask(self, request: JSON, seconds: float) -> JSON:
        raise WorkerFailed("the worker ended")


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer() as made:
        yield made


def reviewed(workers: Confirmer, folder: Path, text: str, sign: str, more: str = "") -> Finding:
    """What is said of the logarithm of a deviation that starts at 1, by an entry point with an example."""
    (folder / "net.py").write_text(textwrap.dedent(text).replace("SIGN", sign).replace(" MORE", more))
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", folder, target=target, sandbox=ProcessSandbox())
    assert len(graph.losses) == 1 or graph.training is not None
    found = analyse(graph, target, explain=False, confirmer=workers, root=folder).findings
    (finding,) = [f for f in found if f.rule == "numerical/log-of-nonpositive"]
    assert finding.confidence is Confidence.CONFIRMED
    return finding


@pytest.mark.parametrize("text", [TENSORFLOW, PYTORCH, KERAS], ids=["TensorFlow", "PyTorch", "Keras"])
def test_a_deviation_blocks_where_training_drives_it_through_0(workers: Confirmer, tmp_path: Path, text: str) -> None:
    found = reviewed(workers, tmp_path, text, "3")
    assert found.level is Level.ERROR
    assert "A short training run of the model's own loss fails there: " in " ".join(found.evidence.sentences)


@pytest.mark.parametrize("text", [TENSORFLOW, PYTORCH, KERAS], ids=["TensorFlow", "PyTorch", "Keras"])
def test_a_deviation_that_training_keeps_away_from_0_is_a_note(workers: Confirmer, tmp_path: Path, text: str) -> None:
    """The inputs that the example shows have no part in it: with larger ones it weighs no more."""
    found = reviewed(workers, tmp_path, text, "-3")
    assert found.level is Level.NOTE
    assert "short training runs of the model's own loss (Adam and SGD" in " ".join(found.evidence.sentences)


@pytest.mark.parametrize(
    ("loss", "level"),
    [
        ("lambda target, predicted: 3 * predicted", Level.ERROR),
        ("lambda target, predicted: -3 * predicted", Level.NOTE),
        ("'mse'", Level.ERROR),  # of large inputs
        ("keras.losses.SparseCategoricalCrossentropy(from_logits=True)", Level.ERROR),
    ],
)
def test_a_keras_model_is_trained_by_the_loss_that_it_was_compiled_with(
    workers: Confirmer, tmp_path: Path, loss: str, level: Level
) -> None:
    found = reviewed(workers, tmp_path, COMPILED.replace("LOSS", loss), "")
    assert found.level is level
    assert "the model's own loss" in " ".join(found.evidence.sentences)


@pytest.mark.parametrize(("sign", "level"), [("3", Level.ERROR), ("-3", Level.NOTE)])
def test_tensorflow_alone_trains_a_model_of_an_operator_without_a_form_in_pytorch(
    tmp_path: Path, sign: str, level: Level
) -> None:
    with Confirmer() as confirmer:
        confirmer._engines.searcher = Absent()
        more = " + tf.reduce_mean(tf.math.special.bessel_k0e(tf.square(x) + 1.0))"
        assert reviewed(confirmer, tmp_path, TENSORFLOW, sign, more).level is level


def _problem(sign: float) -> SearchProblem:
    """sign · s + log(s) + sqrt(relu(t)) + t + a mean of x · s, where s and t start at 1."""
    made: list[ir.Node] = []

    def node(op: str, name: str, *inputs: ir.Value, shape: tuple[int, ...] = (), **given: object) -> ir.Value:
        made.append(ir.node(op, list(inputs), given, domain="tf", name=name))  # type: ignore[arg-type]
        (value,) = made[-1].outputs
        value.name, value.dtype, value.shape = name, ir.DataType.FLOAT, ir.Shape(shape)
        return value

    def leaf(name: str, *shape: int) -> ir.Value:
        return ir.Value(name=name, type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape(shape))

    x, s, t = leaf("x", 5), leaf("s"), leaf("t")
    constant = ir.node("Const", [], {"value": ir.tensor(np.float32(sign))}, domain="tf", name="sign")
    made.append(constant)
    constant.outputs[0].name = "sign"
    axes = ir.node("Const", [], {"value": ir.tensor(np.zeros(1, np.int32))}, domain="tf", name="axes")
    made.append(axes)
    axes.outputs[0].name = "axes"
    pulled = node("Mul", "pulled", s, constant.outputs[0])
    logarithm = node("Log", "logarithm", s)
    root = node("Sqrt", "root", node("Relu", "rectified", t))
    mean = node("Mean", "mean", node("Mul", "scaled", x, s, shape=(5,)), axes.outputs[0], keep_dims=False)
    loss = pulled
    for name, value in (("a", logarithm), ("b", root), ("c", t), ("loss", mean)):
        loss = node("AddV2", name, loss, value)
    graph = ir.Graph([x, s, t], [loss], nodes=made, name="g", opset_imports={"tf": 1, "": 20})
    weights = (Leaf(n, (), "FLOAT", -9.0, 9.0, "parameter", np.float32(1.0), True) for n in "st")
    leaves = (Leaf("x", (5,), "FLOAT", -1.0, 1.0), *weights)
    model = ir.Model(graph, ir_version=10)
    return SearchProblem(model, leaves, (), ("loss",), (-1, LOWEST), ("loss",), backward=True, losses=("loss",))


@pytest.mark.parametrize(("sign", "watched"), [(9.0, "logarithm"), (-9.0, "root"), (9.0, "root"), (-9.0, "logarithm")])
def test_a_run_of_either_engine_ends_at_the_same_step(sign: float, watched: str) -> None:
    """Its own failure, that of its gradient alone, and another operator's, which ends a run that tells nothing more."""
    ended = {}
    with tensorflow_training.trainer_of(_problem(sign), watched, 0) as trainer:
        assert trainer is not None
        for engine in (trainer, TorchTrainer(_problem(sign), watched)):
            runs = (training.TrainingTask(engine, plan, {}, 7) for plan in training.PLANS[:5])
            ended[type(engine)] = [training.run_of(task, float("inf")) for task in runs]
    mine, other = ended.values()
    assert [(r.told, r.failed) for r in mine] == [(r.told, r.failed) for r in other]
    assert all(abs(a.steps - b.steps) <= 1 for a, b in zip(mine, other, strict=True))
    assert any(r.failed for r in mine) == ((sign > 0) == (watched == "logarithm"))


@pytest.mark.parametrize(("sign", "level"), [("3", Level.ERROR), ("-3", Level.NOTE)])
def test_a_recorded_run_of_tensorflow_is_trained_as_recorded(
    workers: Confirmer, tmp_path: Path, sign: str, level: Level
) -> None:
    found = reviewed(workers, tmp_path, RECORDED, sign)
    assert found.level is level
    assert "the model's own loss" in " ".join(found.evidence.sentences)
