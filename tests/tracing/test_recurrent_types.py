"""Element types of recurrent layers, and the ranks of what their cells are given: as PyTorch has and refuses them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import torch\nfrom torch import nn\nx = torch.ones\n"


def leaves(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize(
    "call",
    [
        "nn.LSTM(3, 5, dtype=torch.float64)(x(2, 4, 3).double())[1][0]",
        "nn.GRU(3, 5).double()(x(2, 4, 3).double())[0]",
        "nn.RNN(3, 5)(x(2, 4, 3))[1]",
        "nn.LSTMCell(3, 5).double()(x(4, 3).double())[1]",
        "nn.GRUCell(3, 5)(x(3), x(5))",
        "nn.RNNCell(3, 5)(x(4, 3), x(4, 5))",
    ],
)
def test_results_have_the_type_of_the_layer(tmp_path: Path, call: str) -> None:
    text = f"{HEAD}y = {call}\n"
    scope: dict[str, Any] = {}
    exec(text, scope)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not shared.problems
    found = [t for (_, line, _), tensors in shared.assigned.items() if line == 4 for t in tensors]
    wanted = scope["y"]
    assert [(t.dims, t.dtype) for t in found] == [(tuple(wanted.shape), str(wanted.dtype).removeprefix("torch."))]


@pytest.mark.parametrize(
    "call",
    [
        "nn.LSTM(3, 5)(x(2, 4, 3).double())",
        "nn.GRU(3, 5, dtype=torch.float64)(x(2, 4, 3))",
        "nn.RNN(3, 5)(x(2, 4, 3).long())",
        "nn.GRUCell(3, 5)(x(4, 3).double())",
        "nn.GRUCell(3, 5)(x(4, 3), x(4, 1, 1, 5))",
        "nn.RNNCell(3, 5)(x(2, 4, 3))",
        "nn.LSTMCell(3, 5)(x(4, 3), (x(4, 1, 5), x(4, 1, 5)))",
        "nn.CrossEntropyLoss()(x(2, 3), x(2))",
        "nn.CrossEntropyLoss()(x(2, 3), x(2).int())",
        "nn.functional.nll_loss(x(2, 3), x(2).double())",
    ],
)
def test_what_recurrent_layers_and_losses_refuse_of_types(tmp_path: Path, call: str) -> None:
    text = f"{HEAD}y = {call}\n"
    with pytest.raises((RuntimeError, ValueError)):
        exec(text, {})
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems if p.level == "error" and p.certain] == [4]
