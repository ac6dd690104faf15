"""Modules whose `__call__` is written after PyTorch's own: it asks for a tracer and for hooks before it goes on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import itertools
import torch
from torch import nn
from torch.nn.modules.module import _global_backward_hooks, _global_forward_hooks, _global_forward_pre_hooks

class Base:
    def _call(self, *input, **kwargs):
        run = self._slow_forward if torch._C._get_tracing_state() else self.forward
        if not (self._backward_hooks or self._forward_hooks or self._forward_pre_hooks or _global_backward_hooks
                or _global_forward_hooks or _global_forward_pre_hooks):
            return run(*input, **kwargs)
        for hook in itertools.chain(_global_forward_pre_hooks.values(), self._forward_pre_hooks.values()):
            made = hook(self, input)
            if made is not None:
                input = made
        result = run(*input, **kwargs)
        for hook in itertools.chain(_global_forward_hooks.values(), self._forward_hooks.values()):
            made = hook(self, input, result)
            if made is not None:
                result = made
        return result

    __call__ = _call

class Net(Base, nn.GRU):
    def __init__(self, width):
        nn.GRU.__init__(self, 3, width, batch_first=True)

    def forward(self, x):
        return nn.GRU.forward(self, x)[0]

net = Net(4)
"""


def told(tmp_path: Path, text: str) -> list[int]:
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.site.line for p in found if p.proved]


def fails(text: str) -> bool:
    try:
        exec(text, {"__name__": "net"})
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("wanted", [4, 5])
def test_without_hooks_it_is_the_forward(tmp_path: Path, wanted: int) -> None:
    text = f"{HEAD}net(torch.zeros(2, 6, 3)) + torch.zeros({wanted})\n"
    assert fails(text) is (wanted == 5)
    assert told(tmp_path, text) == ([text.count("\n")] if wanted == 5 else [])


@pytest.mark.parametrize(
    "registered",
    [
        "net.register_forward_hook(lambda module, given, made: made[..., :3])",
        "nn.modules.module.register_module_forward_hook(lambda module, given, made: made[..., :3])",
    ],
)
def test_a_hook_that_is_registered_may_change_the_result(tmp_path: Path, registered: str) -> None:
    text = f"{HEAD}handle = {registered}\ny = net(torch.zeros(2, 6, 3))\nhandle.remove()\ny + torch.zeros(3)\n"
    assert not fails(text)
    assert told(tmp_path, text) == []


def test_a_tracer_may_be_at_work(tmp_path: Path) -> None:
    text = """import torch
class Net(torch.nn.Module):
    def forward(self, x):
        return x if torch._C._get_tracing_state() else x + torch.zeros(5)
torch.jit.trace(Net(), torch.zeros(3), check_trace=False)
"""
    assert not fails(text)
    assert told(tmp_path, text) == []
    assert fails(f"{text}Net()(torch.zeros(3))\n")
    assert told(tmp_path, f"{text}Net()(torch.zeros(3))\n") == [4]


OF_UNKNOWN = """import tensorflow as tf
from {home} import Base

class Kernel(Base):
    def call(self, x, y):
        return x + y

Kernel()(tf.constant([[1.0]]))
"""


@pytest.mark.parametrize(("home", "lines"), [("nowhere.known", []), ("keras.layers", [8])])
def test_what_an_unknown_base_hands_on_is_not_known(home: str, lines: list[int], tmp_path: Path) -> None:
    text = OF_UNKNOWN.format(home=home).replace("Base", "Layer" if home == "keras.layers" else "Base")
    assert told(tmp_path, text) == lines
