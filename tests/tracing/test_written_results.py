"""``out=``: torch writes a result there, and what it is written into has its sizes from then on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

FITTING = """
import torch
a = torch.ones(3)
o = torch.empty({size})
torch.add(a, a, out=o)
b = o + torch.ones({given})
"""


def told(tmp_path: Path, text: str) -> list[tuple[str, int, bool]]:
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    return [(p.level, p.site.line, p.proved) for p in problems if p.level != "note"]


@pytest.mark.parametrize("size", [0, 1, 3, 5])
def test_what_a_result_is_written_into_has_its_sizes(size: int, tmp_path: Path) -> None:
    assert told(tmp_path, FITTING.format(size=size, given=3)) == []
    assert told(tmp_path, FITTING.format(size=size, given=4)) == [("error", 6, True)]


COUNTED = """
import torch
def counted(count):
    ends = count.new_zeros(count.numel() + {more})
    torch.cumsum(count, dim=0, out=ends[1:])
    return torch.arange(count.numel()).repeat_interleave(count, output_size=ends[-1])
row = counted(torch.tensor([3, 2, 4]))
both = row + torch.ones(9)
"""


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize(("more", "lines"), [(1, []), (2, [6])])
def test_sums_written_into_a_part_tell_how_often_elements_are_repeated(
    more: int, lines: list[int], tmp_path: Path
) -> None:
    """Of two elements more the last stays zero: torch takes new memory for what does not fit into the part's sizes."""
    text = COUNTED.format(more=more)
    if lines:
        with pytest.raises(RuntimeError, match="allocated size"):
            exec(text, {})
    else:
        exec(text, {})
    assert [line for _, line, _ in told(tmp_path, text)] == lines


@pytest.mark.parametrize(
    ("call", "size"),
    [
        ("torch.arange(4).repeat_interleave(2, output_size=8)", 8),
        ("torch.repeat_interleave(torch.tensor([3, 2, 4]))", 9),
        ("torch.arange(6).view(3, 2).repeat_interleave(torch.tensor([3, 2, 4]), dim=0)[:, 0]", 9),
        ("torch.arange(4).repeat_interleave(torch.tensor([3]))", 12),
    ],
)
def test_repeats_that_are_known_are_counted(call: str, size: int, tmp_path: Path) -> None:
    text = f"import torch\na = {call}\nb = a + torch.ones({size})\n"
    exec(text, {})
    assert told(tmp_path, text) == []
    wrong = text.replace(f"ones({size})", f"ones({size + 1})")
    assert told(tmp_path, wrong) == [("error", 3, True)]


def test_an_output_size_that_is_not_that_of_the_repeats_fails(tmp_path: Path) -> None:
    text = "import torch\na = torch.arange(4).repeat_interleave(torch.tensor([1, 2, 0, 1]), output_size={})\n"
    exec(text.format(4), {})
    assert told(tmp_path, text.format(4)) == []
    with pytest.raises(RuntimeError):
        exec(text.format(5), {})
    assert told(tmp_path, text.format(5)) == [("error", 2, True)]


SET = """
import torch
from torch import nn
class Observed(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(1.0))
        self.w = nn.Parameter(torch.ones(3))
    def forward(self, x):
        self.scale.data = torch.ones_like(x)
        self.w.data = torch.ones({})
        self.scale.copy_(x)
        return self.w + x
Observed()(torch.zeros(4))
"""


def test_data_that_is_set_gives_its_sizes(tmp_path: Path) -> None:
    assert told(tmp_path, SET.format(4)) == []
    assert told(tmp_path, SET.format(3)) == [("error", 13, True)]
