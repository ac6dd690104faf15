"""Dictionaries whose keys are objects: one that was not put there is not found, unless objects may be equal."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import torch, threading
from collections import defaultdict
from weakref import WeakKeyDictionary

class Part(torch.nn.Module):
    pass

class Same:
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 1

class Cache:
    def __init__(self):
        self.locks = defaultdict(threading.Lock)
        self.held = {}

    def get(self, name, key):
        return self.held[name].get(key) if name in self.held else None

    def set(self, name, key, value):
        with self.locks[name]:
            if name not in self.held:
                self.held[name] = WeakKeyDictionary()
            self.held[name][key] = value

a, b, cache = Part(), Part(), Cache()
"""
SIZES = [
    ("cache.set('f', a, 4)\nn = 5 if cache.get('f', b) is not None else cache.get('f', a)", 4),
    ("n = 5 if cache.get('f', b) is not None else 3", 3),
    ("d = {a: 2}\nn = d.get(b, 6)", 6),
    ("d = {a: 2}\nn = d.pop(b, 6)", 6),
    ("d = {a: 2}\nd.setdefault(b, 7)\nn = d[b]", 7),
    ("d = defaultdict(lambda: 4)\nd[a] += 1\nn = d[a] + d[b]", 9),
    ("lock = threading.RLock()\nn = 4 if lock.acquire() else 5\nlock.release()", 4),
]


@pytest.mark.parametrize(("text", "size"), SIZES)
@pytest.mark.parametrize("fits", [True, False])
def test_what_is_found(text: str, size: int, fits: bool, tmp_path: Path) -> None:
    names: dict[str, object] = {}
    exec(HEAD + text, names)
    assert names["n"] == size
    text += f"\ntorch.zeros(2, n) @ torch.zeros({size + (not fits)}, 3)\n"
    problems = explore(tmp_path, "net.py", ast.parse(HEAD + text), Versions()).problems.values()
    assert [(p.level, p.proved) for p in problems] == ([] if fits else [("error", True)])


def test_objects_that_may_be_equal(tmp_path: Path) -> None:
    text = "d = {Same(): 2}\nn = d.get(Same(), 6)\ntorch.zeros(2, n) @ torch.zeros(2, 3)\n"
    assert not explore(tmp_path, "net.py", ast.parse(HEAD + text), Versions()).problems
