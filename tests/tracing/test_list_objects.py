"""Classes that inherit from a list: each program is run, and its width is right in one layer and wrong in another."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import copy
from typing import List
import torch
from torch import nn

class Sizes(list):
    def __init__(self, items=(), scale=1):
        super().__init__(items)
        self.scale = scale
    def scaled(self):
        return [n * self.scale for n in self]
    def total(self):
        return sum(self)

class Logged(List[int]):
    def append(self, item):
        super().append(item + 1)
    def __getitem__(self, index):
        return super().__getitem__(index)

class Doubled(list):
    def __iter__(self):
        for item in super().__iter__():
            yield 2 * item
    def __len__(self):
        return 2 * super().__len__()

s = Sizes([2, 3, 4], scale=2)
g = Logged()
d = Doubled([5, 6])
"""
WIDTHS = """
    s[1]
    s[-1]
    s.scaled()[2]
    s.total()
    len(s)
    s.append(7) or s[3]
    s.extend([1, 1]) or len(s)
    s.pop()
    s.pop(0) + len(s)
    s.insert(0, 9) or s[0]
    s.reverse() or s[0]
    s.sort(reverse=True) or s[0]
    s.clear() or len(s) + 1
    s.index(3) + 1
    [*s][2]
    list(s)[0]
    tuple(s)[1]
    max(s)
    len(s[1:])
    (s + [8])[3]
    len([1] + s)
    len(s * 2)
    sum(x for x in reversed(s))
    2 if isinstance(s, list) else 3
    2 if 3 in s else 5
    2 if s else 5
    2 if Sizes() else 5
    g.append(4) or g[0]
    sum(d)
    len(d)
    torch.zeros(s).shape[2]
    torch.zeros(*s).shape[1]
    dict(enumerate(s))[2]
    [a + b for a, b in zip(s, s)][0]
    s.copy()[1]
"""
PROGRAMS = {
    "item": "s[0] = 9\nn = s[0]",
    "slice": "s[1:] = [5]\nn = s[1] + len(s)",
    "deleted": "del s[0]\nn = s[0]",
    "grown": "kept = s\ns += [6, 7]\nn = len(kept) + s.scale",
    "sum": "n = len(s + s) + len(s)",
    "unpacked": "a, b, c = s\nn = c",
    "loop": "n = 0\nfor size in s:\n    n += size",
    "layers": "layers = Sizes(nn.Linear(4, 4) for _ in range(3))\nn = len(layers) + layers[0].in_features",
    "stacked": "rows = Sizes([torch.zeros(3), torch.ones(3)])\nn = torch.stack(rows).shape[0]",
    "catted": "rows = Sizes([torch.zeros(3), torch.ones(4)])\nn = torch.cat(rows).shape[0]",
    "copied": "t = copy.copy(s)\nt.append(5)\nn = len(s) + len(t) + t.scale",
    "deep": "t = copy.deepcopy(s)\nt[0] = 9\nn = s[0] + t[0]",
    "missing": "n = 5 if not hasattr(s, 'nothing') else 6",
}
CASES = [f"n = {line.strip()}" for line in WIDTHS.strip().splitlines()] + list(PROGRAMS.values())


@pytest.mark.parametrize("program", CASES)
def test_a_width_from_an_object_that_is_a_list(program: str, tmp_path: Path) -> None:
    scope: dict[str, int] = {}
    exec(f"{HEAD}\n{program}\n", scope)
    for more in (0, 1):
        text = f"{HEAD}\n{program}\nx = nn.Linear(n, 2)(torch.zeros(3, {scope['n'] + more}))\n"
        problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
        assert [p.site.line for p in problems if p.level == "error"] == [text.count("\n")] * more


@pytest.mark.parametrize(
    "call", ["elsewhere.change(s)", "elsewhere.change(items=s)", "elsewhere.Made().step(losses=s)"]
)
def test_how_long_a_list_is_that_another_function_was_given_is_not_known(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\nimport elsewhere\n{call}\nx = nn.Linear(len(s), 2)(torch.zeros(3, 5))\n"
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert not [p for p in problems if p.level == "error"]
