"""What Keras models are given and give as arrays: batches, predictions, own losses and metrics, windows of rows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import numpy as np
import tensorflow as tf
import keras
from keras import layers, ops

class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.d = layers.Dense(3)

    def call(self, x):
        return self.d(x)

class OwnLoss(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return ops.mean(ops.square(y_true - y_pred) * ops.ones((N,)), axis=-1)

class OwnMetric(keras.metrics.Metric):
    def __init__(self, name="own"):
        super().__init__(name=name)
        self.table = self.add_weight(shape=(N, 3), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.table.assign_add(ops.matmul(ops.transpose(y_true), y_pred))

    def result(self):
        return ops.sum(self.table)

class Halves(keras.Model):
    def train_step(self, data):
        x, y = data
        loss = tf.reduce_mean(tf.reduce_sum(x, axis=AXIS) + tf.reduce_sum(y, axis=-1))
        return {"loss": loss}

def own_loss(y_true, y_pred):
    return ops.mean(ops.square(y_true - y_pred) * ops.ones((N,)), axis=-1)

def dense():
    return keras.Sequential([keras.Input((4,)), layers.Dense(3)])

def two():
    a, b = keras.Input((4,)), keras.Input((5,))
    return keras.Model([a, b], [layers.Dense(3)(a), layers.Concatenate()([a, b])])

def fitted(model, x, y, **compiled):
    model.compile(optimizer="sgd", **compiled)
    model.fit(x, y, verbose=0)
    model.evaluate(x, y, verbose=0)

x, y = np.zeros((8, 4)), np.zeros((8, 3))
"""
PROGRAMS = [
    ("assert dense().predict(np.zeros((N, 4)), verbose=0).shape == (40, 3)", "40", "41"),
    ("p, q = two().predict([np.zeros((6, 4)), np.zeros((6, 5))], verbose=0)\nassert q.shape == (6, N)", "9", "8"),
    ("two().predict([np.zeros((6, 4)), np.zeros((N, 5))], verbose=0)", "6", "7"),
    ("assert Own().predict(x, verbose=0).shape == (8, N)", "3", "4"),
    ("fitted(dense(), x, y, loss=own_loss)", "3", "7"),
    ("fitted(Own(), x, y, loss=own_loss)", "3", "7"),
    ("fitted(dense(), x, y, loss=OwnLoss())", "3", "7"),
    ("fitted(dense(), x, y, loss='mse', metrics=['mae', own_loss])", "3", "7"),
    ("fitted(dense(), x, y, loss='mse', metrics=[OwnMetric()])", "3", "4"),
    ("fitted(two(), [x, np.zeros((8, 5))], [y, np.zeros((8, N))], loss=['mse', 'mse'])", "9", "8"),
    (
        "m = dense()\nm.compile('sgd', loss=own_loss)\n"
        "m.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(2), epochs=1, verbose=0)",
        "3", "7",
    ),
    (
        "d = keras.utils.timeseries_dataset_from_array(np.zeros((30, 2)), None, 6, batch_size=4)\n"
        "for w in d.take(1):\n    assert w.shape == (4, N, 2)",
        "6", "5",
    ),
    (
        "d = tf.data.Dataset.range(20).window(5, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(5))\n"
        "for w in d.take(1):\n    assert w.shape == (N,)",
        "5", "4",
    ),
    (
        "d = tf.data.Dataset.from_tensor_slices(np.zeros((6, 4, 3))).padded_batch(2)\n"
        "for w in d.take(1):\n    tf.transpose(w, [0, 1, N])",
        "2", "3",
    ),
    (
        "m = Halves()\nm.compile()\nAXIS = N\nm.fit(x, np.zeros((8, 3)), batch_size=4, verbose=0)",
        "1", "2",
    ),
    ("assert tf.repeat(tf.zeros((4, 3)), tf.constant([1, 2, 0, 1]), axis=0).shape[1] == N", "3", "4"),
]  # fmt: skip


def told(tmp_path: Path, text: str) -> list[str]:
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    return [p.message for p in problems if p.level != "note"]


@pytest.mark.parametrize(("program", "right", "wrong"), PROGRAMS)
def test_what_fails_is_told_and_what_runs_is_left_in_peace(
    tmp_path: Path, program: str, right: str, wrong: str
) -> None:
    for number, fails in ((right, False), (wrong, True)):
        text = f"N = {number}\n{HEAD}\n{program}\n"
        if fails:
            with pytest.raises(Exception):  # noqa: B017 - of whatever class the framework raises
                exec(text, {"__name__": "program"})
        else:
            exec(text, {"__name__": "program"})
        assert bool(told(tmp_path, text)) is fails


SILENT = [
    # a compiled step does not see how many examples the batch has
    "class Asked(keras.Model):\n    def call(self, x):\n"
    "        return ops.matmul(x, ops.ones((9, 9))) if x.shape[0] == 20 else x\n"
    "m = Asked()\nm(np.zeros((2, 3)))\nm.compile('sgd', 'mse')\n"
    "m.fit(np.zeros((50, 3)), np.zeros((50, 3)), batch_size=20, verbose=0)\n",
    # what a data set's batches give is as long as all of them together
    "d = tf.data.Dataset.from_tensor_slices(np.zeros((10, 4))).batch(4, drop_remainder=True)\n"
    "assert dense().predict(d, verbose=0).shape == (8, 3)\n",
    # the loss takes targets of one dimension for outputs of two, the last of them one
    "def squeezed(t, p):\n    return ops.mean(ops.square(t - p) * ops.ones((8, 1)), axis=-1)\n"
    "fitted(keras.Sequential([keras.Input((4,)), layers.Dense(1)]), x, np.zeros(8), loss=squeezed)\n",
]


@pytest.mark.parametrize("program", SILENT)
def test_no_failure_of_what_runs_is_proved(tmp_path: Path, program: str) -> None:
    text = f"N = 3\n{HEAD}\n{program}"
    exec(text, {"__name__": "program"})
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert [p.message for p in problems if p.level == "error" and p.proved] == []
