"""Keras layers that step others through time: what they give, with their states; healthy models stay silent."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.layers import LSTM, RNN, Bidirectional, Concatenate, Dot, Embedding, Input, LSTMCell

class Cell(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units
        self.state_size = units

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.units), name="k")
        self.again = self.add_weight(shape=(self.units, self.units), name="r")

    def call(self, x, states):
        out = tf.tanh(tf.matmul(x, self.kernel) + tf.matmul(states[0], self.again))
        return out, [out]

class Pair(keras.layers.Layer):
    state_size = [4, 4]
    output_size = 8

    def call(self, x, states):
        return tf.concat(states, -1), [states[0] + tf.reduce_mean(x), states[1]]

    def get_initial_state(self, batch_size=None):
        return [tf.zeros((batch_size, 4)), tf.ones((batch_size, WIDTH))]

class Wrapped(keras.layers.Wrapper):
    def __init__(self, layer, **kwargs):
        super().__init__(layer, **kwargs)

    def build(self, shape):
        self.layer.build(shape)
        self.w = self.layer.kernel

    def call(self, inputs):
        return self.layer(inputs)

WIDTH = 4
x = tf.ones((2, 9, 5))
"""
PROGRAMS = [
    ("RNN(Cell(8), return_sequences=True)(x) + tf.zeros({})", "(2, 9, 8)", "(2, 9, 5)"),
    ("RNN(Cell(8))(x) + tf.zeros({})", "(2, 8)", "(9, 8)"),
    ("RNN([LSTMCell(8), Cell(6)])(x) + tf.zeros({})", "(2, 6)", "(2, 8)"),
    (
        "out, h, c, bh, bc = Bidirectional(LSTM(7, return_sequences=True, return_state=True))(x)\n"
        "LSTM(14)(out, initial_state=[Concatenate()([h, bh]), Concatenate()([c, bc])]) + tf.zeros({})",
        "(2, 14)",
        "(2, 7)",
    ),
    ("RNN(Cell(8), return_state=True)(x)[1] + tf.zeros({})", "(2, 8)", "(9, 8)"),
    ("RNN(Cell(8))(x, initial_state=tf.zeros({}))", "(2, 8)", "(2, 9)"),
    ("keras.layers.GRU(6)(x, initial_state=tf.zeros({}))", "(2, 6)", "(2, 7)"),
    ("LSTM(6)(x, initial_state=[tf.zeros((2, 6)), tf.zeros({})])", "(2, 6)", "(2, 7)"),
    ("RNN(keras.layers.StackedRNNCells([LSTMCell(8), Cell(6)]))(x) + tf.zeros({})", "(2, 6)", "(2, 8)"),
    ("WIDTH = {}\nout, h, c = RNN(Pair(), return_state=True)(x)\nout + tf.zeros((2, 8))", "4", "5"),
    ("Wrapped(keras.layers.Dense(7))(x) + tf.zeros({})", "(2, 9, 7)", "(2, 9, 5)"),
    ("keras.layers.RandomFlip('horizontal')(tf.ones((2, 8, 8, 3))) + tf.zeros({})", "3", "4"),
    ("keras.layers.RandomZoom(0.1)(keras.layers.RandomRotation(0.1)(tf.ones((2, 8, 6, 3)))) + tf.zeros({})", "3", "6"),
    ("K.arange(0.0, 16, 2.0) + tf.zeros({})", "8", "16"),
    ("n = K.shape(x)[1]\nK.arange(n - 1, -1, -1, dtype='float32') + tf.zeros({})", "9", "8"),
]


def told(tmp_path: Path, text: str) -> list[str]:
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    return [p.message for p in problems if p.level != "note"]


@pytest.mark.parametrize(("program", "right", "wrong"), PROGRAMS)
def test_what_it_gives_is_known(tmp_path: Path, program: str, right: str, wrong: str) -> None:
    for size, fails in ((right, False), (wrong, True)):
        text = HEAD + program.format(size)
        if fails:
            with pytest.raises(Exception):  # noqa: B017 - of whatever class the framework raises
                exec(text, {"__name__": "program"})
        else:
            exec(text, {"__name__": "program"})
        assert bool(told(tmp_path, text)) is fails


def test_a_size_that_was_lost_in_a_model_does_not_bind_the_batch_of_another_input(tmp_path: Path) -> None:
    text = (
        "import somelib\nimport tensorflow as tf\nfrom tensorflow import keras\n"
        "inp, other = keras.Input((None, 5)), keras.Input((4,))\n"
        "x = keras.layers.Conv1D(6, 3)(somelib.layer(inp))\nx = keras.layers.GlobalMaxPooling1D()(x)\n"
        "m = keras.Model([inp, other], tf.einsum('bi,bj->bij', x, other))\n"
        "m([tf.zeros((2, 9, 5)), tf.zeros((2, 4))])\n"
    )
    assert told(tmp_path, text) == []
