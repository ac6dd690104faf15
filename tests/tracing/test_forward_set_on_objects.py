"""A call of a module asks the object for its `forward` (`call` in Keras), on which a program may have set another."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

TORCH = """
import types
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, wide=False):
        super().__init__()
        self.layer = nn.Linear(3, 4)
        if wide:
            self.forward = self.widened

    def forward(self, x, mask=None):
        return self.layer(x)

    def widened(self, x, other):
        return self.layer(x[..., :3])

class Given(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function

class Own(nn.Linear):
    pass

def first(self, x, other):
    return x[..., :3]

"""
SILENT = (
    "Net(wide=True)(torch.zeros(2, 7), other=1)",
    "net = Net()\nnet.forward = types.MethodType(first, net)\nnet(torch.zeros(2, 7), other=1)",
    "net = Net()\nnet.forward = lambda x, other: x\nnet(torch.zeros(2, 7), other=1)",
    "Given(lambda x: x)(torch.zeros(2, 7))",
    "own = Own(3, 4)\nown.forward = lambda x: x\nown(torch.zeros(2, 7))",
)
WRONG = (
    "Net()(torch.zeros(2, 7))",
    "Net()(torch.zeros(2, 3), other=1)",
    "net = Net()\nnet.forward = lambda x: x.view(2, 4)\nnet(torch.zeros(2, 7))",
    "Own(3, 4)(torch.zeros(2, 7))",
)
KERAS = """
import keras
import tensorflow as tf

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.layer = keras.layers.Dense(4)

    def call(self, x):
        return self.layer(x)

net = Net()
net.call = {call}
tf.matmul(net(tf.ones((2, 3))), tf.ones((4, 5)))
"""


def errors(tmp_path: Path, text: str) -> int:
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    return sum(p.level == "error" for p in shared.problems.values())


@pytest.mark.parametrize("call", SILENT)
def test_what_is_set_on_the_object_is_called(tmp_path: Path, call: str) -> None:
    assert not errors(tmp_path, f"{TORCH}{call}\n")


@pytest.mark.parametrize("call", WRONG)
def test_where_it_does_not_fit_the_call_is_refused(tmp_path: Path, call: str) -> None:
    assert errors(tmp_path, f"{TORCH}{call}\n")


@pytest.mark.parametrize(("call", "wrong"), [("tf.function(net.call)", False), ("lambda x: x", True)])
def test_a_model_of_keras_is_asked_for_its_call(tmp_path: Path, call: str, wrong: bool) -> None:
    assert errors(tmp_path, KERAS.format(call=call)) == wrong
