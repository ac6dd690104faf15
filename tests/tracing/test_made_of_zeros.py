"""What is 0 of a tensor that was made of zeros."""

from __future__ import annotations

import ast
from pathlib import Path

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

ZEROS = """
import torch
from torch import nn

class Body(nn.Module):
    def forward(self, x, betas=torch.zeros(1){changed}):
        if betas is None or bool(torch.norm(betas) == 0):
            return torch.zeros(2, {n}) @ torch.zeros(3, 4)
        return betas.transpose(1, 0)
"""


def told(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]


def test_the_norm_of_zeros(tmp_path: Path) -> None:
    assert told(tmp_path, ZEROS.format(n=3, changed="")) == []
    assert told(tmp_path, ZEROS.format(n=2, changed="")) == [8]
    assert told(tmp_path, ZEROS.format(n=3, changed=".add_(1)")) == [9]
