"""`Tensor.new_tensor`: the shape of the data and the element type of the tensor that makes it, against torch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore


@pytest.mark.parametrize("data", ["[1, 2]", "[[1.0, 2.0, 3.0]]", "x.shape", "data=[1]", "[1], dtype=torch.int64"])
def test_a_tensor_of_data(tmp_path: Path, data: str) -> None:
    text = f"import torch\nx = torch.zeros(2, 3, dtype=torch.float32)\ny = x.new_tensor({data})\n"
    names: dict[str, torch.Tensor] = {}
    exec(text, names)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    (found,) = next(tensors for (_, line, _), tensors in shared.assigned.items() if line == 3)[:1]
    assert (found.dims, f"torch.{found.dtype}") == (tuple(names["y"].shape), str(names["y"].dtype))


@pytest.mark.parametrize(
    "given",
    ["[1, 2]", "(4, 5, 6)", "2, 5", "x.shape", "torch.Size([4, 1])", "[[1, 2], [3, 4]]", "torch.ones(7)", "", "4"],
)
def test_new_takes_sizes_or_data(tmp_path: Path, given: str) -> None:
    text = f"import torch\nx = torch.zeros(2, 3)\ny = x.new({given})\n"
    names: dict[str, torch.Tensor] = {}
    exec(text, names)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    (found,) = next(tensors for (_, line, _), tensors in shared.assigned.items() if line == 3)[:1]
    assert (found.dims, f"torch.{found.dtype}") == (tuple(names["y"].shape), str(names["y"].dtype))


@pytest.mark.parametrize("kind", ["torch.Tensor", "torch.LongTensor", "torch.zeros(1).new"])
@pytest.mark.parametrize(
    "given",
    ["np.array([4, 5])[0]", "np.int64(4)", "np.array(4)", "np.prod([2, 3])", "np.array([4, 5])", "np.array([4])",
     "np.array(4), np.int64(3)", "(np.int64(4), 3)", "torch.tensor(4), 2", "np.array([4, 5]).sum()"],
)  # fmt: skip
def test_an_integer_of_numpy_is_a_size(tmp_path: Path, kind: str, given: str) -> None:
    text = f"import numpy as np\nimport torch\ny = {kind}({given})\n"
    names: dict[str, torch.Tensor] = {}
    exec(text, names)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    (found,) = next(tensors for (_, line, _), tensors in shared.assigned.items() if line == 3)[:1]
    assert found.dims == tuple(names["y"].shape)


@pytest.mark.parametrize("given", ["np.array(4, dtype=np.float32)", "torch.tensor(4.0)"])
def test_another_number_is_the_data(tmp_path: Path, given: str) -> None:
    text = f"import numpy as np\nimport torch\ny = torch.Tensor({given})\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    (found,) = next(tensors for (_, line, _), tensors in shared.assigned.items() if line == 3)[:1]
    assert found.dims == ()
