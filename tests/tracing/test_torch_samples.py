"""Calls of PyTorch's own samples of its operators: sizes and element types as PyTorch gives them, and its refusals."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import torch\nimport torch.nn.functional as F\nx = torch.ones\n"
FITTING = """
torch.linalg.matrix_rank(x(2, 5, 5), atol=None)
torch.softmax(x(5), 0, dtype=torch.float64)
x(5).log_softmax(0, torch.float64)
F.softmax(x(5, 3), 1, dtype=torch.float16)
F.log_softmax(x(5, 3), dim=0)
x(5).short()
x(5).logical_not()
torch.logical_not(x(20))
x(5, 4, 3).mode()[1]
torch.gather(x(5), 0, x(0).byte())
F.avg_pool2d(x(1, 1, 4, 4), (2, 2), (), (0,), False, True, -2)
""".strip().splitlines()


def leaves(value: Any, path: str = "y") -> list[tuple[str, Any]]:
    if isinstance(value, (tuple, list)):
        return [leaf for at, part in enumerate(value) for leaf in leaves(part, f"{path}[{at}]")]
    return [(path, value)]


@pytest.mark.parametrize("call", FITTING)
def test_sizes_and_element_types_are_those_of_a_real_call(tmp_path: Path, call: str) -> None:
    scope: dict[str, Any] = {}
    text = f"{HEAD}y = {call}\n"
    exec(text, scope)
    results = leaves(scope["y"])
    first = text.count("\n") + 1
    text += "".join(f"r{at} = {path}\n" for at, (path, _) in enumerate(results))
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error"]
    for at, (_, real) in enumerate(results):
        found = [t for (_, line, _), tensors in shared.assigned.items() if line == first + at for t in tensors]
        assert isinstance(real, torch.Tensor)
        assert [(t.dims, t.dtype) for t in found] == [(tuple(real.shape), str(real.dtype).removeprefix("torch."))]
