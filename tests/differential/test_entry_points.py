"""Entry points are built anew in every worker; what makes results differ must be the engines, never the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from analyzer.configuration.config import InputSpec, TargetConfig, Thresholds
from analyzer.differential.explain import StudyBudget
from analyzer.differential.plan import families
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact
from analyzer.differential.study import Study, study
from analyzer.differential.transport import ProcessTransport
from analyzer.differential.verdict import Kind
from analyzer.walls.process import ProcessSandbox

KERAS = """
import os
import keras
import numpy as np
from keras import layers as L


class Scaled(L.Layer):
    def build(self, shape):
        rng = np.random.default_rng(int.from_bytes(os.urandom(4), "little"))
        self.scale = self.add_weight(shape=(shape[-1],), initializer=keras.initializers.Constant(rng.random()))

    def call(self, x):
        return x * self.scale


def build(pooling=False):
    image = keras.Input((8, 8, 3), name="image")
    x = L.Conv2D(4, 3, padding="same", activation="relu", name="before")(image)
    if pooling:
        x = L.AveragePooling2D(3, strides=2, padding="same", name="average")(x)
    x = L.Conv2DTranspose(4, 3, strides=2, padding="same")(x)
    return keras.Model(image, L.Dense(3, activation="softmax", name="head")(Scaled()(x)))


def pooled():
    return build(True)


def normalised():
    norm = L.Normalization()
    norm.adapt(np.random.default_rng().normal(5.0, 3.0, (64, 8, 8, 3)).astype("float32"))
    image = keras.Input((8, 8, 3), name="image")
    return keras.Model(image, L.Dense(3, activation="softmax", name="head")(norm(image)))


def unnamed():
    image = keras.Input((8, 8, 3))
    return keras.Model(image, L.AveragePooling2D(3, strides=2, padding="same", name="average")(image))


class Averaging(keras.Model):
    def __init__(self, padding):
        super().__init__()
        self.pool = L.AveragePooling2D(3, strides=2, padding=padding)
        self.flat = L.Flatten()
        self.head = L.Dense(3)

    def call(self, image, training=False):
        return self.head(self.flat(self.pool(image)))


def subclassed(padding="valid"):
    return Averaging(padding), (np.ones((2, 8, 8, 3), "float32"),)


def subclassed_and_wrong():
    return subclassed("same")


def augmented():
    image = keras.Input((8, 8, 3), name="image")
    return keras.Model(image, L.Dense(3)(L.Flatten()(L.RandomRotation(0.5, name="turn")(image))))


def free():
    image = x = keras.Input((None, None, 3))
    for _ in range(3):
        x = L.Conv2D(4, 3, strides=2)(x)
    return keras.Model(image, L.Dense(3)(L.GlobalAveragePooling2D()(x)))
"""

TENSORFLOW = """
import numpy as np
import tensorflow as tf


def build():
    w = tf.Variable(np.random.default_rng().standard_normal((5, 4)).astype("float32"))
    return lambda x: tf.nn.relu(x @ w), (np.ones((2, 5), "float32"),)
"""


Examine = Callable[..., tuple[Study, list[int]]]


@pytest.fixture
def examine(project: Path) -> Iterator[Examine]:
    """Gives the study of an entry point, and how often each engine was started."""
    with Pool(sandbox=ProcessSandbox(), deadline=300.0) as pool:

        def run(
            entry: str, backends: tuple[str, ...], budget: float = 600.0, described: bool = True
        ) -> tuple[Study, list[int]]:
            kind = f"{'keras' if backends[0].startswith('keras') else 'tensorflow'}-entry"
            inputs = {"image": InputSpec(shape=(2, 8, 8, 3))} if described else {}
            target = TargetConfig("model", entry=entry, inputs=inputs, backends=backends)
            kinds = {kind: Artefact(kind, {"project": project}, {"entry": entry, "root": "project"})}
            (family,) = families(backends, kinds)
            done = study(family, kinds, target, pool, Thresholds(), budget=StudyBudget(budget))
            transports = [r.transport for r in pool.runners]
            return done, [t.starts for t in transports if isinstance(t, ProcessTransport)]

        yield run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(KERAS)
    (tmp_path / "graph.py").write_text(TENSORFLOW)
    return tmp_path


KERAS_BACKENDS = ("keras-tensorflow", "keras-torch")


def test_unseeded_weights_are_the_same_in_every_engine(examine: Examine) -> None:
    done, starts = examine("model.py:build", KERAS_BACKENDS)
    assert done.comparison is not None
    assert done.oracle is not None
    assert [max(r.errors) < 1e-5 for r in done.comparison.results] == [True, True]
    assert done.problems == ()
    assert starts == [1, 1, 1]


def test_only_the_faulty_layer_of_an_entry_point_is_blamed(examine: Examine) -> None:
    done, starts = examine("model.py:pooled", KERAS_BACKENDS)
    assert [(p.blame.unit.main.layer, p.backend.name) for p in done.problems] == [("average", "keras-torch")]
    assert starts == [1, 1, 1]
    assert done.oracle is not None
    (ours,) = done.oracle.replay([({"image": np.ones((2, 8, 8, 3), np.float32)}, None)])
    assert {a.dtype for a in ours.arrays.values()} == {np.dtype(np.float64)}, "the oracle's float64 is not narrowed"
    assert done.notes == ()


def test_adapted_statistics_are_the_same_in_every_precision(examine: Examine) -> None:
    """Normalization keeps constants beside its variables: those of another build, and the oracle's, are not its own."""
    done, _ = examine("model.py:normalised", ("keras-tensorflow", "keras-torch"))
    assert done.problems == ()
    assert done.comparison is not None
    assert [max(r.errors) < 1e-5 for r in done.comparison.results] == [True, True]


def test_a_subclassed_model_is_compared_as_one_layer(examine: Examine) -> None:
    done, _ = examine("model.py:subclassed", KERAS_BACKENDS)
    assert done.comparison is not None
    assert [max(r.errors) < 1e-5 for r in done.comparison.results] == [True, True]
    assert done.problems == ()
    done, _ = examine("model.py:subclassed_and_wrong", KERAS_BACKENDS)
    assert [(p.blame.unit.main.layer, p.backend.name) for p in done.problems] == [("averaging", "keras-torch")]


def test_augmentation_samples_where_nothing_says_that_this_is_no_training(examine: Examine) -> None:
    done, _ = examine("model.py:augmented", ("keras-tensorflow", "keras-tensorflow:call=plain"))
    assert done.comparison is not None
    told, plain = done.comparison.results
    assert told.nondeterministic == 0.0 < plain.nondeterministic
    assert (done.random_of(told.runner), done.random_of(plain.runner)) == ("", "turn")


def test_an_input_without_a_name_is_the_same_in_every_copy_of_the_model(examine: Examine) -> None:
    done, _ = examine("model.py:unnamed", KERAS_BACKENDS, described=False)
    found = [(p.blame.unit.main.layer, p.backend.name, p.blame.kind) for p in done.problems]
    assert found == [("average", "keras-torch", Kind.VALUE)]
    assert not [n for n in done.notes if "computed from none" in n]


def test_made_images_are_large_enough_for_every_engine(examine: Examine) -> None:
    """TensorFlow gives NaN for an image that convolutions use up, PyTorch refuses it: neither is the model's defect."""
    done, _ = examine("model.py:free", KERAS_BACKENDS, described=False)
    assert done.problems == ()
    assert done.missing == ()
    assert done.inputs is not None
    assert all(next(iter(s.feeds.values())).shape[1] >= 15 for s in done.inputs.sets)


def test_a_spent_budget_keeps_the_blame_and_says_what_was_left_out(examine: Examine) -> None:
    done, _ = examine("model.py:pooled", KERAS_BACKENDS, budget=0.0)
    assert [p.blame.unit.main.layer for p in done.problems] == ["average"]
    assert any("budget of 0 s" in note for note in done.notes)


def test_a_tensorflow_function_is_built_once(examine: Examine) -> None:
    done, starts = examine("graph.py:build", ("tensorflow", "tensorflow:mode=eager"))
    assert done.comparison is not None
    assert [max(r.errors) < 1e-5 for r in done.comparison.results] == [True, True]
    assert done.problems == ()
    assert starts == [1, 1, 1]


def test_what_follows_a_loop_of_a_saved_model_runs_without_it(project: Path) -> None:
    """Its outputs wait for all that the model did, and its loops count as stateful."""
    import keras

    model = keras.Sequential([keras.Input((4, 3)), keras.layers.LSTM(2), keras.layers.Dense(2)])
    model.export(str(project / "saved"), verbose=False)
    backends = ("tensorflow", "tensorflow:mode=eager")
    kinds = {"tensorflow": Artefact("tensorflow", {"saved": project / "saved"}, {"path": "saved"})}
    (family,) = families(backends, kinds)
    with Pool(sandbox=ProcessSandbox(), deadline=300.0) as pool:
        target = TargetConfig("model", path="saved", backends=backends)
        done = study(family, kinds, target, pool, Thresholds(), budget=StudyBudget(60.0))
    assert done.comparison is not None
    assert [r.failure for r in done.comparison.results] == [None, None]
