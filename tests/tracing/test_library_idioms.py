"""What libraries of layers are written with: registries, modules by name, questions with a default, ModuleDict.

Each program computes a width that Python gives as well, and a layer takes it: right with that, refused with another.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import enum, importlib, keyword
from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sized
import numpy as np
import torch
from torch import nn

class Factory:
    '''Layers by name.'''
    def __init__(self):
        self.made = {}
        self.__doc__ = f"{self.__doc__ or ''} more"
    def add(self, name, function):
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError("no name")
        self.made[name] = function
    def register(self, name):
        def decorate(function):
            self.add(name, function)
            return function
        return decorate

LAYERS = Factory()

@LAYERS.register("conv")
def convolutions(rank):
    return (nn.Conv1d, nn.Conv2d, nn.Conv3d)[rank - 1]

def repeated(value, count):
    if isinstance(value, torch.Tensor):
        value = value.tolist()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not (hasattr(value, "ndim") and value.ndim == 0) and isinstance(value, Iterable):
        return tuple(value)
    return (value,) * count

def looked_up(key, table):
    if not isinstance(key, Hashable):
        raise ValueError("no key")
    if isinstance(table, Mapping) and key in table:
        return table[key]
    return 0 if isinstance(table, Collection) else 1

class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 8)
        self.late = nn.Linear(8, 16)

class Getter(nn.ModuleDict):
    def __init__(self, model, wanted, filled):
        layers = OrderedDict(model.named_children())
        if filled:
            super().__init__()
            self.update(layers)
        else:
            super().__init__(layers)
        self.wanted = wanted
    def forward(self, x):
        out = OrderedDict()
        for name, module in self.items():
            x = module(x)
            if name in self.wanted:
                out[self.wanted[name]] = x
        return out

def replaced(getter):
    getter.stem = nn.Linear(5, 8)
    return getter.stem.in_features + getter["stem"].in_features

class Owner(nn.Module):
    '''Has a dictionary called `items`, which is no part of the module.'''
    def __init__(self):
        super().__init__()
        self.items = {"width": 4}
        self.layer = nn.Linear(4, 8)
        self.count = len(self.items)

class Measured(nn.Linear):
    def __init__(self):
        super().__init__(4, 6)
        self.items = [1, 2, 3]

def described():
    '''abc'''
"""


@pytest.mark.parametrize(
    "width",
    [
        "LAYERS.made['conv'](2)(3, 6, 1)(torch.zeros(1, 3, 4, 5)).shape[1]",
        "len(LAYERS.made) + 3",
        "sum(repeated((3, 5), 2))",
        "sum(repeated(4, 2))",
        "looked_up('a', {'a': 5})",
        "looked_up('b', [1]) + 2",
        "importlib.import_module('torch.nn').Linear(2, 7).out_features",
        "importlib.import_module('.nn', 'torch').Linear(2, 7).out_features",
        "getattr(None, 'width', 5)",
        "getattr((1, 2), 'ndim', 3)",
        "getattr(7, 'ndim', 3)",
        "getattr('text', 'ndim', 3)",
        "getattr({4, 5}, 'ndim', 3)",
        "3 if hasattr((1, 2), 'ndim') else 4",
        "3 if hasattr([1, 2], 'append') else 4",
        "3 if hasattr(None, 'ndim') else 4",
        "3 if isinstance([1], Sized) else 4",
        "3 if isinstance([1], Hashable) else 4",
        "3 if isinstance('a', Mapping) else 4",
        "len(described.__doc__) + len(Factory.__doc__)",
        "3 if (lambda: 0).__doc__ else 4",
        "3 if Body.__doc__ else 4",
        "3 if keyword.iskeyword('for') else 4",
        "Getter(Body(), {'late': 'out'}, True)(torch.zeros(2, 4))['out'].shape[1]",
        "Getter(Body(), {'late': 'out'}, False)(torch.zeros(2, 4))['out'].shape[1]",
        "len(Getter(Body(), {'late': 'out'}, True)(torch.zeros(2, 4))) + 1",
        "replaced(Getter(Body(), {}, False))",
        "replaced(Getter(Body(), {}, True))",
        "torch.broadcast_shapes((2, 1), (5,))[1]",
        "sum(torch.broadcast_shapes(torch.zeros(3, 1).shape, torch.zeros(2, 1, 4).shape))",
        "len(torch.broadcast_shapes()) + 3",
        "Owner().count + len(Owner().items)",
        "getattr(Owner(), 'width', 3)",
        "len(Measured().items)",
        "replaced(nn.ModuleDict({'stem': nn.Linear(4, 8)}))",
    ],
)
@pytest.mark.parametrize("more", [0, 1])
def test_a_width_is_what_python_computes(tmp_path: Path, width: str, more: int) -> None:
    names: dict[str, object] = {"__name__": "net"}
    exec(compile(HEAD, "net", "exec"), names)
    computed = eval(width, names)
    assert isinstance(computed, int)
    text = f"{HEAD}\nwidth = {width}\nnn.Linear({computed + more}, 2)(torch.zeros(3, width))\n"
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    told = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    assert told == ([text.count("\n")] if more else [])


def test_what_may_have_an_attribute_is_not_said_to_have_none(tmp_path: Path) -> None:
    question = "getattr(given, 'ndim', 3)"
    text = f"import array\n{HEAD}\ngiven = array.array('i', [1])\nnn.Linear(4, 2)(torch.zeros(3, {question}))\n"
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error" and p.proved]


def test_shapes_that_do_not_broadcast_are_refused(tmp_path: Path) -> None:
    text = "import torch\ntorch.broadcast_shapes((2, 3), (4,))\n"
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved] == [2]
