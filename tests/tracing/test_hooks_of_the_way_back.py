"""Hooks that modules have on the way back: a loss's `backward()` runs those of the calls it follows from."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

WATCHED = """
import torch
from torch import nn

class Watch:
    def __init__(self, net):
        self.count, self.seen = 0, []
        for child in net.children():
            child.register_full_backward_hook(self.hook)
    def hook(self, module, grad_input, grad_output):
        self.count += 1
        for gradient in grad_output:
            if gradient is None:
                continue
            self.seen.append(gradient.detach().reshape({shape}))

net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 3))
watch = Watch(net)
loss = net(torch.zeros(2, 4)).sum()
{back}
"""
FIRST = """
import torch
from torch import nn

net = nn.Linear(4, 3)
net.register_full_backward_pre_hook(lambda module, grad_output: grad_output[0].view({view}))
net(torch.zeros(2, 4)).sum().backward()
"""
TAKEN_OFF = """
import torch
from torch import nn

net = nn.Linear(4, 3)
handle = net.register_full_backward_hook(lambda module, given, out: out[0].view(5))
handle.remove()
net(torch.zeros(2, 4)).sum().backward()
"""
SOME_OUTPUTS = """
import torch
from torch import nn

class Two(nn.Module):
    def forward(self, x):
        return x * 2, x[:, :1]

def hook(module, given, out):
    print(out[0].view(2, {width}))
    if out[1] is not None:
        print(out[1].view(5))

two = Two()
two.register_full_backward_hook(hook)
two(torch.zeros(2, 4, requires_grad=True))[0].sum().backward()
"""
KEPT = """
import torch
from torch import nn
from nowhere_known import criterion

class Keeps:
    def __init__(self, net):
        self.method, self.closure = [], []
        def hook(module, given, out):
            self.closure.append(out[0])
        net.register_full_backward_hook(self.hook)
        net.register_full_backward_hook(hook)
    def hook(self, module, given, out):
        self.method.append(out[0])

net = nn.Linear(4, 3)
keeps = Keeps(net)
criterion(net(torch.zeros(2, 4))).backward()
print(keeps.method[0].shape, keeps.closure[0].shape)
"""


def told(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize(("shape", "lines"), [("-1", []), ("-2", [15]), ("0", [15]), ("2, 3", [])])
def test_what_a_hook_does_with_gradients(shape: str, lines: list[int], tmp_path: Path) -> None:
    assert told(tmp_path, WATCHED.format(shape=shape, back="loss.backward()")) == lines


@pytest.mark.parametrize(
    ("back", "lines"),
    [
        ("loss.backward()\nif watch.count == 3:\n    watch.seen[1].view(5)", [22]),
        ("loss.backward(retain_graph=True)\nloss.backward()\nif watch.count != 6:\n    watch.seen[1].view(5)", []),
        ("loss.backward(retain_graph=True)\nloss.backward()\nwatch.seen[5].view(6)", []),
        ("loss.detach().requires_grad_().backward()\nif watch.count == 3:\n    watch.seen[1].view(5)", []),
    ],
)
def test_what_a_hook_keeps(back: str, lines: list[int], tmp_path: Path) -> None:
    assert told(tmp_path, WATCHED.format(shape="-1", back=back)) == lines


@pytest.mark.parametrize(("view", "lines"), [("6", []), ("5", [6])])
def test_a_hook_before_the_way_back(view: str, lines: list[int], tmp_path: Path) -> None:
    assert told(tmp_path, FIRST.format(view=view)) == lines


def test_a_hook_taken_off_does_not_run(tmp_path: Path) -> None:
    assert told(tmp_path, TAKEN_OFF) == []


@pytest.mark.parametrize(("width", "lines"), [(4, []), (5, [10])])
def test_outputs_that_the_loss_does_not_follow_from_may_have_no_gradient(
    width: int, lines: list[int], tmp_path: Path
) -> None:
    assert told(tmp_path, SOME_OUTPUTS.format(width=width)) == lines


def test_a_way_back_that_nobody_can_follow_may_have_filled_what_hooks_keep(tmp_path: Path) -> None:
    assert told(tmp_path, KEPT) == []
