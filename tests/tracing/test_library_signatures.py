"""`inspect.signature` of a library's class names what its constructor takes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

FILTERED = """
import inspect, torch
from torch import nn
def make(kind, **options):
    cls = getattr(nn, kind)
    names = inspect.signature({asked}).parameters
    return cls(**{{key: value for key, value in options.items() if key in names}})
options = dict(in_channels=3, out_channels=8, kernel_size=3, num_features={width}, negative_slope=0.1)
net = nn.Sequential(*(make(kind, **options) for kind in ("Conv2d", "BatchNorm2d", "LeakyReLU")))
net(torch.zeros(2, 3, 8, 8))
"""
ASKED = (
    "list(inspect.signature(nn.Linear).parameters)[:3]", "list(inspect.signature(nn.Linear.__init__).parameters)[:3]",
    "inspect.signature(nn.Linear).parameters['bias'].name", "'lr' in inspect.signature(torch.optim.SGD).parameters",
    "'betas' in inspect.signature(torch.optim.SGD).parameters",
    "inspect.signature(torch.optim.Adam).parameters['foreach'].kind == inspect.Parameter.KEYWORD_ONLY",
)  # fmt: skip


def explored(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("asked", ["cls", "cls.__init__"])
@pytest.mark.parametrize("width", [8, 16])
def test_options_that_a_layer_takes(tmp_path: Path, asked: str, width: int) -> None:
    text = FILTERED.format(asked=asked, width=width)
    if width == 16:
        with pytest.raises(RuntimeError):
            exec(text, {})
    else:
        exec(text, {})
    assert explored(tmp_path, text) == ([] if width == 8 else [7])


@pytest.mark.parametrize("asked", ASKED)
def test_names_as_they_are(tmp_path: Path, asked: str) -> None:
    head = "import inspect, torch\nfrom torch import nn\n"
    names: dict[str, object] = {}
    exec(f"{head}found = {asked}", names)
    test = f"{head}if ({asked}) != {names['found']!r}:\n    torch.zeros(2) + torch.zeros(3)\n"
    assert explored(tmp_path, test) == []
    assert explored(tmp_path, test.replace("!=", "==", 1)) == [4]
