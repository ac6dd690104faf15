"""What a training loop of a library calls, it calls any number of times: what that counts is not known afterwards."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

KERAS = """
import keras, numpy as np, torch
from keras import layers
class Counting(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.epochs, self.n, self.width = [], 0, 3
    def on_epoch_end(self, epoch, logs=None):
        self.epochs.append(epoch)
        self.n += 1
class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.d, self.seen, self.width = layers.Dense(1), 0, 3
    def call(self, x):
        return self.d(x)
    def train_step(self, data):
        self.seen += 1
        return super().train_step(data)
def fitted():
    counting = Counting()
    m = keras.Sequential([keras.Input((3,)), layers.Dense(1)])
    m.compile("sgd", "mse")
    m.fit(np.ones((4, 3)), np.ones((4, 1)), epochs=3, verbose=0, callbacks=[counting])
    return counting
def stepped():
    m = Net()
    m.compile("sgd", "mse")
    m.fit(np.ones((4, 3)), np.ones((4, 1)), epochs=3, verbose=0)
    return m
"""
LIGHTNING = """
import pytorch_lightning as pl, torch
from torch import nn
from torch.utils.data import DataLoader
class Counting(pl.Callback):
    def __init__(self):
        self.n, self.width = 0, 3
    def on_train_batch_end(self, trainer, module, *rest):
        self.n += 1
class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.d, self.seen, self.width = nn.Linear(3, 1), 0, 3
    def training_step(self, batch, index):
        self.seen += 1
        return self.d(batch).mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
def fitted():
    counting = Counting()
    trainer = pl.Trainer(max_epochs=2, callbacks=[counting])
    trainer.fit(Net(), DataLoader(torch.zeros(8, 3), batch_size=4))
    return counting
def stepped():
    m = Net()
    pl.Trainer(max_epochs=2).fit(m, DataLoader(torch.zeros(8, 3), batch_size=4))
    return m
"""


def _proved(tmp_path: Path, head: str, test: str) -> bool:
    text = f"{head}\nif {test}:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    problems = explore(tmp_path, "net.py", ast.parse(dedent(text)), Versions()).problems.values()
    return any(p.proved for p in problems if p.level == "error")


@pytest.mark.parametrize(
    ("head", "test"),
    [
        (KERAS, "fitted().epochs != [0, 1, 2]"), (KERAS, "fitted().n != 3"), (KERAS, "stepped().seen != 3"),
        (LIGHTNING, "fitted().n != 4"), (LIGHTNING, "stepped().seen != 4"),
    ],
)  # fmt: skip
def test_what_is_counted_is_not_known(tmp_path: Path, head: str, test: str) -> None:
    assert not _proved(tmp_path, head, test)


@pytest.mark.parametrize(
    ("head", "test"),
    [(KERAS, "fitted().width == 3"), (KERAS, "stepped().width == 3"), (LIGHTNING, "stepped().width == 3")],
)
def test_what_nothing_changes_is_known(tmp_path: Path, head: str, test: str) -> None:
    assert _proved(tmp_path, head, test)
