"""LSTMs that project their hidden state: the output and both states, held against PyTorch."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore


@pytest.mark.parametrize("seed", range(12))
def test_a_projection(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    features, hidden, layers = rng.randint(1, 5), rng.randint(3, 9), rng.randint(1, 3)
    projected, both, first = rng.choice([0, 1, hidden - 1]), rng.choice([True, False]), rng.choice([True, False])
    sizes = ", ".join(map(str, (*rng.choice([(4, 3), (4,)]), features)))
    text = (
        f"import torch\nnet = torch.nn.LSTM({features}, {hidden}, {layers}, batch_first={first}, "
        f"bidirectional={both}, proj_size={projected})\nout, (h, c) = net(torch.zeros({sizes}))\n"
        "out, (h, c) = net(torch.zeros({}), (h, c))\n".format(sizes)
    )
    scope: dict[str, object] = {}
    exec(text, scope)
    shapes = []
    for name in ("out", "h", "c"):
        tensor = scope[name]
        assert isinstance(tensor, torch.Tensor)
        shapes.append(tuple(tensor.shape))
    wrong = (*shapes[2][:-1], shapes[2][-1] + 1)
    for cell, lines in ((shapes[2], []), (wrong, [7])):
        checks = f"assert out.shape == {shapes[0]}\nassert h.shape == {shapes[1]}\nassert c.shape == {cell}\n"
        shared = explore(tmp_path, "net.py", ast.parse(text + checks), Versions())
        assert [p.site.line for p in shared.problems.values() if p.level == "error"] == lines
