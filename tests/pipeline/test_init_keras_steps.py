"""`assay init` of Keras models with a training step of their own: its losses become an entry point."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analyzer.commands.init import configuration, look, planned
from analyzer.exporting.inside.entry import build

tf = pytest.importorskip("tensorflow")

HEAD = """
import keras
import tensorflow as tf
from keras import layers, ops

def core(inputs=6, results=3):
    return keras.Sequential([keras.Input((inputs,)), layers.Dense(results, activation="softmax")])
"""
UPDATE = """
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        return {"loss": loss}
"""
STEPS = {
    "of a part": (
        """
class Net(keras.Model):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = -ops.mean(ops.log(self.body(data)))
""",
        "Net(core())",
        [(2, 6)],
    ),
    "of labels": (
        """
class Net(keras.Model):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def train_step(self, data):
        x, y = data
        noisy = x + 0.1
        with tf.GradientTape() as tape:
            loss = -ops.mean(ops.sum(y * ops.log(self.body(noisy, training=True)), axis=-1))
""",
        "Net(core(4, 5))",
        [(2, 4), (2, 5)],
    ),
    "of the model itself": (
        """
class Net(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = -ops.mean(ops.log(ops.take_along_axis(self(x), y[:, None], 1)))
""",
        "Net(body.inputs, body.outputs)",
        [(2, 6), (2,)],
    ),
    "with a penalty": (
        """
class Net(keras.Model):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def train_step(self, data):
        with tf.GradientTape() as tape:
            both = ops.concatenate([data, data], axis=0)
            with tf.GradientTape() as inner:
                inner.watch(data)
                given = self.body(data)
            slope = inner.gradient(given, [data])[0]
            loss = ops.mean(self.body(both)) + ops.mean(ops.square(ops.sqrt(ops.sum(slope**2, axis=1)) - 1))
""",
        "Net(core())",
        [(2, 6)],
    ),
}


@pytest.mark.parametrize("kind", STEPS)
def test_the_losses_of_a_step_are_an_entry_point(tmp_path: Path, kind: str) -> None:
    step, made, shapes = STEPS[kind]
    name = f"step_{list(STEPS).index(kind)}"
    lines = ("if __name__ == '__main__':", "body = core()", f"net = {made}", "net.compile('sgd')", "net.fit(data())")
    script = "\n" + "\n    ".join(lines) + "\n"
    (tmp_path / f"{name}.py").write_text(HEAD + step + UPDATE + script)
    found = look(tmp_path)
    (call,) = found.losses
    assert (tmp_path / f"{name}.py").read_text().splitlines()[call.model.line - 1].strip().startswith("def train_step")
    assert f"entry: assay_models.py:{call.name}  #" in configuration(found, requirements=False)
    (tmp_path / "entries.py").write_text(planned(found, tmp_path)["assay_models.py"])
    entry = build(f"entries.py:{call.name}", str(tmp_path))
    assert [np.shape(value) for value in entry.inputs] == shapes
    (loss,) = tf.function(entry.model)(*map(tf.constant, entry.inputs))
    assert loss.shape == ()


def test_what_compile_gives_is_no_loss_of_the_step(tmp_path: Path) -> None:
    step, made, _ = STEPS["of labels"]
    text = step.replace("loss = ", "loss = self.compute_loss(x, y, self.body(x)); other = ")
    (tmp_path / "net.py").write_text(f"{HEAD}{text}{UPDATE}\nif __name__ == '__main__':\n    net = {made}\n")
    assert look(tmp_path).losses == ()
