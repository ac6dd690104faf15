"""What nobody gives and is a tensor all the same: annotated as one, taken apart, made of a width."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import torch\nimport numpy as np\nimport torch as _torch\nfrom torch import Tensor, nn\n"


def told(tmp_path: Path, text: str) -> list[tuple[str, int, bool]]:
    problems = explore(tmp_path, "net.py", ast.parse(HEAD + text), Versions()).problems.values()
    return [(p.rule.removeprefix("tracing/"), p.site.line, p.proved) for p in problems if p.level != "note"]


PAIRS = """def pairs(x: {}):
    if x.dim() == 2:
        x = x.reshape((x.shape[0], x.shape[1], {}))
    return x.permute(0, 2, 1)
"""


@pytest.mark.parametrize("kind", ["Tensor", "torch.Tensor", "_torch.Tensor", "'Tensor'", "torch.FloatTensor"])
def test_an_annotated_argument_is_a_tensor(tmp_path: Path, kind: str) -> None:
    assert told(tmp_path, PAIRS.format(kind, 2)) == [("incompatible-shape", 7, False)]
    assert not told(tmp_path, PAIRS.format(kind, 1))


@pytest.mark.parametrize("kind", ["np.ndarray", "object", "list[Tensor]", "'Other'", "Tensor | None"])
def test_another_annotation_says_nothing(tmp_path: Path, kind: str) -> None:
    assert not told(tmp_path, PAIRS.format(kind, 2))


def test_an_annotation_that_the_lines_belie(tmp_path: Path) -> None:
    assert not told(tmp_path, "def scaled(x: Tensor):\n    return x.astype('float32').reshape(-1, 3).view(-1, 4, 5)\n")


QUATERNION = """def rotation(q: Tensor) -> Tensor:
    w, x, y, z = q.unbind(-1)
    return torch.stack([w, x, y, z, w, x, y, z, w], dim=-1).reshape(*q.shape[:-1], {}, 3)
"""


def test_how_many_parts_an_axis_has_is_what_they_are_unpacked_into(tmp_path: Path) -> None:
    assert told(tmp_path, QUATERNION.format(2)) == [("incompatible-shape", 7, False)]
    assert not told(tmp_path, QUATERNION.format(3))


NORM = """class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("mean", torch.zeros({}))
        self.register_buffer("scale", torch.ones({}))
        self.weight = nn.Parameter(torch.full(({},), 2.0))
    def forward(self, x):
        if self.training:
            self.mean = 0.5 * self.mean + 0.5 * x.mean(dim=(0, 1))
        return (x - self.mean) / self.scale * self.weight
"""


@pytest.mark.parametrize("widths", [("width * 2", "width", "width"), ("width", "width * 2", "width")])
def test_parameters_of_one_layer_that_never_fit_each_other(tmp_path: Path, widths: tuple[str, ...]) -> None:
    assert told(tmp_path, NORM.format(*widths)) == [("forced-dimension", 14, False)]
    assert not told(tmp_path, NORM.format("width", "width", "width"))


def test_a_factor_of_one_is_a_choice(tmp_path: Path) -> None:
    text = """class Block(nn.Module):
    def __init__(self, width, factor, stride, groups):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(width * factor, 7))
        self.b = nn.Parameter(torch.zeros(width, 7))
        self.conv = nn.Conv2d(8, 8, 3, stride=stride, padding=1)
    def forward(self, x):
        return self.a + self.b, x + self.conv(x)
"""
    assert not told(tmp_path, text)
