"""Names that a program binds without naming them: in `globals()`, in a module's dictionary, in code made of a text."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import sys
import torch
import settings

width = 3

class Sizes:
    def __init__(self):
        self.width = 3

sizes = Sizes()

def keep(width=3):
    return width

{binds}
torch.zeros(2, {read}) @ torch.zeros({rows}, 5)
"""
BINDS = {
    "globals()[name] = 4": ('globals()["width"] = 4', "width"),
    "globals().update": ("globals().update(width=4)", "width"),
    "globals of a function": ('def choose():\n    names = globals()\n    names["width"] = 4\n\nchoose()', "width"),
    "vars()": ('vars()["width"] = 4', "width"),
    "locals() of a module": ('locals()["width"] = 4', "width"),
    "setattr on itself": ('setattr(sys.modules[__name__], "width", 4)', "width"),
    "vars of another module": ('vars(settings)["width"] = 4', "settings.width"),
    "__dict__ of another module": ("settings.__dict__.update(width=4)", "settings.width"),
    "a new name of another module": ('vars(settings)["height"] = 4', "settings.height"),
    "a text that is run": ('exec("width = 4")', "width"),
    "several texts": ('for name in ("width", "height"):\n    exec(f"{name} = 4")', "height"),
    "an attribute in a text": ('def choose(s):\n    exec("s.width = 4")\n\nchoose(sizes)', "sizes.width"),
    "another __dict__": ('sizes.__dict__ = {"width": 4}', "sizes.width"),
}
UNKNOWN = {
    "a file that is run": "exec(open('more.py').read())",
    "a text among names": "exec(open('more.py').read(), globals())",
    "items of unknown names": "import json\nglobals().update(json.load(open('more.json')))",
    "other defaults": "keep.__defaults__ = (4,)\nwidth = keep()",
}


def errors(tmp_path: Path, binds: str, read: str, rows: int) -> list[bool]:
    (tmp_path / "settings.py").write_text("width = 3\n")
    text = PROGRAM.format(binds=binds, read=read, rows=rows)
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    return [p.proved for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize(("binds", "read"), BINDS.values(), ids=BINDS.keys())
def test_the_name_is_what_was_bound_last(binds: str, read: str, tmp_path: Path) -> None:
    assert errors(tmp_path, binds, read, 4) == []
    assert errors(tmp_path, binds, read, 3) == [True]


@pytest.mark.parametrize("binds", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_behind_what_is_not_known_nothing_is_proved(binds: str, tmp_path: Path) -> None:
    assert True not in errors(tmp_path, binds, "width", 4)


def test_a_namespace_of_its_own_changes_no_name(tmp_path: Path) -> None:
    assert errors(tmp_path, "exec(open('more.py').read(), {})", "width", 4) == [True]


def test_in_a_function_a_text_binds_none_of_its_names(tmp_path: Path) -> None:
    inside = 'def choose():\n    width = 3\n    exec("width = 4")\n    return width\n\nwidth = choose()'
    assert True not in errors(tmp_path, inside, "width", 4)
