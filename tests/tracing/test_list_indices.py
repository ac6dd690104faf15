"""Lists between brackets: the tuple of their elements, or an index array."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

LISTS = [
    "[slice(None)] * 2 + [torch.arange(5)]", "[slice(None), slice(1)]", "[None, 0]", "[0, 1]", "[Ellipsis, 1]",
    "[torch.tensor([0, 1]), torch.tensor([2, 3])]", "[[0, 1], [2, 3]]", "[slice(None), [0, 0]]", "[np.arange(2), 0]",
    "[True, False, True]",
]  # fmt: skip
HEAD = "import numpy as np\nimport torch\nx = torch.zeros(3, 4, 6, 2)\n"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("index", LISTS)
def test_a_list_chooses_what_torch_chooses_by_it(tmp_path: Path, index: str) -> None:
    scope: dict[str, torch.Tensor] = {}
    exec(f"{HEAD}i = {index}\ny = x[i]\nx[i] = torch.zeros(y.shape)", scope)
    sizes = list(scope["y"].shape)
    for wrong in (0, 1):
        text = f"{HEAD}i = {index}\nx[i].permute({', '.join(map(str, range(len(sizes) + wrong)))})\n"
        text += f"x[i] = torch.zeros({[*sizes[:-1], sizes[-1] + 3 * wrong]})\n"
        shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
        assert [p.site.line for p in shared.problems.values() if p.level == "error"] == [5] * wrong


def test_scalars_of_numpy_are_numbers_of_an_index_array(tmp_path: Path) -> None:
    text = f"{HEAD}i = [np.int64(1), 0]\nx[i].permute(0, 1, 2, 3)\n"
    exec(text, {})
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems
