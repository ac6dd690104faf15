"""Private functions of `torch.nn.functional` and initialisers, held against PyTorch: each call is run and traced."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import Parameter
from torch.nn.functional import _in_projection, _in_projection_packed, _mha_shape_check
q, k, v = torch.randn(5, 2, 6), torch.randn(7, 2, 4), torch.randn(7, 2, 3)
s = torch.randn(9, 2, 6)
p = lambda *sizes: Parameter(torch.empty(*sizes))
"""
CALLS = """
    _in_projection(q, k, v, p(6, 6), p(6, 4), p(6, 3))[0]
    _in_projection(q, k, v, p(6, 6), p(6, 4), p(6, 3))[1]
    _in_projection(q, k, v, p(6, 6), p(6, 4), p(6, 3), p(18)[:6], p(18)[6:12], p(18)[12:])[2]
    _in_projection(q, k, v, p(6, 6), p(6, 4), p(6, 3), None, None, b_v=p(6))[2]
    _in_projection(q, k, v, p(7, 6), p(6, 4), p(6, 3))[0]
    _in_projection(q, k, v, p(6, 6), p(6, 6), p(6, 3))[0]
    _in_projection(q, k, v, p(6, 6), p(6, 4), p(12, 3))[0]
    _in_projection(q, k, v, p(6, 6), p(6, 4), p(6, 3, 1))[0]
    _in_projection(q, k, v, p(6, 6), p(6, 4), p(6, 3), p(18))[0]
    _in_projection_packed(q, q, q, p(18, 6))[1]
    _in_projection_packed(q, q, q, p(18, 6), p(18))[2]
    _in_projection_packed(q, s, s, p(18, 6), p(18))[1]
    _in_projection_packed(q, s, torch.randn(9, 2, 6), p(18, 6), p(18))[0]
    _in_projection_packed(q, q, q, p(12, 6))[1]
    _in_projection_packed(q, s, s, p(12, 6))[1]
    _in_projection_packed(q, q, q, p(18, 7))[1]
    _in_projection_packed(q, k, k, p(18, 6))[1]
    _in_projection_packed(q, q, q, p(18, 6), p(6))[1]
    torch.ones(3 if _mha_shape_check(q, s, s, None, None, 2) else 4)
    torch.ones(3 if _mha_shape_check(q[0], s[0], s[0], None, None, 2) else 4)
    torch.ones(3 if _mha_shape_check(q, s[0], s, None, None, 2) else 4)
    torch.ones(3 if _mha_shape_check(q, s, s, torch.ones(5), None, 2) else 4)
    torch.ones(3 if _mha_shape_check(q[0, 0], s, s, None, None, 2) else 4)
    nn.init.xavier_normal_(p(1, 1, 6))
    nn.init.xavier_normal_(p(6))
    nn.init.xavier_uniform_(p(6))
    nn.init.kaiming_uniform_(p(6, 5))
    nn.init.kaiming_uniform_(p(6))
    nn.init.kaiming_normal_(p(0))
    nn.init.orthogonal_(p(6))
    nn.init.orthogonal_(p(6, 3))
    nn.init.eye_(p(6, 3))
    nn.init.eye_(p(6, 3, 1))
    nn.init.dirac_(p(6, 3))
    nn.init.dirac_(p(6, 3, 3))
    nn.init.sparse_(p(6, 3, 3), 0.1)
    nn.init.normal_(p(6))
    nn.init.constant_(p(6), 1.0)
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [line.strip() for line in CALLS])
def test_what_is_called_on_its_own(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    scope: dict[str, Any] = {}
    try:
        exec(text, scope)
    except (RuntimeError, ValueError, AssertionError):
        scope.pop("y", None)
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    last = text.count("\n")
    told = [(p.level, p.site.line, p.proved) for p in shared.problems.values()]
    assert told == ([] if "y" in scope else [("error", last, True)])
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert set(found) == ({tuple(scope["y"].shape)} if "y" in scope else set())
