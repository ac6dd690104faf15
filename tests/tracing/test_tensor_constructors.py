"""`torch.Tensor` and its typed forms, whose arguments are sizes or elements, held against PyTorch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

CALLS = [
    "torch.Tensor(3, 4)",
    "torch.Tensor((3, 4))",
    "torch.Tensor(size=(3, 4))",
    "torch.Tensor(size=[3, 4], device='cpu')",
    "torch.Tensor(data=[3, 4])",
    "torch.Tensor(other=torch.zeros(2, 3))",
    "torch.Tensor(torch.Size([3, 4]))",
    "torch.FloatTensor(size=(3, 4))",
    "torch.LongTensor(size=(5,))",
    "torch.LongTensor(data=[[3, 4]])",
    "torch.Tensor()",
]


@pytest.mark.parametrize("call", CALLS)
def test_a_tensor_has_the_shape_that_pytorch_gives(call: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    shape = tuple(eval(call, {"torch": torch}).shape)
    right, wrong = (f"import torch\ntorch.zeros({s}) + {call}.reshape({shape})\n" for s in (shape, (*shape[:-1], 9)))
    asked = f"import torch\nassert {call}.shape == {shape}\n"
    told = [
        [p.site.line for p in explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values() if p.proved]
        for text in (right, asked, wrong)
    ]
    assert told == [[], [], [2]]
