"""What a function of the program changes, and an object of a library sets, is not known once a library may call it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tracing.proofs import proved

HEAD = """
import foreign, keras, torch
import numpy as np
from keras import layers
from scipy import optimize
"""


CALLED = {
    "a search's function": "optimize.minimize(step, 2.0)",
    "one that is told of each step of a search": "optimize.minimize(lambda x: x**2, 2.0, callback=step)",
    "a function on rows": "np.apply_along_axis(step, 0, np.zeros((2, 3)))",
    "a function on elements": "np.vectorize(step)(np.zeros(3))",
    "an unknown library": "foreign.run(step)",
    "a callback": "keras.callbacks.LambdaCallback(on_epoch_end=step)",
}


@pytest.mark.parametrize("called", CALLED.values(), ids=CALLED)
@pytest.mark.parametrize("there", [True, False], ids=["given", "not given"])
def test_a_function_that_a_library_calls(called: str, there: bool, tmp_path: Path) -> None:
    program = f"""
    def train():
        count, rows = 1, [0]
        def step(*rest):
            nonlocal count
            count += 1
            rows.append(0)
            return 1.0
        {called if there else "pass"}
        if count == 1:
            fails()
    train()
    """
    assert bool(proved(tmp_path, program, HEAD)) is not there


@pytest.mark.parametrize("given", ["self.step", "len"])
def test_a_method_that_a_library_calls(given: str, tmp_path: Path) -> None:
    program = f"""
    class Trainer:
        def __init__(self):
            self.count = 0
        def step(self, x):
            self.count += 1
        def run(self):
            foreign.run({given})
            if self.count == 0:
                fails()
    Trainer().run()
    """
    assert bool(proved(tmp_path, program, HEAD)) is (given == "len")


@pytest.mark.parametrize("told", ["model.summary(print_fn=lines.append)", "model.summary(print_fn=keep)", "pass"])
def test_lines_of_a_summary(told: str, tmp_path: Path) -> None:
    program = f"""
    def show():
        model = keras.Sequential([keras.Input((2,)), layers.Dense(4)])
        lines = []
        def keep(line):
            lines.append(line)
        {told}
        if "(None, 4)" not in "".join(lines):
            fails()
    show()
    """
    assert bool(proved(tmp_path, program, HEAD)) is (told == "pass")


@pytest.mark.parametrize("called", ["stopper.on_train_begin()", "model.fit(x, y, callbacks=[stopper])", "pass"])
def test_what_is_set_on_a_callback(called: str, tmp_path: Path) -> None:
    program = f"""
    def train():
        stopper = keras.callbacks.EarlyStopping(patience=3)
        stopper.best = 0.1
        model = keras.Sequential([keras.Input((3,)), layers.Dense(1)])
        model.compile("sgd", "mse")
        x, y = np.ones((4, 3)), np.ones((4, 1))
        {called}
        if stopper.best == 0.1:
            fails()
    train()
    """
    assert bool(proved(tmp_path, program, HEAD)) is (called == "pass")


def test_what_methods_of_an_optimizer_give(tmp_path: Path) -> None:
    program = """
    def scaled():
        optimizer = keras.optimizers.SGD(1.0, loss_scale_factor=1024.0)
        if optimizer.scale_loss(1.0) is None:
            fails()
    scaled()
    """
    assert not proved(tmp_path, program, HEAD)


@pytest.mark.parametrize("made", ["np.asarray(rows)", "np.zeros(3)"])
def test_what_an_object_sets_as_it_gives_its_array(made: str, tmp_path: Path) -> None:
    program = f"""
    class Rows:
        def __init__(self):
            self.asked = 0
        def __array__(self, dtype=None, copy=None):
            self.asked += 1
            return np.zeros(3)
    def read():
        rows = Rows()
        {made}
        if rows.asked == 0:
            fails()
    read()
    """
    assert bool(proved(tmp_path, program, HEAD)) is (made == "np.zeros(3)")
