"""Classes of the library attrs: what their constructors make, held against the library."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.tracing import explore

HEAD = "import attr, attrs, torch\nfrom attrs import define, field, frozen, Factory\nfrom torch import nn\n"
CLASSES = {
    "old names": ("@attr.s\nclass A:\n    n = attr.ib()\n    m = attr.ib(default=3)", "A(4).n + A(4).m"),
    "annotated are no fields of the old names": (
        "@attr.s\nclass A:\n    k: int = 9\n    n: int = attr.ib()",
        "A(4).n + A.k",
    ),
    "annotated are fields of the new names": ("@define\nclass A:\n    n: int\n    m: int = 3", "A(4).n + A(4, 5).m"),
    "automatic": ("@attr.s(auto_attribs=True)\nclass A:\n    n: int\n    m: int = 3", "A(4).n + A(4, 5).m"),
    "a dataclass of attr": ("@attr.dataclass\nclass A:\n    n: int\n    m: int = 3", "A(4).n + A(4, m=5).m"),
    "fields without annotations": (
        "@define\nclass A:\n    n = field()\n    m: int = field(default=3)",
        "A(4).n + A(4).m",
    ),
    "a default as first argument": ("@attr.s\nclass A:\n    n = attr.ib(3)", "A().n"),
    "a factory": ("@attr.s\nclass A:\n    n = attr.ib(factory=lambda: [3])", "A().n[0]"),
    "a factory as default": ("@define\nclass A:\n    n: list = Factory(lambda: [3])", "A().n[0]"),
    "a factory of the object": (
        "@define\nclass A:\n    n: int\n    m: int = Factory(lambda self: self.n + 1, takes_self=True)",
        "A(4).m + A(4, 2).m",
    ),
    "a default by a method": (
        "@define\nclass A:\n    n: int\n    m: int = field()\n    @m.default\n"
        "    def _m(self):\n        return self.n + 1",
        "A(4).m + A(4, 2).m",
    ),
    "a converter": (
        "@attr.s\nclass A:\n    n = attr.ib(converter=int)\n    m = attr.ib('3', converter=int)",
        "A('4').n + A(1).m",
    ),
    "converters one after another": (
        "@define\nclass A:\n    n: int = field(converter=[int, lambda n: n + 1])",
        "A('4').n",
    ),
    "a converter of the library": (
        "@define\nclass A:\n    n: int = field(default=None, converter=attrs.converters.default_if_none(5))\n"
        "    m: int = field(default=None, converter=attrs.converters.optional(int))",
        "A().n + (A().m is None) + A(2, '3').m",
    ),
    "a private name": ("@define\nclass A:\n    _n: int", "A(n=4)._n"),
    "an alias": ("@define\nclass A:\n    n: int = field(alias='size')", "A(size=4).n"),
    "keywords only": (
        "@define\nclass A:\n    n: int = field(default=2, kw_only=True)\n    m: int",
        "A(4).m + A(5, n=3).n",
    ),
    "a class of keywords only": ("@define(kw_only=True)\nclass A:\n    n: int = 2\n    m: int", "A(m=4).m + A(m=4).n"),
    "no argument": ("@define\nclass A:\n    n: int = field(init=False, default=3)\n    m: int", "A(4).m + A(4).n"),
    "inherited": (
        "@define\nclass A:\n    n: int\n    m: int = 3\n@define\nclass B(A):\n    k: int = 5",
        "B(4).n + B(4, 1, 2).k",
    ),
    "inherited and declared anew": (
        "@define\nclass A:\n    n: int\n    m: int\n@define\nclass B(A):\n    n: int",
        "10 * B(1, 2).m + B(1, 2).n",
    ),
    "inherited without a decorator": ("@define\nclass A:\n    n: int\nclass B(A):\n    pass", "B(4).n"),
    "called by a class's own": (
        "@define\nclass A:\n    n: int\nclass B(A):\n    def __init__(self, m):\n        super().__init__(m + 1)",
        "B(4).n",
    ),
    "a constructor of its own": (
        "@define\nclass A:\n    n: int\n    def __init__(self, m):\n        self.__attrs_init__(m + 1)",
        "A(4).n",
    ),
    "a hook afterwards": (
        "@define\nclass A:\n    n: int\n    def __attrs_post_init__(self):\n        self.n = self.n + 1",
        "A(4).n",
    ),
    "frozen": ("@frozen\nclass A:\n    n: int", "A(4).n"),
    "validated": (
        "@define\nclass A:\n    n: int = field(validator=attrs.validators.instance_of(int))\n"
        "    m: int = field(default=3)\n    @m.validator\n    def _m(self, attribute, value):\n"
        "        if value > 8:\n            raise ValueError(attribute.name)",
        "A(4, 7).n + A(4).m",
    ),
    "equal by its fields": (
        "@attr.s\nclass A:\n    n = attr.ib()\n@attr.s(eq=False)\nclass B:\n    n = attr.ib()",
        "3 + (A(4) == A(4)) + 2 * (A(4) == A(3)) + 4 * (B(4) == B(4))",
    ),
    "ordered by its fields": ("@attr.s\nclass A:\n    n = attr.ib()", "2 + (A(3) < A(4))"),
    "a copy": ("@define\nclass A:\n    n: int\n    m: int = 3", "attrs.evolve(A(4), m=7).m + attr.evolve(A(4)).n"),
    "as data": ("@define\nclass A:\n    n: int\n    m: int = 3", "attrs.asdict(A(4))['n'] + attr.astuple(A(4))[1]"),
    "decorated by a partial": (
        "import functools\nown = functools.partial(attr.s, auto_attribs=True)\n@own\nclass A:\n    n: int",
        "A(4).n",
    ),
    "of an unknown base": ("import tempfile\n@define\nclass A(tempfile.TemporaryDirectory):\n    n: int = 3", "3"),
}


@pytest.mark.parametrize(("text", "size"), CLASSES.values(), ids=CLASSES)
def test_what_an_object_has(tmp_path: Path, text: str, size: str) -> None:
    names: dict[str, object] = {}
    exec(f"{HEAD}{text}\nfound = int({size})", names)
    found = names["found"]
    assert isinstance(found, int)
    for other, proved in ((found, []), (found + 1, [True])):
        program = f"{HEAD}{text}\ntorch.zeros({other}) + torch.zeros(int({size}) + 2)[2:]\n"
        shared = traced(tmp_path, program)
        assert [p.proved for p in shared.problems.values() if p.level == "error"] == proved, shared.problems


LAYER = """
@attr.s(eq=False, repr=False)
class Layer(nn.Module):
    n_in: int = attr.ib(validator=lambda i, a, x: x >= 1)
    n_out: int = attr.ib(validator=lambda i, a, x: x >= 1)
    bias: bool = attr.ib(default=True)
    def {hook}(self) -> None:
        super().__init__()
        {made}
    def forward(self, x):
        return x @ self.w + self.b
"""
MADE = "self.w, self.b = nn.Parameter(torch.ones(self.n_in, self.n_out)), nn.Parameter(torch.zeros({}))"


@pytest.mark.parametrize("use", ["Layer(4, 3)(torch.ones(2, 4))", "nn.Sequential(Layer(4, n_out=3))(torch.ones(2, 4))"])
def test_a_module(tmp_path: Path, use: str) -> None:
    for size, told in (("self.n_out", []), ("self.n_out + 1", [True])):
        program = HEAD + LAYER.format(hook="__attrs_post_init__", made=MADE.format(size)) + use + "\n"
        shared = traced(tmp_path, program)
        assert [p.proved for p in shared.problems.values()] == told


def test_a_module_that_is_given_its_layers(tmp_path: Path) -> None:
    text = """
@define(eq=False, slots=False)
class Net(nn.Module):
    first: nn.Module
    second: nn.Module = field(factory=lambda: nn.Linear(3, 2))
    def __attrs_pre_init__(self):
        super().__init__()
    def forward(self, x):
        return self.second(self.first(x))
net = Net(nn.Linear(4, {}))
net(torch.ones(2, 4))
assert len(list(net.children())) == 2
"""
    for size, told in ((3, []), (5, [True])):
        assert [p.proved for p in traced(tmp_path, HEAD + text.format(size)).problems.values()] == told


def test_a_module_that_nothing_makes(tmp_path: Path) -> None:
    for size, told in (("self.n_out", False), ("self.n_out + 1", True)):
        shared = traced(tmp_path, HEAD + LAYER.format(hook="__attrs_post_init__", made=MADE.format(size)))
        assert bool(shared.problems) is told


@pytest.mark.parametrize("call", ["A()", "A(1, 2, 3)", "A(1, k=2)"])
def test_arguments_that_the_constructor_does_not_take(tmp_path: Path, call: str) -> None:
    text = f"{HEAD}@define\nclass A:\n    n: int\n    m: int = 3\n"
    with pytest.raises(TypeError):
        exec(f"{text}{call}\n", {})
    told = [p.proved for p in traced(tmp_path, f"{text}{call}\n").problems.values()]
    assert told == [True]
    assert not traced(tmp_path, f"{text}A(1)\nA(n=1, m=2)\nA(*[1, 2])\nA(**{{'n': 3}})\n").problems


SILENT = (
    "@attr.s(these={'n': attr.ib()})\nclass A:\n    pass\n    \nA(4).n",
    "own = __import__('settings').own\n@define(**own)\nclass A:\n    n: int\nA(4, 5, 6)",
    "from settings import shared\n@attr.s\nclass A:\n    n = attr.ib()\n    m = shared()\nA(4, 5)",
    "@define\nclass A:\n    n: int\nA.__attrs_attrs__\nattrs.fields(A).n.name\nattr.fields_dict(A)['n']\nattr.has(A)",
    "from settings import Base\n@define\nclass A(Base):\n    n: int\nA(4, 5)",
    "@define\nclass A:\n    n: int = field(init=False)\n    def __attrs_post_init__(self):\n        self.n = 3\nA().n",
)


@pytest.mark.parametrize("text", SILENT)
def test_nothing_is_said_where_the_fields_are_not_known(tmp_path: Path, text: str) -> None:
    assert not traced(tmp_path, f"{HEAD}{text}\n").problems


def test_a_validator_that_refuses(tmp_path: Path) -> None:
    text = """
@define
class A:
    n: int = field()
    @n.validator
    def _n(self, attribute, value):
        if value % 2:
            raise ValueError("odd")
A({})
"""
    for size, told in ((4, []), (5, [True])):
        assert [p.proved for p in traced(tmp_path, HEAD + text.format(size)).problems.values()] == told


def traced(folder: Path, text: str) -> Shared:
    return explore(folder, "net.py", ast.parse(text), Versions())


@pytest.mark.parametrize("fields", ["_class = attr.ib(default=3)", "n = attr.ib(alias='def')", "n = _n = attr.ib(3)"])
def test_fields_that_no_constructor_can_take_leave_the_class_open(fields: str, tmp_path: Path) -> None:
    text = f"{HEAD}@attr.s\nclass A:\n    {fields}\na = A()\ntorch.zeros(2) + torch.zeros(3)\n"
    shared = explore(tmp_path, "run.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values()] == [text.count("\n")]
