"""A model that keeps what it computed in its own objects is traced as often as need be."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest

BANK = """
import collections

import torch


class Cache:
    def __init__(self):
        self.kernel = None

    def __call__(self, x):
        if self.kernel is None:
            self.kernel = x.new_ones(3) / 3
        return self.kernel


class Bank(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layer, self.kind, self.cache = torch.nn.Linear(4, 3), kind, Cache()
        self.bank = collections.deque(maxlen=6) if kind == "deque" else []
        self.last = None

    def forward(self, x, weights):
        y = self.layer(x) * self.cache(x)
        if self.kind == "attribute":
            past = y if self.last is None else self.last
            self.last = y
        else:
            for row in zip(y, weights):
                self.bank.append(row)
            past = torch.stack([row for row, _ in list(self.bank)[-3:]])
        if weights.sum() == 0:  # asks for its values: traced once more, on its example
            return y.sum()
        return (y.mean(0) - past.mean(0)).square().sum() / weights.sum()


def deque():
    return Bank("deque"), (torch.randn(3, 4), torch.ones(3))


def plain_list():
    return Bank("list"), (torch.randn(3, 4), torch.ones(3))


def attribute():
    return Bank("attribute"), (torch.randn(3, 4), torch.ones(3))
"""


@pytest.mark.parametrize("name", ["deque", "plain_list", "attribute"])
def test_what_a_tracer_leaves_in_a_memory_is_taken_out_of_it(name, project, export_entry):
    project.write("bank.py", BANK)
    graph = export_entry(f"bank.py:{name}")
    assert graph.ran
    assert [v.name for v in graph.graph.inputs if v.name in ("x", "weights")] == ["x", "weights"]


AVERAGE = """
import torch


class Average(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.online, self.target = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
        self.target.requires_grad_(False)

    @torch.no_grad()
    def update(self):
        for q, k in zip(self.online.parameters(), self.target.parameters()):
            k.data = k.data * 0.75 + q.data * 0.25

    def forward(self, x):
        self.update()
        return self.online(x), self.target(x)


def average():
    return Average(), (torch.randn(4, 3),)
"""


def test_a_running_mean_of_weights_is_followed(project, export_entry):
    """``k.data = k.data * m + q.data * (1 - m)``: what reads k afterwards reads the mean."""
    project.write("average.py", AVERAGE)
    graph = export_entry("average.py:average")
    held = {name: value.const_value.numpy() for name, value in graph.graph.initializers.items()}
    weights = {n: held[n] for n in ("online.weight", "online.bias", "target.weight", "target.bias")}
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    run = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    online, target = run.run(None, {run.get_inputs()[0].name: x})[:2]
    assert online == pytest.approx(x @ weights["online.weight"].T + weights["online.bias"], abs=1e-5)
    mean = {part: 0.75 * weights[f"target.{part}"] + 0.25 * weights[f"online.{part}"] for part in ("weight", "bias")}
    assert target == pytest.approx(x @ mean["weight"].T + mean["bias"], abs=1e-5)
