"""`vars(object)` is the object's attributes: what is set or taken out there is so in the object."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch

class Estimator:
    def __init__(self, size: int = 3):  # a size that is kept beside the attributes
        self.kept = size

    def again(self, x):
        {}
        if not hasattr(self, "learned"):
            self.learned = x.shape[1]
        return x @ torch.zeros(self.learned, 2)

estimator = Estimator(4)
estimator.again(torch.zeros(2, 6))
estimator.again(torch.zeros(2, 9))
"""


@pytest.mark.parametrize(
    ("statement", "refused"),
    [
        ("self.__dict__.pop('learned', None)", False),
        ("vars(self).pop('learned', None)", False),
        ("self.__dict__.clear()", False),
        ("self.__dict__.update(learned=x.shape[1])", False),
        ("self.__dict__['learned'] = x.shape[1]", False),
        ("self.__dict__.setdefault('learned', x.shape[1])", True),
        ("self.__dict__.pop('other', None)", True),
        ("dict(self.__dict__).pop('learned', None)", True),
        ("self.__dict__.copy().clear()", True),
    ],
)
def test_changes_of_the_dictionary_are_changes_of_the_object(statement: str, refused: bool, tmp_path: Path) -> None:
    shared = explore(tmp_path, "main.py", ast.parse(PROGRAM.format(statement)), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level != "note"] == ([12] if refused else [])


MARKED = """
import copy
import torch

class Settings(dict):
    FROZEN = "__frozen__"

    def __init__(self, **given):
        super().__init__(given)
        self.__dict__[Settings.FROZEN] = False

    def __setattr__(self, name, value):
        if self.__dict__[Settings.FROZEN]:
            raise AttributeError(name)
        self[name] = value

settings = Settings(width=3)
twin = copy.deepcopy(settings)
twin.width = 4
if twin.__dict__["__frozen__"] or "__frozen__" not in twin.__dict__ or len(twin.__dict__) != 1:
    torch.zeros(2, 3) @ torch.zeros(4, 5)
torch.zeros(2, twin["width"]) @ torch.zeros({}, 2)
"""


@pytest.mark.parametrize(("size", "refused"), [(4, False), (3, True)])
def test_a_name_between_underscores_is_an_attribute_as_well(size: int, refused: bool, tmp_path: Path) -> None:
    text = MARKED.format(size)
    (tmp_path / "settings.py").write_text(text)
    shared = explore(tmp_path, "settings.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True] * refused


@pytest.mark.parametrize(("least", "proved"), [(2, False), (1, True)])
def test_what_an_object_inherits_from_is_not_among_its_attributes(least: int, proved: bool, tmp_path: Path) -> None:
    text = "import torch\n\nclass Kept(dict):\n    def __init__(self):\n        self.size = 1\n\n"
    text += f"if len(vars(Kept())) >= {least}:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    (tmp_path / "kept.py").write_text(text)
    shared = explore(tmp_path, "kept.py", ast.parse(text), Versions())
    assert any(p.proved for p in shared.problems.values()) == proved


SHARED = """
import copy
import torch

class Output(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self

class First(dict):
    def __init__(self, **kwargs):
        self.__dict__ = self
        self.extra = 1
        super().__init__(**kwargs)
        self.update(more=6)

class Nested(Output):
    @classmethod
    def of(cls, data):
        return cls({k: cls.of(v) if isinstance(v, dict) else v for k, v in data.items()})

def changed(made, name, size):
    setattr(made, name, size)
    return made

out = Output(first=3)
out.second = 4
out["third"] = 5
del out.first
later = copy.deepcopy(out)
later.second = 9
shallow = copy.copy(out)
shallow["second"] = 8
"""
SHARED_SIZES = """
out["second"]
out.third
len(out)
out.get("second")
sum(out.values())
out.get("first", 7)
getattr(out, "first", 6)
First(size=3).extra
First(size=3)["extra"]
First(size=3).size
First(size=3).more
len(First(size=3))
Nested.of({"a": {"b": 4}}).a.b
Nested.of({"a": {"b": 4}})["a"]["b"]
changed(Output(), "size", 3)["size"]
changed(Output(size=2), "size", 3)["size"]
out.pop("second") + len(out)
dict(out)["third"]
Output(**out).third
later.second
later["second"]
shallow.second
shallow["second"]
{**out}["third"]
""".strip().splitlines()


@pytest.mark.parametrize("size", SHARED_SIZES)
def test_a_dictionary_that_is_its_own_attributes(size: str, tmp_path: Path) -> None:
    names: dict[str, int] = {}
    exec(f"{SHARED}\nn = {size}\n", names)
    for other, wrong in ((names["n"], 0), (names["n"] + 1, 1)):
        text = f"{SHARED}\ntorch.zeros(2, {size}) @ torch.zeros({other}, 2)\n"
        problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
        assert [p.certain for p in problems if p.level == "error"] == [True] * wrong
