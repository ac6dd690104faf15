"""A Keras model against the TensorFlow Lite files that were made from it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from analyzer.configuration.config import DriftBudget, TargetConfig
from analyzer.differential.drift import Drift
from analyzer.differential.drift_review import review_drift
from analyzer.differential.pool import Pool
from analyzer.findings import AnalysisResult, Level
from analyzer.loading.reading import load

Compare = Callable[..., tuple[Drift, AnalysisResult, Path]]

MAKE = """
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(3)
layers = keras.layers
model = keras.Sequential([
    layers.Input((12, 12, 1), name="image"), layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(),
    layers.Flatten(), layers.Dense(5, activation="softmax"),
])
model.save("model.keras")
lite = tf.lite.TFLiteConverter


def written(name, converter):
    with open(name, "wb") as file:
        file.write(converter.convert())


written("model.tflite", lite.from_keras_model(model))

half = lite.from_keras_model(model)
half.optimizations, half.target_spec.supported_types = [tf.lite.Optimize.DEFAULT], [tf.float16]
written("half.tflite", half)

whole = lite.from_keras_model(model)
whole.optimizations = [tf.lite.Optimize.DEFAULT]
draw = np.random.default_rng(0)
whole.representative_dataset = lambda: ([draw.random((1, 12, 12, 1), np.float32)] for _ in range(20))
whole.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
whole.inference_input_type = whole.inference_output_type = tf.int8
written("int8.tflite", whole)

one = keras.Sequential([layers.Input(batch_shape=(1, 12, 12, 1)), *model.layers])
written("one.tflite", lite.from_keras_model(one))

model.layers[0].bias.assign([3.0, -2.0, 1.0, 0.0])
written("other.tflite", lite.from_keras_model(model))

acting = tf.function(lambda name: tf.io.read_file(name), input_signature=[tf.TensorSpec((), tf.string)])
flex = lite.from_concrete_functions([acting.get_concrete_function()])
flex.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
written("acting.tflite", flex)

first, second = layers.Input((4,), name="width"), layers.Input((4,), name="height")
made = layers.Dense(3, name="sum")(first) - 2.0 * second[:, :3]
two = keras.Model([first, second], [made, layers.Dense(2, name="more")(made)])
two.save("two.keras")
written("two.tflite", lite.from_keras_model(two))
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lite")
    done = subprocess.run([sys.executable, "-c", MAKE], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def compare(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compare]:
    """Both models by their files' names, on workers that stay."""
    with Pool() as pool:

        def run(head: str, base: str, budget: float | None = None) -> tuple[Drift, AnalysisResult, Path]:
            files = [models / head, models / base]
            first, second = (file if file.suffix == ".tflite" else load(file) for file in files)
            output = tmp_path_factory.mktemp("out")
            target = TargetConfig(head, path=head)
            return *review_drift(first, second, target, DriftBudget(mad=budget), output, pool=pool), output

        yield run


@pytest.mark.parametrize(
    ("head", "base"),
    [
        ("model.keras", "model.tflite"),
        ("model.tflite", "model.keras"),
        ("one.tflite", "model.keras"),
        ("model.tflite", "one.tflite"),
        ("two.tflite", "two.keras"),
    ],
)
def test_a_conversion_computes_what_the_model_computes(head: str, base: str, compare: Compare) -> None:
    """Also where the file takes one instance at a time, and where there are several inputs and outputs."""
    done, result, _ = compare(head, base)
    assert not done.why
    assert (done.moved, done.instances) == (False, 64)
    assert "the outputs are equal within rounding" in result.notes[0]


def test_half_precision_stays_within_a_budget_that_bytes_exceed(compare: Compare) -> None:
    done, result, _ = compare("half.tflite", "model.keras", 0.005)
    assert done.moved
    assert not result.findings
    assert result.backends[0].endswith("TensorFlow Lite hands out no layers, so none is named.")
    for base, needs in (("model.keras", "onnxruntime, tensorflow"), ("model.tflite", "tensorflow")):
        _, result, output = compare("int8.tflite", base, 0.005)
        (finding,) = result.findings
        assert (finding.rule, finding.level) == ("differential/drift", Level.ERROR)
        assert finding.reproducer is not None
        script = output / finding.reproducer
        assert f"Needs: numpy, {needs}." in script.read_text()
        done_again = subprocess.run([sys.executable, script.name], cwd=script.parent, capture_output=True, check=False)
        assert done_again.returncode == 1


def test_another_model_is_no_conversion(compare: Compare) -> None:
    assert compare("other.tflite", "model.keras")[0].moved
    assert "it has 2 inputs and the other model 1" in compare("two.tflite", "model.keras")[0].why


def test_operators_of_tensorflow_are_not_run(compare: Compare) -> None:
    assert "it has operators of other libraries (FlexReadFile)" in compare("acting.tflite", "acting.tflite")[0].why


def test_the_command_compares_and_says_what_to_do_with_a_file_alone(models: Path) -> None:
    def assay(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "analyzer.commands.cli", *words]
        done = subprocess.run(command, cwd=models, capture_output=True, text=True, check=False)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    assert assay("diff", "model.keras", "--against", "model.tflite")[0] == 0
    for command in ("diff", "check"):
        code, said = assay(command, "model.tflite")
        assert code not in (0, 1)
        assert "TensorFlow Lite model, which is only compared with the one that it was made from" in said
        assert "assay diff MODEL.keras --against MODEL.tflite" in said
