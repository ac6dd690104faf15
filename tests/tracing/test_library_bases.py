"""Methods of a library's classes asked for by their names, assertions of test cases, writers of summaries."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.tracing import explore, read_source

BASES = """
import torch
from torch import nn

class Own(nn.Linear):
    def __init__(self, width):
        nn.Linear.__init__(self, width, 2, bias=False)
    def forward(self, x):
        return nn.Linear.forward(self, x) + 1

class Parts(nn.Module):
    def __init__(self, width):
        nn.Module.__init__(self)
        self.own = Own(width)
        self.last = nn.Linear(2, width)
    def forward(self, x):
        return self.last(self.own(x))

print(Parts(3)(torch.zeros(5, {})).shape)
"""


def traced(tmp_path: Path, text: str, name: str = "program.py") -> Shared:
    path = tmp_path / name
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    return explore(tmp_path, name, tree, Versions())


def runs(text: str) -> bool:
    try:
        exec(compile(text, "program", "exec"), {"__name__": "program"})
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("width", [3, 4])
def test_the_constructor_of_a_base_that_is_named(tmp_path: Path, width: int) -> None:
    text = BASES.format(width)
    shared = traced(tmp_path, text)
    assert any(p.level == "error" for p in shared.problems.values()) is not runs(text)
    assert not shared.unknown_calls


CASE = """
import unittest
import torch
from torch import nn

class NetTest(unittest.TestCase):
    def setUp(self):
        self.net = nn.Linear(3, 2)
    def test_shapes(self):
        x = torch.zeros(2, {})
        with self.subTest(kind=1):
            self.assertEqual(x.dim(), 2)
        self.assertTrue(x.sum() == 0)
        y = self.net(x)
        with self.assertRaises(RuntimeError):
            self.net(torch.zeros(2, 9))
        self.assertIsNone(None)
        self.assertEqual(y.shape, (2, 2))
"""


@pytest.mark.parametrize(("width", "wrong"), [(3, False), (4, True)])
def test_assertions_are_known_and_go_on(tmp_path: Path, width: int, wrong: bool) -> None:
    shared = traced(tmp_path, CASE.format(width), "test_net.py")
    assert any(p.level == "error" for p in shared.problems.values()) is wrong
    assert not shared.unknown_calls


WRITING = """
import contextlib
import torch
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter("runs", flush_secs=3)
with contextlib.suppress(OSError):
    writer.add_scalar("loss", torch.zeros(2).sum(), global_step=1)
writer.close()
torch.zeros(2, 3) @ torch.zeros({}, 2)
"""


@pytest.mark.parametrize(("width", "wrong"), [(3, False), (4, True)])
def test_summaries_are_written_beside(tmp_path: Path, width: int, wrong: bool) -> None:
    shared = traced(tmp_path, WRITING.format(width))
    assert any(p.level == "error" for p in shared.problems.values()) is wrong
    assert not shared.unknown_calls


BIAS = """
import torch
from torch import nn
import torch.nn.functional as F

class Own(nn.Conv2d):
    def forward(self, x):
        return F.conv2d(x, self.weight, self.bias)

class Named(Own):
    def __init__(self, a, b, k, **kwargs):
        nn.Conv2d.__init__(self, a, b, k, **kwargs)

{}(3, 2, 3)(torch.zeros(2, {}, 5, 5))
"""


@pytest.mark.parametrize("kind", ["Own", "Named"])
@pytest.mark.parametrize("width", [3, 4])
def test_the_bias_of_a_layer_is_no_switch(tmp_path: Path, kind: str, width: int) -> None:
    text = BIAS.format(kind, width)
    assert any(p.level == "error" for p in traced(tmp_path, text).problems.values()) is not runs(text)


CONVOLUTIONS = """
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.utils import _pair

class Scaled(_ConvNd):
    def __init__(self, inner, outer, kernel, stride=1, groups=1, transposed=False):
        super().__init__(inner, outer, _pair(kernel), _pair(stride), _pair(1), _pair(1), transposed, _pair(0),
                         groups, bias=False, padding_mode="zeros", device=None)
        self.scale = self.weight.shape[0]
    def forward(self, x):
        if self.transposed:
            return F.conv_transpose2d(x, self.weight, self.bias, self.stride, self.padding, self.output_padding)
        return F.conv2d(x, self.weight / self.scale, self.bias, self.stride, self.padding, self.dilation, self.groups)

assert isinstance(nn.Conv2d(1, 1, 1), _ConvNd)
Scaled({})(torch.zeros(2, 4, 8, 8))
"""


@pytest.mark.parametrize(
    "given",
    ["4, 6, 3", "5, 6, 3", "4, 6, 3, 0", "4, 6, 3, groups=2", "2, 6, 3, groups=2", "4, 6, 3, transposed=True",
     "6, 4, 3, transposed=True"],
)  # fmt: skip
def test_a_convolution_by_the_base_of_all_convolutions(tmp_path: Path, given: str) -> None:
    text = CONVOLUTIONS.format(given)
    shared = traced(tmp_path, text)
    assert any(p.level == "error" for p in shared.problems.values()) is not runs(text)
    assert not shared.unknown_calls


def test_the_base_of_all_convolutions_without_known_axes(tmp_path: Path) -> None:
    text = CONVOLUTIONS.format("5, 6, 3").replace("_pair(kernel)", "tuple(map(int, open('sizes')))")
    assert not any(p.level == "error" for p in traced(tmp_path, text).problems.values())
