"""Lazy convolutions and power-average pools of torch.nn: the shapes that PyTorch gives, and what it refuses."""

from __future__ import annotations

import ast
import random
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import torch\nfrom torch import nn\n"


def shapes(tmp_path: Path, text: str, line: int) -> list[Any]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error"], text
    return [t.dims for (_, at, _), tensors in shared.assigned.items() if at == line for t in tensors]


def window(draw: random.Random, rank: int) -> str:
    kind = draw.choice(("LazyConv", "LazyConvTranspose", "LPPool"))
    size = draw.randrange(1, 4)
    if kind == "LPPool":
        return f"nn.LPPool{rank}d(2.0, {size}, stride={draw.choice((None, 1, 2))}, ceil_mode={draw.random() < 0.5})"
    groups = draw.choice((1, 2))
    return f"nn.{kind}{rank}d({4 * groups}, {size}, stride={draw.choice((1, 2))}, padding=0, groups={groups})"


def test_windows_of_unknown_channels_and_of_powers(tmp_path: Path) -> None:
    import torch

    draw = random.Random(5)
    for _ in range(60):
        rank = draw.randrange(1, 4)
        sizes = (4, *(draw.randrange(3, 7) for _ in range(rank)))
        sizes = (2, *sizes) if draw.random() < 0.5 else sizes
        text = f"{HEAD}m = {window(draw, rank)}\ny = m(torch.rand({sizes}))\nz = m(torch.rand({sizes}))\n"
        scope: dict[str, Any] = {}
        exec(text, scope)
        assert isinstance(scope["y"], torch.Tensor)
        assert shapes(tmp_path, text, 5) == [tuple(scope["y"].shape)], text


@pytest.mark.parametrize(
    ("made", "called", "line"),
    [
        ("nn.LazyConv2d(8, 3)", "m(x(2, 3, 8, 8)); m(x(2, 4, 8, 8))", 4),
        ("nn.LazyConv1d(8, 3, groups=2)", "m(x(2, 3, 8))", 4),
        ("nn.LazyConv2d(8, 3)", "m(x(2, 8))", 4),
        ("nn.LPPool2d(2, 3)", "m(x(2, 3, 8))[0][0][0][0]; m(x(8, 8))", 4),
    ],
)
def test_what_lazy_windows_refuse(tmp_path: Path, made: str, called: str, line: int) -> None:
    text = f"{HEAD}x = torch.ones; m = {made}\n{called}\n"
    with pytest.raises((RuntimeError, ValueError, IndexError)):
        exec(text, {})
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems if p.level == "error"] == [line]


def test_unpooling_has_the_size_that_torch_gives(tmp_path: Path) -> None:
    import torch

    draw = random.Random(6)
    for _ in range(60):
        rank = draw.randrange(1, 4)
        kernel, stride = draw.randrange(2, 4), draw.choice((None, 2, 3))
        sizes = (*((2,) if draw.random() < 0.5 else ()), 3, *(draw.randrange(kernel, 8) for _ in range(rank)))
        asked = draw.choice(("", f", output_size={sizes}", f", output_size={sizes[-rank:]}"))
        text = (
            f"{HEAD}p = nn.MaxPool{rank}d({kernel}, {stride}, return_indices=True)\n"
            f"h, i = p(torch.rand({sizes}))\n"
            f"y = nn.MaxUnpool{rank}d({kernel}, {stride})(h, i{asked})\n"
            f"z = nn.functional.max_unpool{rank}d(h, i, {kernel}, {stride}{asked})\n"
        )
        scope: dict[str, Any] = {}
        try:
            exec(text, scope)
        except (RuntimeError, ValueError):
            continue
        assert isinstance(scope["y"], torch.Tensor)
        for line, name in ((5, "y"), (6, "z")):
            assert shapes(tmp_path, text, line) == [tuple(scope[name].shape)], text


@pytest.mark.parametrize("call", ["m(x, x[:1].long())", "m(x, x.long(), output_size=(1, 2, 3))"])
def test_what_unpooling_refuses(tmp_path: Path, call: str) -> None:
    text = f"{HEAD}m, x = nn.MaxUnpool2d(2), torch.zeros(2, 3, 4, 4)\ny = {call}\n"
    with pytest.raises((RuntimeError, ValueError)):
        exec(text, {})
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems if p.level == "error"] == [4]


def test_sizes_that_the_first_input_tells(tmp_path: Path) -> None:
    text = HEAD + "layer = nn.LazyLinear(5)\nlayer(torch.ones(2, 9))\nassert layer.{} == {}\n"
    conv = text.replace("nn.LazyLinear(5)", "nn.LazyConv2d(4, 3)").replace("ones(2, 9)", "ones(1, 7, 5, 5)")
    for program in (text.format("in_features", 9), conv.format("in_channels", 7)):
        exec(program, {})
        problems = explore(tmp_path, "net.py", ast.parse(program), Versions()).problems.values()
        assert not [p for p in problems if p.level == "error"]
    problems = explore(tmp_path, "net.py", ast.parse(text.format("out_features", 4)), Versions()).problems.values()
    assert len([p for p in problems if p.level == "error"]) == 1
