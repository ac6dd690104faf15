"""Tensors whose whole numbers index others keep their type; one that is no mask for want of its size is an index."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

MADE = (
    "einops.rearrange([k, k + 1], 's b -> b s')", "torch.full((3,), 2)", "torch.full((3,), 2.0).long()",
    "torch.full((3,), True)", "torch.bincount(k)", "torch.masked_select(k, k > 1)", "torch.full((2,), 1.5)",
    "einops.rearrange([k.float(), k.float()], 's b -> b s')",
)  # fmt: skip


def explored(tmp_path: Path, text: str):  # type: ignore[no-untyped-def]
    return explore(tmp_path, "net.py", ast.parse(text), Versions())


@pytest.mark.parametrize("made", MADE)
def test_types_of_what_is_made(tmp_path: Path, made: str) -> None:
    text = f"import einops, torch\nk = torch.arange(4)\nx = {made}\n"
    names: dict[str, torch.Tensor] = {}
    exec(text, names)
    found = next(t[0] for (_, line, _), t in explored(tmp_path, text).assigned.items() if line == 3)
    wanted = str(names["x"].dtype).removeprefix("torch.")
    assert found.dtype == wanted or (wanted == "float32" and found.dtype is None)


@pytest.mark.parametrize("size", [2, 3])
def test_an_index_of_an_unknown_type(tmp_path: Path, size: int) -> None:
    """A mask would have the 18 elements of what it selects from."""
    text = (
        "import json, torch\nplaces = torch.zeros(2, dtype=getattr(torch, json.load(open('kind.json'))))\n"
        f"x = torch.linspace(0, 1, 18)[places]\nx + torch.ones({size})\n"
    )
    assert [p.site.line for p in explored(tmp_path, text).problems.values()] == ([4] if size == 3 else [])


def test_what_may_be_a_mask(tmp_path: Path) -> None:
    text = (
        "import json, torch\nplaces = torch.zeros(18, dtype=getattr(torch, json.load(open('kind.json'))))\n"
        "x = torch.linspace(0, 1, 18)[places]\nx + torch.ones(3)\n"
    )
    assert not explored(tmp_path, text).problems
