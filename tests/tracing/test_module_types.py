"""`double` and its like change the types of what a program's own modules hold."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """import torch
import torch.nn.functional as F
class Filter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kernel", torch.zeros(1, 1, 3))
        self.weight = torch.nn.Parameter(torch.zeros(1, 1, 3))
    def forward(self, x):
        return F.conv1d(F.conv1d(x, self.kernel), self.weight)
class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.filter = Filter()
    def forward(self, x):
        return self.filter(x)
model = Outer(){converted}
model(torch.zeros(2, 1, 9, dtype=torch.{kind}))
"""


@pytest.mark.parametrize(
    ("converted", "kind"),
    [
        (".double()", "float64"), (".to(torch.float64)", "float64"), (".to('cpu', torch.float64)", "float64"),
        (".double().float()", "float32"), (".to('cpu')", "float32"), (".eval()", "float32"),
    ],
)  # fmt: skip
def test_what_works_is_not_told(converted: str, kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = PROGRAM.format(converted=converted, kind=kind)
    exec(text, {"__name__": "net"})
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems


@pytest.mark.parametrize("converted", ["", ".to('cpu')", ".eval()"])
def test_other_types_are_told(converted: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = PROGRAM.format(converted=converted, kind="float64")
    with pytest.raises(RuntimeError, match="type"):
        exec(text, {"__name__": "net"})
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.site.line, p.proved) for p in problems] == [(9, True)]


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_a_container_of_the_library_converts_what_stands_in_it(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    converted = ".double()" if kind == "float64" else ""
    text = PROGRAM.replace("Outer(){converted}", "torch.nn.Sequential(Outer()){converted}")
    text = text.format(converted=converted, kind=kind)
    exec(text, {"__name__": "net"})
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems
