"""`assay trace --annotate`: proposals for functions without annotations, each proved by tracing the file with them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.commands.cli import main
from analyzer.tracing.contracts.annotations import ObservedCall, annotated
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


TRAINING = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.gru = nn.GRU(8, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.last(self.gru(x.transpose(0, 1))[0])

    def last(self, h):
        return self.out(h[-1]).squeeze(1)

def loss_of(guess, y):
    return (guess - y).square().mean()

net = Net()
data = TensorDataset(torch.randn(ROWS, 10, 8), torch.randn(ROWS))
for x, y in DataLoader(data, batch_size=64):
    loss_of(net(x), y).backward()
"""


@pytest.mark.parametrize("rows", ["900", "1024 + 4", "int(open('n').read())"])
def test_a_size_that_is_another_one_in_the_last_batch_has_a_name(tmp_path: Path, rows: str) -> None:
    assert proposals(tmp_path, TRAINING.replace("ROWS", rows)) == {
        "forward": 'forward(x: Float[Tensor, "b 10 8"]) -> Float[Tensor, "b"]',
        "last": 'last(h: Float[Tensor, "b n hidden"]) -> Float[Tensor, "n"]',
        "loss_of": 'loss_of(guess: Float[Tensor, "b"], y: Float[Tensor, "b"]) -> Float[Tensor, ""]',
    }


def test_where_every_batch_is_whole_its_size_is_that_of_the_other_tensors(tmp_path: Path) -> None:
    found = proposals(tmp_path, TRAINING.replace("ROWS", "640").replace("batch_size=64", "batch_size=16"))
    assert found["forward"] == 'forward(x: Float[Tensor, "b 10 8"]) -> Float[Tensor, "b"]'


def test_what_a_run_has_recorded_counts_beside_what_tracing_knows(tmp_path: Path) -> None:
    source = "import torch\ndef f(x, *, axis=0):\n    return x.sum(axis)\nf(torch.zeros(3, 8))\n"
    file = tmp_path / "net.py"
    file.write_text(source)
    call = ObservedCall({"x": ("float32", (3, 5)), "return": ("float32", (5,))})
    (found,) = propose_annotations(file, tmp_path, None, {2: [call]})
    assert str(found) == 'f(x: Float[Tensor, "b n"]) -> Float[Tensor, "n"]'
    unlike = ObservedCall({"x": ("float32", (3, 8))})  # of a call that gave no tensor, the others say nothing
    (found,) = propose_annotations(file, tmp_path, None, {2: [unlike]})
    assert str(found) == 'f(x: Float[Tensor, "b 8"]) -> Float[Tensor, "8"]'
