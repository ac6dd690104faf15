"""Which object a function of NumPy gives, and what an array, a copy or an object's dictionary is after a change."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import copy
import numpy as np
import tensorflow as tf
import tensorflow.experimental.numpy as tnp
import torch

class Held:
    __slots__ = ("x",)
class Holder(Held):
    pass
@np.vectorize
def added(a, b):
    return a + b
array, row, whole, few = np.array([1.0, 2.0, 3.0]), np.zeros(4, np.float32), np.arange(3), [1, 2, 3]
single, tensor, held = np.array(3), torch.ones(3), Holder()
held.x = 1
held.__dict__["x"] = 99
held.__dict__["y"] = 5
row.dtype = np.int32
negated = np.zeros(3, int)
np.negative(whole, negated)
"""

HOLDING = [
    "np.multiply(array, array, array) is array", "np.diff(few, n=0) is few", "copy.copy(single) is not single",
    "copy.deepcopy(tensor) is not tensor", "row.dtype == np.int32", "held.x == 1", "held.y == 5",
    "added.__name__ == 'added'", "negated[1] == -1", "torch.newaxis is None",
    "tensor[:, tnp.newaxis, torch.newaxis].shape == (3, 1, 1)", "tnp.ones(3)[:, tnp.newaxis].shape == (3, 1)",
]  # fmt: skip
KNOWN = ["row.dtype == np.int32", "held.x == 1", "torch.newaxis is None", "len.__name__ == 'len'",
         "copy.deepcopy(tensor).shape == (3,)", "np.diff(whole).shape == (2,)", "row.view(np.int16).shape == (8,)",
         "tensor[:, tnp.newaxis, torch.newaxis].shape == (3, 1, 1)"]  # fmt: skip


def _errors(tmp_path: Path, condition: str) -> list[bool]:
    """Of each error whether it is proved on the only path."""
    text = f"{HEAD}if {condition}:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    problems = explore(tmp_path, "main.py", ast.parse(text), Versions()).problems.values()
    return [not any(s.startswith("The path is taken when") for s in p.sentences) for p in problems]


@pytest.mark.parametrize("claim", HOLDING)
def test_what_does_not_hold_is_not_told(claim: str, tmp_path: Path) -> None:
    exec(f"{HEAD}assert {claim}", {})
    assert not any(_errors(tmp_path, f"not ({claim})"))


@pytest.mark.parametrize("claim", KNOWN)
def test_what_holds_is_known(claim: str, tmp_path: Path) -> None:
    exec(f"{HEAD}assert {claim}", {})
    assert _errors(tmp_path, claim) == [True]
