"""Arrays of objects: what an element is says nothing of its shape."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import numpy as np
import torch
class Own:
    pass
"""
MADE = [
    "np.empty(3, dtype=object)", "np.empty(3, object)", "np.zeros((3,), 'O')", "np.full(3, None, dtype=object)",
    "np.empty(3, dtype=torch.Tensor)", "np.empty(3, dtype=np.ndarray)", "np.empty(3, dtype=list)",
    "np.empty(3, dtype=Own)", "np.empty(3, dtype=np.object_)", "np.zeros_like(np.empty(3, dtype=object))",
    "np.array([None, None, None])", "np.array([None, 1, 2], dtype=object)", "np.empty((2, 3), dtype=object)[0]",
    "np.empty((1, 3), dtype=object).reshape(3)",
]  # fmt: skip
USED = [
    "a[0] = np.ones((2, 2))", "a[1] = torch.ones(4, 5)", "a[0] = np.ones((2, 2))\nprint(a[0][1, 1] + a[0].shape[1])",
    "a[0] = a[1] = a[2] = np.ones((2, 2))\nfor x in a:\n    print(x[1, 1])",
    "a[0] = a[1] = a[2] = np.ones((2, 2))\nx, y, z = a\nprint(x[1, 1] + np.ones(7))",
    "a[0] = np.ones((2, 2))\nprint(np.linalg.det(a[0]))",
    "a[:2] = np.ones((2, 2))",
]  # fmt: skip


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("used", USED)
def test_an_element_of_objects_has_any_shape(tmp_path: Path, made: str, used: str) -> None:
    text = f"{HEAD}a = {made}\n{used}\n"
    fails = False
    try:
        exec(text, {"__name__": "net"})
    except ValueError:
        fails = True
    told = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert fails or not told, [p.message for p in told]
    assert fails == used.startswith("a[:2]")


def test_a_number_of_an_array_has_none(tmp_path: Path) -> None:
    text = f"{HEAD}a = np.empty(3)\na[0] = np.ones((2, 2))\n"
    told = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.proved for p in told] == [True]
