"""Wrappers and hooks that keep a layer's weight under other names, and compute it anew at each call."""

from __future__ import annotations

import ast
import traceback
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

WRAPPER = """
import torch
from torch import nn
from torch.nn import Parameter

def unit(v, eps=1e-12):
    return v / (v.norm() + eps)

class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(torch.randn(6, 16))
    def forward(self, x):
        return x @ self.weight.t()

class Normed(nn.Module):
    def __init__(self, module, name="weight", rounds=1):
        super(Normed, self).__init__()
        self.module = module
        self.name = name
        self.rounds = rounds
        if not self.made():
            self.make()

    def update(self):
        u = getattr(self.module, self.name + "_u")
        v = getattr(self.module, self.name + "_v")
        w = getattr(self.module, self.name + "_bar")
        height = w.data.shape[0]
        for _ in range(self.rounds):
            v.data = unit(torch.mv(torch.t(w.view(height, -1).data), u.data))
            u.data = unit(torch.mv(w.view(height, {width}).data, v.data))
        sigma = u.dot(w.view(height, -1).mv(v))
        setattr(self.module, self.name, w / sigma.expand_as(w))

    def made(self):
        {made}

    def make(self):
        w = {read}
        height = w.data.shape[0]
        width = w.view(height, -1).data.shape[1]
        u = Parameter(w.data.new(height).normal_(0, 1), requires_grad=False)
        v = Parameter(w.data.new(width).normal_(0, 1), requires_grad=False)
        u.data = unit(u.data)
        v.data = unit(v.data)
        w_bar = {kept}
        {away}
        self.module.register_parameter(self.name + "_u", u)
        self.module.register_parameter(self.name + "_v", v)
        self.module.register_parameter(self.name + "_bar", w_bar)

    def forward(self, *args):
        self.update()
        return self.module.forward(*args)

layer = Normed({layer})
layer(torch.randn(2, {inputs}))
"""
HOOK = """
import torch
from torch import nn
from torch.nn import Parameter
import torch.nn.functional as F

class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(torch.randn(6, 16))
    def forward(self, x):
        return x @ self.weight.t()

class Normed:
    def __init__(self, name):
        self.name = name

    def compute_weight(self, module):
        weight = getattr(module, self.name + "_orig")
        u = getattr(module, self.name + "_u")
        size = weight.size()
        mat = weight.contiguous().view(size[0], {width})
        with torch.no_grad():
            v = F.normalize(torch.mv(mat.t(), u), dim=0)
            u = F.normalize(torch.mv(mat, v), dim=0)
        sigma = torch.dot(u, torch.mv(mat, v))
        return (weight / sigma).view(*size), u

    @staticmethod
    def apply(module, name):
        fn = Normed(name)
        weight = {read}
        {away}
        module.register_parameter(name + "_orig", {kept})
        module.register_buffer("weight", weight.data) if {again} else None
        module.register_buffer(name + "_u", F.normalize(weight.data.new(weight.size(0)).normal_(), dim=0))
        module.register_forward_pre_hook(fn)
        return fn

    def __call__(self, module, inputs):
        weight, u = self.compute_weight(module)
        setattr(module, self.name, weight)
        setattr(module, self.name + "_u", u)

layer = {layer}
Normed.apply(layer, "weight")
layer(torch.randn(2, {inputs}))
"""
LAYERS = {
    "nn.Conv2d(16, 6, 3)": "16, 8, 8",
    "nn.ConvTranspose2d(16, 6, 3)": "16, 8, 8",
    "nn.Conv1d(16, 6, 3)": "16, 8",
    "nn.Linear(16, 6)": "16",
    "nn.Embedding(9, 6)": "16",
    "Own()": "16",
}
TRIED = """try:
            u = getattr(self.module, self.name + "_u")
            v = getattr(self.module, self.name + "_v")
            w = getattr(self.module, self.name + "_bar")
            return True
        except AttributeError:
            return False"""
MADE = {
    "tried": TRIED,
    "asked": "return hasattr(self.module, self.name + '_u')",
    "default": "return getattr(self.module, self.name + '_u', None) is not None",
    "listed": "return self.name + '_u' in self.module._parameters",
}


def _refused(text: str) -> int:
    """The line at which the program fails when it is run; 0 where it does not."""
    try:
        exec(compile(text, "net.py", "exec"), {"__name__": "net"})
    except RuntimeError as error:
        return next(
            frame.lineno or 0
            for frame in reversed(traceback.extract_tb(error.__traceback__))
            if frame.filename == "net.py"
        )
    return 0


def _told(tmp_path: Path, text: str) -> int:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    lines = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    return lines[0] if lines else 0


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("kept", ["Parameter(w.data)", "w"])
@pytest.mark.parametrize("width", ["-1", "7"])
def test_a_wrapped_layer(tmp_path: Path, layer: str, made: str, kept: str, width: str) -> None:
    text = WRAPPER.format(
        layer=layer, inputs=LAYERS[layer], made=MADE[made], kept=kept, width=width,
        read="getattr(self.module, self.name)" if kept != "w" else "self.module._parameters[self.name]",
        away="del self.module._parameters[self.name]",
    )  # fmt: skip
    if "Embedding" in layer:
        text = text.replace("torch.randn(2, 16)", "torch.zeros(2, 16).long()")
    expected = _refused(text)
    assert bool(expected) == (width == "7")
    assert _told(tmp_path, text) == expected


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("read", ["getattr(module, name)", "module._parameters[name]"])
@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("width", ["-1", "7"])
def test_a_hook_that_computes_the_weight(tmp_path: Path, layer: str, read: str, again: bool, width: str) -> None:
    text = HOOK.format(
        layer=layer, inputs=LAYERS[layer], read=read, width=width, again=again,
        kept="nn.Parameter(weight.data)" if again else "weight", away="del module._parameters[name]",
    )  # fmt: skip
    if "Embedding" in layer:
        text = text.replace("torch.randn(2, 16)", "torch.zeros(2, 16).long()")
    expected = _refused(text)
    assert bool(expected) == (width == "7")
    assert _told(tmp_path, text) == expected


CHANGES = [
    ("prune.l1_unstructured(layer, 'weight', amount=0.5)", "weight_mask"),
    ("torch.nn.utils.weight_norm(layer, 'weight', dim=int(torch.zeros(1)))", "weight_g"),
    ("torch.nn.utils.parametrizations.weight_norm(layer)", "parametrizations"),
    ("setattr(nn.Linear, 'weight_mask', torch.zeros(6, 16))", "weight_mask"),
    ("layer.register_buffer('weight_mask', torch.zeros(6, 16))", "weight_mask"),
    ("layer._buffers['weight_mask'] = torch.zeros(6, 16)", "weight_mask"),
    ("layer.__dict__['weight_mask'] = torch.zeros(6, 16)", "weight_mask"),
    ("vars(layer).update(weight_mask=1)", "weight_mask"),
]


@pytest.mark.parametrize(("change", "name"), CHANGES)
def test_an_attribute_that_something_else_sets(tmp_path: Path, change: str, name: str) -> None:
    head = "import torch\nfrom torch import nn\nimport torch.nn.utils.prune as prune\n"
    text = f"""{head}layer = nn.Linear(16, 6)
{change}
missing = "yes"
try:
    getattr(layer, "{name}")
    missing = "no"
except AttributeError:
    pass
layer(torch.randn(2, 16 if missing == "yes" else 17))
"""
    expected = _refused(text)
    assert expected
    assert _told(tmp_path, text) in (expected, 0)
    turned = text.replace("16 if missing", "17 if missing").replace("else 17", "else 16")
    assert _told(tmp_path, turned) == _refused(turned) == 0
    if "setattr" in change:
        delattr(torch.nn.Linear, name)
