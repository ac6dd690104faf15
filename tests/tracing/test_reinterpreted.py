"""Elements read as another type: `view(dtype)` of PyTorch and NumPy, held against them."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

VIEWS = [
    "x.view(torch.int64)", "x.view(torch.uint8)", "x.view(torch.float16)", "x.view(dtype=torch.int16)",
    "x.view(torch.int32)", "x.view(torch.complex64)", "x.int().view(torch.float64)", "x.long().view(torch.bool)",
    "a.view()", "a.view(np.uint8)", "a.view(np.float32)", "a.view(dtype=np.complex128)", "a.view(float)",
    "a.view('f4')", "a.view('int16')", "a.view(np.ndarray)", "a.astype(float).view(np.uint8)",
    "a.astype('float32').view(np.float64)", "a.astype(np.int8).view(np.int64)", "a.astype(int).view('int32')",
    "np.zeros((2, 4), dtype=float).view(np.uint8)", "np.zeros((2, 4), int).view(np.uint8)",
]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_the_last_size_changes_with_the_type(tmp_path: Path, view: str) -> None:
    text = "import numpy as np\nimport torch\nx = torch.zeros(3, 8, dtype=torch.float32)\na = np.zeros((3, 8))\n"
    scope: dict[str, object] = {}
    exec(f"{text}y = {view}", scope)
    y = scope["y"]
    assert isinstance(y, (torch.Tensor, np.ndarray))
    last = text.count("\n") + 1
    shared = explore(tmp_path, "net.py", ast.parse(f"{text}y = {view}\n"), Versions())
    assert not shared.problems
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert found == [tuple(y.shape)]


@pytest.mark.parametrize("view", ["a.view(kind)", "b.view(np.uint8)", "a.view([('x', 'f4')])", "x.view(kind)"])
def test_a_type_that_is_not_known(tmp_path: Path, view: str) -> None:
    text = f"""
import numpy as np
import torch
from somelib import kind
x = torch.zeros(3, 8)
a = np.zeros((3, 8))
b = a.astype(kind)
y = {view}
assert y.shape[-1] == 5
"""
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert not [p for p in problems if p.level == "error" and p.proved]
