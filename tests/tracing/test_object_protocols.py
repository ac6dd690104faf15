"""How Python looks attributes and items up: what configurations, outputs and registries of libraries are written with.

Each program computes a width that Python gives as well, and a layer takes it: right with that, refused with another.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import dataclasses, functools, inspect, re, typing, weakref
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
import numpy as np
import torch
from torch import nn

class Named:
    names = {"width": "hidden"}
    def __init__(self, hidden):
        self.hidden = hidden
    def __setattr__(self, key, value):
        super().__setattr__(super().__getattribute__("names").get(key, key), value)
    def __getattribute__(self, key):
        if key != "names" and key in super().__getattribute__("names"):
            key = super().__getattribute__("names")[key]
        return super().__getattribute__(key)

def renamed(value):
    made = Named(3)
    made.width = value
    return made.hidden

class Meta(type):
    def __setattr__(cls, name, value):
        super().__setattr__(name, value)

@dataclass
class Output(OrderedDict, metaclass=Meta):
    first: object = None
    second: object = None
    def __post_init__(self):
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if value is not None:
                self[each.name] = value
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)
    def __getitem__(self, key):
        return dict(self.items())[key] if isinstance(key, str) else tuple(self.values())[key]

class Table(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value + 1)
    def get(self, key):
        return super().get(key) or 2

def stored():
    table = Table()
    table["a"] = 4
    return table.get("a") + table.get("b")

class Registry(MutableMapping):
    shared = {"a": 3, "b": 5}
    def __init__(self):
        self.own = {}
    def __getitem__(self, key):
        return self.own[key] if key in self.own else self.shared[key]
    def __setitem__(self, key, value):
        self.own[key] = value
    def __delitem__(self, key):
        del self.own[key]
    def __iter__(self):
        return iter({**self.shared, **self.own})
    def __len__(self):
        return len({**self.shared, **self.own})

class Layers(Sequence):
    def __init__(self, config):
        self.config = config
    def __len__(self):
        return self.config
    def __getitem__(self, index):
        if index >= self.config:
            raise IndexError
        return index + 1

class Store(MutableMapping):
    def __init__(self):
        super().__init__()
        self.__dict__["kept"] = {}
    def __setattr__(self, key, value):
        found = getattr(self.__class__, key, None)
        if found is not None and getattr(found, "fset", None) is not None:
            found.fset(self, value)
        elif key[:1] == "_":
            self.__dict__[key] = value
        else:
            self[key] = value
    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None
    def __getitem__(self, key):
        return self.__dict__["kept"][key]
    def __setitem__(self, key, value):
        self.__dict__["kept"][key] = value
    def __delitem__(self, key):
        del self.__dict__["kept"][key]
    def __iter__(self):
        return iter(self.__dict__["kept"])
    def __len__(self):
        return len(self.__dict__["kept"])
    @property
    def doubled(self):
        return self["half"] * 2
    @doubled.setter
    def doubled(self, value):
        self["half"] = value // 2

def filled():
    store = Store()
    store.width = 6
    store.doubled = 8
    store._hidden = 1
    return store

class Wide(nn.Module):
    def __setattr__(self, name, value):
        super().__setattr__(name, value)
    def __init__(self):
        super().__init__()
        self.width = 7

def outer(first, second=3, *rest, third=4, **more):
    inside = first
    return inside

@functools.wraps(outer)
def imitation(*args, **kwargs):
    return outer(*args, **kwargs)

class Base(ABC):
    @abstractmethod
    def needed(self): ...
    def given(self): ...

class Left: ...
class Right(Left): ...

@dataclass
class Fielded:
    a: int = 2
    b: int = field(default=dataclasses.MISSING, default_factory=lambda: 3)

@dataclass
class Extended(Fielded):
    def __init__(self, **kwargs):
        for each in dataclasses.fields(self):
            if each.name in kwargs:
                setattr(self, each.name, kwargs[each.name])
            elif each.default is not dataclasses.MISSING:
                setattr(self, each.name, each.default)
            elif each.default_factory is not dataclasses.MISSING:
                setattr(self, each.name, each.default_factory())
        self.extra = sum(v for k, v in kwargs.items() if k not in {f.name for f in dataclasses.fields(self)})

def checked(a, b):
    if (a is None) ^ (b is not None):
        raise ValueError("one of both")
    if not (a is None or a > 1) or (b is not None and b < 0):
        raise ValueError("too small")
    return a or b

def referred(value):
    return weakref.ref(value)().width
"""


@pytest.mark.parametrize(
    "width",
    [
        "Named(5).width",
        "renamed(6)",
        "3 if hasattr(Named(5), 'width') else 4",
        "3 if hasattr(Named(5), 'depth') else 4",
        "getattr(Named(5), 'depth', 7)",
        "Output(first=4).first",
        "len(Output(4)) + len(Output(4, 5))",
        "Output(4, 5)['second'] + Output(4, 5)[0]",
        "3 if 'second' in Output(4) else 4",
        "sum(Output(4, 5).values())",
        "len(list(Output(4, 5)))",
        "3 if isinstance(Output(1), dict) else 4",
        "stored()",
        "Registry()['b'] + len(Registry())",
        "Registry().get('c', 6)",
        "sum(Registry().values()) + len(list(Registry().keys()))",
        "sum(v for k, v in Registry().items() if k == 'a')",
        "3 if 'a' in Registry() else 4",
        "3 if 'c' in Registry() else 4",
        "sum(Layers(4))",
        "len([x for x in Layers(4)])",
        "filled().width + filled().doubled",
        "3 if hasattr(filled(), 'depth') else 4",
        "getattr(filled(), 'depth', 5)",
        "len(filled()) + filled()._hidden",
        "Wide().width",
        "len(outer.__code__.co_varnames)",
        "outer.__code__.co_varnames.index('third') + outer.__code__.co_argcount",
        "len(inspect.signature(imitation).parameters)",
        "len([p for p in inspect.signature(outer).parameters.values() if p.kind == p.KEYWORD_ONLY]) + 2",
        "3 if inspect.signature(outer).parameters['first'].annotation is inspect._empty else 4",
        "3 if inspect.isclass(Base) else 4",
        "3 if inspect.isclass(outer) else 4",
        "3 if inspect.isfunction(outer) else 4",
        "3 if getattr(Base.needed, '__isabstractmethod__', False) else 4",
        "3 if getattr(Base.given, '__isabstractmethod__', False) else 4",
        "len(filled().keys.__name__)",
        "len(Right.__bases__[0].__name__) + len(Right.__mro__)",
        "3 if 'given' in Base.__dict__ else 4",
        "3 if 'given' in Right.__dict__ else 4",
        "3 if hasattr(Right, 'given') else 4",
        "getattr(Right, 'given', 5)",
        "len([n for n in dir(Base) if not n.startswith('_')]) + 2",
        "Fielded().b",
        "Extended(a=4).a + Extended().b",
        "Extended(width=6).extra",
        "checked(3, None)",
        "checked(None, 4)",
        "referred(Named(5))",
        "int(np.prod(3)) + int(np.sum(2))",
        "len(vars(Named(3))) + 2",
        "getattr(nn.Linear(2, 3), '_tp_plan', 5)",
        "torch.zeros(2, 3).new_zeros(4, dtype=torch.long).shape[0]",
        "3 if torch.zeros(1).layout == torch.sparse_coo else 4",
        "len(typing.OrderedDict([('a', 1)])) + 2",
        "3 if re.search(r'^[^/:]+/[^/:]+(?:@[^/:]+)?(?::[^/:]+)?$', 'sdpa') else 4",
    ],
)
@pytest.mark.parametrize("more", [0, 1])
def test_a_width_is_what_python_computes(tmp_path: Path, width: str, more: int) -> None:
    names: dict[str, object] = {"__name__": "net"}
    exec(compile(HEAD, "net", "exec", dont_inherit=True), names)
    computed = eval(width, names)
    assert isinstance(computed, int)
    text = f"{HEAD}\nwidth = {width}\nnn.Linear({computed + more}, 2)(torch.zeros(3, width))\n"
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    told = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    assert told == ([text.count("\n")] if more else [])


def errors(tmp_path: Path, text: str) -> list[int]:
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize(("heads", "wrong"), [(4, False), (5, True)])
def test_a_size_that_is_no_product_of_two_others(tmp_path: Path, heads: int, wrong: bool) -> None:
    text = """
class Attention:
    def __init__(self, width, heads):
        self.heads, self.size = heads, width // heads
        if self.heads * self.size != width:
            raise ValueError("the width is no multiple")
Attention(96, HEADS)
""".replace("HEADS", str(heads))
    assert errors(tmp_path, text) == ([6] if wrong else [])


@pytest.mark.parametrize("value", [2, 4])
def test_new_tensors_have_the_type_that_they_are_given(tmp_path: Path, value: int) -> None:
    text = f"""
import torch
places = torch.zeros(2, 3).new_zeros({value}, dtype=torch.long)
torch.zeros(5, 3).index_select(0, places) @ torch.zeros(3, 2)
"""
    assert errors(tmp_path, text) == []


def test_a_dictionary_that_is_its_own_attributes(tmp_path: Path) -> None:
    text = """
class Settings(dict):
    def __init__(self, **values):
        super().__init__(**values)
        self.__dict__ = self
settings = Settings(width=3)
if not hasattr(settings, "width"):
    import torch
    torch.zeros(2, 3) @ torch.zeros(4, 2)
print(settings.width)
"""
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.proved or p.rule == "python/missing-attribute"]


MODULES = """
import copy
import torch
from torch import nn
class Plain(nn.Module):
    pass
class Added(nn.Module):
    def __add__(self, other):
        return nn.Linear(3, 4 + other)
class Joined(nn.Sequential):
    pass
def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])
clones({}, 2)
"""


@pytest.mark.parametrize(
    ("module", "refused"),
    [
        ("Plain() + 1", True), ("Plain() * 2", True), ("nn.Linear(3, 4) + 1", True), ("nn.ReLU() * 2", True),
        ("Plain()", False), ("Added() + 1", False), ("Added() * 2", True), ("Joined(nn.ReLU()) * 2", False),
        ("nn.Sequential(nn.ReLU()) * 2", False), ("(nn.Parameter(torch.zeros(3)) * 2, Plain())[1]", False),
    ],
)  # fmt: skip
def test_a_module_and_a_number(tmp_path: Path, module: str, refused: bool) -> None:
    text = MODULES.format(module)
    if refused:
        with pytest.raises(TypeError):
            exec(text, {})
    else:
        exec(text, {})
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems if p.level == "error" and p.proved] == ([14] if refused else [])


LAZY = """
class Lazy:
    def __init__(self, cls, kept):
        self.cls, self.kept = cls, kept
class LazyMeta(type):
    def __call__(cls, *args, **kwargs):
        return Lazy(cls, kwargs) if not args else super().__call__(*args, **kwargs)
class Dense{}:
    def __init__(self, shape):
        self.shape = shape
later = Dense()
"""


def test_a_metaclass_may_make_what_lacks_arguments(tmp_path: Path) -> None:
    for metaclass, wrong in (("(metaclass=LazyMeta)", 0), ("", 1)):
        shared = explore(tmp_path, "lazy.py", ast.parse(LAZY.format(metaclass)), Versions())
        assert len([p for p in shared.problems.values() if p.level == "error"]) == wrong


NUMBERED = """
import torch
from torch.utils.data import Dataset

class Rows({}):
    def __init__(self):
        self.rows = [torch.zeros(n + 1, 4) for n in range(3)]
    def __len__(self):
        return len(self.rows)
    def __getitem__(self, i):
        return self.rows[i], i

rows, numbers = zip(*Rows())
torch.cat(rows).view({}, 2)
"""


@pytest.mark.parametrize("base", ["Dataset", "object"])
@pytest.mark.parametrize(("size", "fails"), [(12, False), (13, True)])
def test_what_has_only_numbered_elements_is_gone_through_by_their_numbers(
    tmp_path: Path, base: str, size: int, fails: bool
) -> None:
    problems = explore(tmp_path, "net.py", ast.parse(NUMBERED.format(base, size)), Versions()).problems.values()
    found = [p for p in problems if p.level == "error"]
    assert any(f.rule == "tracing/incompatible-shape" for f in found) is fails


PARTIAL_METHODS = """
import functools, torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width, out=3):
        super().__init__()
        self.line = nn.Linear(width, out)
    def forward(self, x, scale):
        return scale * self.line(x)
    double = functools.partialmethod(forward, scale=2)

def with_defaults(cls, **given):
    class Filled(cls):
        __init__ = functools.partialmethod(cls.__init__, **given)
    return Filled

with_defaults(Block, out=5)(4).double(torch.zeros(2, 4)).view({})
"""


@pytest.mark.parametrize(("size", "fails"), [(10, False), (6, True)])
def test_a_partial_method_is_bound_to_its_object(tmp_path: Path, size: int, fails: bool) -> None:
    text = PARTIAL_METHODS.format(size)
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert any(p.level == "error" for p in problems) is fails


REFERENCES = """
import gc, torch, weakref
from torch import nn

def main():
    model = nn.Linear(2, 3)
    held = weakref.ref(model)
    {}
    gc.collect()
    if held() is {}:
        torch.zeros(2, 3) @ torch.zeros(4, 5)

main()
"""


@pytest.mark.parametrize(("then", "kept"), [("pass", True), ("other = [model]; del model", True), ("del model", False)])
def test_an_object_that_nothing_keeps_may_be_gone(tmp_path: Path, then: str, kept: bool) -> None:
    for asked, known in (("not None", kept), ("None", False)):
        problems = explore(tmp_path, "net.py", ast.parse(REFERENCES.format(then, asked)), Versions()).problems.values()
        proved = [p for p in problems if p.level == "error" and p.proved]
        assert any(not any(s.startswith("The path is taken") for s in p.sentences) for p in proved) is known


@pytest.mark.parametrize(("condition", "holds"), [("np.True_", True), ("np.False_", False), ("not np.False_", True)])
def test_the_truths_of_numpy(tmp_path: Path, condition: str, holds: bool) -> None:
    program = f"import torch\nimport numpy as np\nif {condition}:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    problems = explore(tmp_path, "net.py", ast.parse(program), Versions()).problems.values()
    assert any(p.level == "error" for p in problems) is holds
