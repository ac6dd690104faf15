"""Keras models that `assay init` finds without a call: they know their own inputs."""

from pathlib import Path

import pytest
import yaml

from analyzer.commands import init
from analyzer.exporting.inside.entry import build

FUNCTIONS = """
from tensorflow import keras
from tensorflow.keras import layers

def small(shape=(8, 8, 1), classes=3):
    model = keras.Sequential([keras.Input(shape), layers.Flatten(), layers.Dense(classes)])
    return model

def functional():
    x = keras.Input((6,))
    return keras.Model(x, layers.Dense(2)(x))

def wrapped():
    return small((4, 4, 1))

def of_classes(classes):
    model = keras.Sequential()
    model.add(layers.Dense(classes, input_shape=(5,)))
    return model

def without_inputs():
    return keras.Sequential([layers.Dense(3)])

def downloaded():
    x = keras.Input((32, 32, 3))
    return keras.Model(x, keras.applications.MobileNetV2(weights="imagenet")(x))

def _private():
    return keras.Sequential([keras.Input((3,)), layers.Dense(3)])

if __name__ == "__main__":
    net = of_classes(7)
    net.compile("sgd", "mse")
"""

SCRIPT = """
import keras
from keras.layers import Dense, Dropout
from keras.models import Sequential

CLASSES = 4
(x, y), _ = keras.datasets.mnist.load_data()
model = Sequential()
model.add(Dense(8, input_dim=5))
model.add(Dropout(0.5))
model.add(Dense(CLASSES, activation="softmax"))
model.compile("sgd", "categorical_crossentropy")
model.fit(x, y)
model = Sequential()
"""


def look(root: Path, files: dict[str, str]) -> tuple[init.Found, str, list[str]]:
    """What `assay init` finds, the module of entry points that it would write, and the targets."""
    for name, text in files.items():
        (root / name).write_text(text)
    found = init.look(root)
    texts = init.planned(found, root)
    targets = yaml.safe_load(texts[init.CONFIGURATION]).get("targets") or []
    return found, texts.get(init.ENTRIES, ""), [t["entry"].partition(":")[2] for t in targets]


def test_functions_that_return_a_model_are_entry_points(tmp_path: Path) -> None:
    found, text, targets = look(tmp_path, {"keras_nets.py": FUNCTIONS})
    assert [call.model.name for call in found.built] == ["small", "functional", "of_classes"]
    assert targets == ["small", "functional", "of_classes"]
    (tmp_path / "entries.py").write_text(text)
    shapes = {name: build(f"entries.py:{name}", str(tmp_path)).model.inputs[0].shape for name in targets}
    assert shapes == {"small": (None, 8, 8, 1), "functional": (None, 6), "of_classes": (None, 5)}


@pytest.mark.parametrize("name", ["train.py", "README.md"])
def test_of_a_script_what_the_model_rests_on_is_kept(tmp_path: Path, name: str) -> None:
    script = SCRIPT if name.endswith(".py") else f"# A page\n\n```python\n{SCRIPT}```\n"
    found, text, targets = look(tmp_path, {name: script})
    (call,) = found.built
    assert script.splitlines()[call.line - 1] == "model = Sequential()"
    assert targets == [name.partition(".")[0].lower()]
    assert "Dropout(0.5)" in text
    assert "load_data" not in text
    assert "compile" not in text
    (tmp_path / "entries.py").write_text(text)
    made = build(f"entries.py:{targets[0]}", str(tmp_path))
    assert [type(layer).__name__ for layer in made.model.layers] == ["Dense", "Dropout", "Dense"]
    assert made.model.output_shape == (None, 4)


def test_a_file_that_trains_when_it_is_imported_is_not_imported(tmp_path: Path) -> None:
    found, text, _ = look(tmp_path, {"keras_train.py": FUNCTIONS.replace('if __name__ == "__main__":', "if True:")
                                     + "\nfunctional().fit([1], [2])\n"})  # fmt: skip
    assert found.built == ()
    assert text == ""


def test_torch_and_names_that_only_look_alike_are_left_alone(tmp_path: Path) -> None:
    text = "from torch.nn import Sequential, Linear\n\ndef net(shape=(3,)):\n    return Sequential(Linear(3, 4))\n"
    assert look(tmp_path, {"net.py": text})[0].built == ()


OWN_LOSS = """
import keras
from keras import layers, ops

def of_classes(classes):
    return keras.Sequential([keras.Input((6,)), layers.Dense(classes, activation="softmax")])

def entropy(target, given):
    return -ops.sum(target * ops.log(given), axis=-1)

class Scaled:
    def __init__(self, by):
        self.by = by

    def __call__(self, target, given):
        return self.by * entropy(target, given)

def of_labels(target, given):
    return -ops.log(ops.take_along_axis(given, target[:, None], 1))[:, 0]

def compiled(width=4):
    net = keras.Sequential([keras.Input((6,)), layers.Dense(width)])
    net.compile("sgd", loss=entropy)
    return net

if __name__ == "__main__":
    model = of_classes(3)
    weight = 2.0
    model.compile("adam", LOSS, metrics=["accuracy"])
    model.fit(*data())
"""


@pytest.mark.parametrize(
    ("loss", "told", "target"),
    [
        ("entropy", "entropy(*pair)", (None, 3)),
        ("Scaled(weight)", "Scaled(weight)(*pair)", (None, 3)),
        ("lambda y, p: entropy(y, p)", "(lambda y, p: entropy(y, p))(*pair)", (None, 3)),
        ("of_labels", "of_labels(*pair)", (None,)),
    ],
)
def test_a_loss_of_the_project_is_an_entry_point(
    tmp_path: Path, loss: str, told: str, target: tuple[int | None, ...]
) -> None:
    found, text, targets = look(tmp_path, {f"own_loss_{len(loss)}.py": OWN_LOSS.replace("LOSS", loss)})
    assert targets == ["compiled", "of_classes", "compiled_loss", "of_classes_loss"]
    lines = [OWN_LOSS.splitlines()[call.line - 1] for call in found.losses]
    assert lines == ['    net.compile("sgd", loss=entropy)', '    model.compile("adam", LOSS, metrics=["accuracy"])']
    assert told in text
    (tmp_path / "entries.py").write_text(text)
    made = build("entries.py:of_classes_loss", str(tmp_path))
    assert [tuple(given.shape) for given in made.model.inputs] == [(None, 6), target]
    assert made.model.output_shape == (None,)


@pytest.mark.parametrize("loss", ["'mse'", "keras.losses.MeanSquaredError()", "missing.loss", "[entropy, entropy]"])
def test_a_loss_of_keras_is_none_and_what_cannot_be_followed_neither(tmp_path: Path, loss: str) -> None:
    found, _, targets = look(tmp_path, {f"keras_loss_{len(loss)}.py": OWN_LOSS.replace("LOSS", loss)})
    assert targets == ["compiled", "of_classes", "compiled_loss"]
    assert len(found.losses) == 1


SETTINGS = {
    "argparse": """
import argparse
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=7)
    options = parser.parse_args()
    model = of_classes(options.width)
""",
    "absl": """
from absl import app, flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("width", 7, "how wide")
def main(_):
    model = of_classes(FLAGS.width)
""",
    "click": """
import click
@click.command()
@click.option("--width", "-w", default=7)
@click.option("--deep", is_flag=True)
def main(width, deep):
    model = of_classes(width if not deep else 3)
""",
    "default": """
def main(width: int = 7, *, deep: bool = False):
    model = of_classes(width)
""",
}


@pytest.mark.parametrize("way", SETTINGS)
def test_settings_are_at_their_defaults(tmp_path: Path, way: str) -> None:
    files = {f"made_{way}.py": FUNCTIONS.replace("def _private", "def private"), f"train_{way}.py": SETTINGS[way]}
    files[f"train_{way}.py"] = f"from made_{way} import of_classes\n{SETTINGS[way]}"
    _, text, targets = look(tmp_path, {name: text.split("if __name__")[0] for name, text in files.items()})
    (tmp_path / "entries.py").write_text(text)
    assert "of_classes" in targets
    assert build("entries.py:of_classes", str(tmp_path)).model.output_shape == (None, 7)
