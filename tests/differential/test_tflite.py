"""A Keras model against the TensorFlow Lite files that were made from it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from analyzer.configuration.config import DriftBudget, TargetConfig
from analyzer.differential.drift import Drift, _layers, sentence
from analyzer.differential.drift_review import review_drift
from analyzer.differential.inputs import Inputs, InputSet
from analyzer.differential.pool import Pool
from analyzer.differential.worker.tflite_layers import LayerOutput, Made, matched
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



def in_bytes(name):
    whole = lite.from_keras_model(model)
    whole.optimizations = [tf.lite.Optimize.DEFAULT]
    draw = np.random.default_rng(0)
    whole.representative_dataset = lambda: ([draw.random((1, 12, 12, 1), np.float32)] for _ in range(20))
    whole.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    whole.inference_input_type = whole.inference_output_type = tf.int8
    written(name, whole)


in_bytes("int8.tflite")

one = keras.Sequential([layers.Input(batch_shape=(1, 12, 12, 1)), *model.layers])
written("one.tflite", lite.from_keras_model(one))

model.layers[0].bias.assign([3.0, -2.0, 1.0, 0.0])
written("other.tflite", lite.from_keras_model(model))
in_bytes("other8.tflite")

acting = tf.function(lambda name: tf.io.read_file(name), input_signature=[tf.TensorSpec((), tf.string)])
flex = lite.from_concrete_functions([acting.get_concrete_function()])
flex.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
written("acting.tflite", flex)

first, second = layers.Input((4,), name="width"), layers.Input((4,), name="height")
made = layers.Dense(3, name="sum")(first) - 2.0 * second[:, :3]
two = keras.Model([first, second], [made, layers.Dense(2, name="more")(made)])
two.save("two.keras")
written("two.tflite", lite.from_keras_model(two))

image = layers.Input((8, 8, 2))
x = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(image)))
x = layers.Add()([x, layers.Conv2D(4, 3, padding="same", activation="swish")(x)])
x = keras.Sequential([layers.Input((8, 8, 4)), layers.Conv2D(3, 1), layers.LeakyReLU()], name="block")(x)
x = layers.Dense(6)(layers.LayerNormalization()(layers.GlobalAveragePooling2D()(x)))
net = keras.Model(image, layers.Dense(5)(layers.Dropout(0.5)(x)))
net.save("net.keras")
for place in ("conv2d_2", "block/conv2d_3", "dense_2"):
    kernel = net.get_layer("block").layers[0].kernel if "/" in place else net.get_layer(place).kernel
    kept = np.array(kernel)
    kernel.assign(kept[::-1, ..., ::-1])
    written(place.rpartition("/")[2] + ".tflite", lite.from_keras_model(net))
    kernel.assign(kept)
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

        def run(
            head: str, base: str, budget: float | None = None, given: Inputs | None = None
        ) -> tuple[Drift, AnalysisResult, Path]:
            files = [models / head, models / base]
            first, second = (file if file.suffix == ".tflite" else load(file) for file in files)
            output = tmp_path_factory.mktemp("out")
            target = TargetConfig(head, path=head)
            make = (lambda _: given) if given is not None else None
            return *review_drift(first, second, target, DriftBudget(mad=budget), output, make, pool), output

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
    for base, needs in (("model.keras", "onnxruntime, tensorflow"), ("model.tflite", "tensorflow")):
        _, result, output = compare("int8.tflite", base, 0.005)
        (finding,) = result.findings
        assert (finding.rule, finding.level) == ("differential/drift", Level.ERROR)
        assert finding.reproducer is not None
        script = output / finding.reproducer
        assert f"Needs: numpy, {needs}." in script.read_text()
        done_again = subprocess.run([sys.executable, script.name], cwd=script.parent, capture_output=True, check=False)
        assert done_again.returncode == 1


@pytest.mark.parametrize(
    ("head", "responsible"),
    [
        ("other.tflite", "conv2d"),
        ("conv2d_2.tflite", "conv2d_2"),
        ("conv2d_3.tflite", "block/conv2d_3"),
        ("dense_2.tflite", "dense_2"),
    ],
)
def test_the_changed_layer_is_named_and_no_other(head: str, responsible: str, compare: Compare) -> None:
    """Layers of the same kind, in a nested model and behind fused ones; either model may be the base."""
    model = "model.keras" if head == "other.tflite" else "net.keras"
    for first, second in ((head, model), (model, head)):
        done, result, _ = compare(first, second)
        assert [b.unit.main.layer for b in done.blames] == [responsible]
        (chart,) = result.maps
        assert [n.label for n in chart.nodes if (n.replayed or 0) > 0.01] == [responsible]
        assert sum((n.deviation or 0) > 0 for n in chart.nodes) > 1
        assert f"brought in by `{responsible}`" in sentence(done)
    if model == "net.keras":
        assert done.found is not None
        named = [_layers(unit) for unit in done.found.units]
        assert named[:2] == ["`conv2d_1` with `batch_normalization`, `re_lu`", "`conv2d_2`"]


def test_of_bytes_a_layer_is_named_by_what_it_adds(compare: Compare) -> None:
    """Not by what its input has lost already: of the layers with the weights of the model all add little."""
    given = Inputs(
        (InputSet("given", {"image": np.random.default_rng(1).random((16, 12, 12, 1), np.float32)}),), (), False
    )
    same, other = (compare(head, "model.keras", None, given)[0] for head in ("int8.tflite", "other8.tflite"))
    for done in (same, other):
        assert done.found is not None
        alone = {u.main.layer: done.found.errors["tflite:threads=1"][u.id] for u in done.found.units}
        assert alone["max_pooling2d"] == alone["flatten"] == 0.0
        assert 0 < alone["dense"] < 0.02
        assert (alone["conv2d"] > 0.5) == (done is other)
    assert other.blames[0].unit.main.layer == "conv2d"


def test_models_whose_tensors_have_no_names_in_common_get_no_layer_named(compare: Compare) -> None:
    done, result, _ = compare("one.tflite", "other.tflite")
    assert done.moved
    assert result.backends[0].endswith("no tensor inside of the two could be matched, so no layer is named.")


NAMES = ("net/dense/Relu;net/dense/MatMul", "net/dense_1/MatMul", "net/block/dense/MatMul", "net/dense_1/moments/mean")


@pytest.mark.parametrize("numbers", [("", "", ""), ("_1", "_2", "_1")])
def test_scopes_are_layers_with_a_number_or_without(numbers: tuple[str, str, str]) -> None:
    first, second, third = numbers
    scopes = {
        "block/dense": f"block{third}/dense{third}",
        "dense_1": f"dense_1{second}",
        "net/dense/": f"net/dense{first}/",
    }
    names = []
    for name in NAMES:
        scope = next(s for s in scopes if s in name)
        names.append(name.replace(scope, scopes[scope]))
    made = [Made(i, name, [None, 4], (i + 1,)) for i, name in enumerate(names)]
    layers = [LayerOutput(layer, f"{layer}:0", [None, 4]) for layer in ("dense", "dense_1", "block/dense")]
    assert {i: each.layer for i, each in matched(made, layers).items()} == {0: "dense", 3: "dense_1", 2: "block/dense"}
    narrow = [LayerOutput(each.layer, each.tensor, [None, 5]) for each in layers]
    assert not matched(made, narrow)


def test_another_model_is_no_conversion(compare: Compare) -> None:
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
