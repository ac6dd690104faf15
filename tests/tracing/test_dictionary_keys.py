"""Caches by keys of which a part is not known: a dictionary that certainly lacks a key gives its default."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

CACHED = """
import torch

KEPT = {{}}

def ramp(x, size):
    key = {key}
    found = KEPT.get(key)
    if found is None:
        found = torch.zeros(size)
        KEPT[key] = found
    return found

{calls}
"""
ONCE = "ramp(torch.zeros(2, 3), 33).view({rows}, -1)"
TWICE = """ramp(torch.zeros(2, 3), 32)
ramp(torch.zeros(2, 3, dtype=torch.float64), 33).view({rows}, -1)"""
KEYS = ("(size, x.dtype)", "(size, x.device.type, x.dtype)", "(size, x.device.type, x.device.index)")


def levels(tmp_path: Path, program: str) -> list[bool]:
    (tmp_path / "run.py").write_text(program)
    found = explore(tmp_path, "run.py", ast.parse(program), Versions()).problems.values()
    return [p.proved for p in found if p.level == "error"]


@pytest.mark.parametrize("key", KEYS)
def test_an_empty_cache_gives_nothing(key: str, tmp_path: Path) -> None:
    assert levels(tmp_path, CACHED.format(key=key, calls=ONCE.format(rows=2))) == [True]
    assert levels(tmp_path, CACHED.format(key=key, calls=ONCE.format(rows=3))) == []


def test_a_key_that_differs_in_a_known_part_is_another(tmp_path: Path) -> None:
    for key in ("(0, x.dtype)", "(size, x.dtype)"):
        assert levels(tmp_path, CACHED.format(key=key, calls=TWICE.format(rows=2))) == [True]
        assert levels(tmp_path, CACHED.format(key=key, calls=TWICE.format(rows=3))) == []


def test_a_key_that_may_be_there_proves_nothing(tmp_path: Path) -> None:
    calls = "ramp(torch.zeros(2, 3), 32)\nramp(torch.zeros(2, 3), 33).view(2, -1)"  # the first is kept
    for key in ("(0, x.dtype)", "(0, x.device.type)"):
        assert levels(tmp_path, CACHED.format(key=key, calls=calls)) == []


TRIED = """
import torch

KEPT = {{}}

def phony(x):
    key = (x.device, x.requires_grad)
    try:
        found = KEPT[key]
    except KeyError:
        found = torch.zeros({size})
        KEPT[key] = found
    return found

print(phony(torch.zeros(2, 3)).view(2, -1))
"""


def test_an_empty_cache_refuses_a_key_where_that_is_expected(tmp_path: Path) -> None:
    assert levels(tmp_path, TRIED.format(size=33)) == [True]
    assert levels(tmp_path, TRIED.format(size=34)) == []


def test_a_dictionary_that_something_unseen_may_have_filled_lacks_nothing(tmp_path: Path) -> None:
    for program in (CACHED.format(key="(size, x.dtype)", calls=ONCE.format(rows=2)), TRIED.format(size=33)):
        filled = program.replace("KEPT = {}", "import somewhere\nKEPT = {}\nsomewhere.fill(KEPT)")
        assert True not in levels(tmp_path, filled)
