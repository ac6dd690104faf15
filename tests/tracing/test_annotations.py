"""`assay trace --annotate`: proposals for functions without annotations, each proved by tracing the file with them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.commands.cli import main
from analyzer.tracing.annotations import annotated
from analyzer.tracing.tracing import propose_annotations

SOURCE = '''"""A classifier."""
from __future__ import annotations

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.last = nn.Linear(width, classes)

    def pool(self, x):
        return x.mean((2, 3))

    def forward(
        self,
        x,
    ):
        return self.last(self.pool(self.first(x)))


def loss(out, target: torch.Tensor, *, scale=1.0):
    return scale * ((out - target) ** 2).mean()

'''
SCRIPT = """
net = Net(16, 10)
print(loss(net(torch.zeros(4, 3, 32, 32)), torch.zeros(4, 10)))
print(loss(net(torch.zeros(2, 3, 32, 64)), torch.zeros(2, 10)))
"""


def proposals(folder: Path, source: str) -> dict[str, str]:
    file = folder / "net.py"
    file.write_text(source)
    return {a.function: str(a) for a in propose_annotations(file, folder)}


def test_sizes_that_go_together_have_one_name(tmp_path: Path) -> None:
    assert proposals(tmp_path, SOURCE + SCRIPT) == {
        "pool": 'pool(x: Float[Tensor, "b width 32 n"]) -> Float[Tensor, "b width"]',
        "forward": 'forward(x: Float[Tensor, "b 3 32 n"]) -> Float[Tensor, "b classes"]',
        "loss": 'loss(out: Float[Tensor, "b 10"]) -> Float[Tensor, ""]',
    }


def test_what_operators_demand_of_unknown_arguments_is_proposed(tmp_path: Path) -> None:
    assert proposals(tmp_path, SOURCE)["forward"].startswith('forward(x: Shaped[Tensor, "b 3 n m"])')


def test_the_annotated_file_is_written_as_people_do(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(SOURCE + SCRIPT)
    found = annotated(file.read_text(), ast.parse(file.read_text()), propose_annotations(file, tmp_path))
    ast.parse(found)
    assert found.index("from __future__") < found.index("from jaxtyping import Float\n") < found.index("import torch\n")
    assert '        x: Float[Tensor, "b 3 32 n"],\n    ) -> Float[Tensor, "b classes"]:' in found
    assert 'def loss(out: Float[Tensor, "b 10"], target: torch.Tensor, *, scale=1.0) -> Float[Tensor, ""]:' in found


def test_nothing_is_proposed_beside_what_is_declared(tmp_path: Path) -> None:
    source = "import torch\nfrom torch import Tensor\ndef f(x: Tensor) -> Tensor:\n    return x\nf(torch.zeros(3))\n"
    assert not proposals(tmp_path, source)


def test_the_command_prints_them(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.py").write_text(SOURCE + SCRIPT)
    assert main(["trace", "--annotate", "--sandbox", "none", str(tmp_path / "net.py")]) == 0
    assert 'net.py:24: loss(out: Float[Tensor, "b 10"]) -> Float[Tensor, ""]' in capfd.readouterr().out
    assert main(["trace", "--annotate", "--format", "json", "--sandbox", "none", str(tmp_path / "net.py")]) == 2
