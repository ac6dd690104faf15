"""How long a list is whose elements stand for what has any number of them: one element is possible."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import keras, torch
def read():
    data = {}
    found = []
    {}
    if len(found) != {}:
        torch.zeros(2, 3) @ torch.zeros(4, 5)
read()
"""
UNKNOWN, KNOWN = "keras.utils.audio_dataset_from_directory('sounds', batch_size=2)", "[1, 1]"
MADE = [
    "found = list(data)",
    "found = [part for part in data]",
    "found = list(set([part for part in data]))",
    "found = sorted({part for part in data})",
    "for part in data: found.append(part)",
]


@pytest.mark.parametrize("made", MADE)
def test_there_may_be_one(made: str, tmp_path: Path) -> None:
    for data, length, told in ((UNKNOWN, 1, False), (KNOWN, 3, True)):
        shared = explore(tmp_path, "net.py", ast.parse(PROGRAM.format(data, made, length)), Versions())
        errors = [p for p in shared.problems.values() if p.level == "error" and p.proved]
        assert any(not any(s.startswith("The path is taken") for s in p.sentences) for p in errors) is told
