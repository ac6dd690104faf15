"""An error behind a question about elements is proved where they can be so, and nowhere else."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import random
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
import somelib
x, y = torch.randn(2, 3), torch.randn(2, 3)
net = nn.Linear(3, 4)
"""
FAILS = "torch.zeros(2, 3) @ torch.zeros(4, 5)"


def _proved(tmp_path: Path, text: str) -> bool:
    problems = explore(tmp_path, "net.py", ast.parse(HEAD + text), Versions()).problems.values()
    return any(p.proved for p in problems if p.level == "error")


@pytest.mark.parametrize(
    "test",
    [
        "x.max() > 3", "x.max() > y.max()", "x.sum() < 0", "(x > 0).all()", "not (x > 0).any()", "x[0, 0].item() < 0",
        "torch.rand(1).item() < 0.5", "torch.rand(3).sum() > 2", "torch.rand(3).max() > 0.9", "random.random() < 0.5",
        "net(x).mean() > 100", "net(torch.zeros(2, 3)).sum() > 0", "F.mse_loss(net(x), torch.zeros(2, 4)) < 0.1",
        "nn.MSELoss()(net(x), torch.zeros(2, 4)).item() > 5", "torch.sigmoid(x).min() < 0.1", "x.abs().max() > 2",
        "x.relu().max() > 1", "(x @ y.T).sum() > 0", "(2 * x + 1).min() > 3", "float(x.sum()) > 1",
        "np.random.rand() < 0.1", "torch.randint(0, 5, (3,)).max() < 2", "x.mean() < float('inf')",
        "torch.equal(x, torch.zeros(2, 3))", "abs(x.sum()) > 1", "bool(x.sum() > 0)", "(x[1:] > 0).any()",
    ],
)  # fmt: skip
@pytest.mark.parametrize("word", ["if", "while"])
def test_what_elements_can_be_lets_an_error_be_proved(tmp_path: Path, test: str, word: str) -> None:
    assert _proved(tmp_path, f"{word} {test}:\n    {FAILS}\n")


@pytest.mark.parametrize(
    "test",
    [
        "torch.rand(3).min() < 0", "torch.rand(3).max() >= 1", "torch.rand(2).sum() > 2", "x.max() < x.min()",
        "(x - x).sum() != 0", "x.abs().min() < 0", "(x * x).sum() < 0", "(x ** 2).min() < 0", "x.relu().min() < 0",
        "torch.softmax(x, 1).max() > 1", "torch.sigmoid(x).max() > 1", "x.argmax() > 5", "x.isnan().any()",
        "torch.randint(0, 5, (3,)).max() >= 5", "torch.randint(2, 3, (1,)).item() != 2", "random.random() > 1",
        "F.mse_loss(x, y) < 0", "nn.CrossEntropyLoss()(x, torch.tensor([0, 1])) < 0", "x.mean() > float('inf')",
        "x.clamp(0, 1).max() > 1", "F.normalize(x).norm() > 9", "random.randint(1, 3) not in (1, 2, 3)",
        "float(torch.rand(1)) > 1", "abs(x.sum()) < 0", "torch.rand(1).item() * 2 > 2", "x.std() < 0",
        "nn.Dropout(1.0)(torch.ones(3)).sum() != 0", "torch.randperm(3).sum() != 3", "net.weight.grad is not None",
        "x[x > 0].min() < 0", "torch.max(x, torch.zeros(2, 3)).min() < 0", "F.mse_loss(x, x) > 0",
        "torch.rand(3, generator=torch.Generator().manual_seed(0)).max() > 0.5", "torch.equal(torch.rand(3), x[0])",
        "torch.distributions.Uniform(0, 1).sample() > 1", "nn.LayerNorm(3).bias.sum() != 0",
        "(x[2:] > 0).any()", "torch.any(x[torch.tensor([2]):] > 0)", "not (x[:0] > 0).all()", "x[x > 0].bool().any()",
    ],
)  # fmt: skip
@pytest.mark.parametrize("word", ["if", "while"])
def test_what_elements_never_are_proves_nothing(tmp_path: Path, test: str, word: str) -> None:
    assert not _proved(tmp_path, f"{word} {test}:\n    {FAILS}\n")


@pytest.mark.parametrize("start", ["n", "torch.tensor([n])", "torch.tensor(0) + n"])
def test_a_loop_ends_where_no_element_is_left_to_be_asked(tmp_path: Path, start: str) -> None:
    text = f"n = 0\nwhile torch.any(x[{start}:] > 0):\n    x[{start}]\n    {{}}\n    n += 1\n"
    assert not _proved(tmp_path, text.format("pass"))
    assert _proved(tmp_path, text.format("x[n + 1:].view(7)"))


def test_what_one_answer_tells_of_the_next_is_not_forgotten(tmp_path: Path) -> None:
    text = "if x.sum() > 0:\n    pass\nelif x.sum() <= 0:\n    pass\nelse:\n    {}\n"
    assert not _proved(tmp_path, text.format(FAILS))
    assert not _proved(tmp_path, f"if x.min() < 0:\n    x = x - x.min()\n    if x.min() < 0:\n        {FAILS}\n")
    assert _proved(tmp_path, f"if x.sum() > 0:\n    if y.sum() > 0:\n        {FAILS}\n")


def test_what_an_argument_can_be(tmp_path: Path) -> None:
    text = "def f(x: torch.Tensor):\n    if {}:\n        {}\nf(x)\n"
    assert _proved(tmp_path, text.format("x.min() < 0", FAILS))
    assert not _proved(tmp_path, text.format("(x.min() > 0) != (x.min() > 0)", FAILS))
    assert not _proved(tmp_path, text.format("x.bool().sum() < 0", FAILS))


def test_what_is_written_into_a_tensor_counts(tmp_path: Path) -> None:
    assert not _proved(tmp_path, f"x.fill_(1.0)\nif x.sum() < 0:\n    {FAILS}\n")
    assert not _proved(tmp_path, f"x[:] = 1.0\nif x.sum() < 0:\n    {FAILS}\n")
    filled = "with torch.no_grad():\n    net.weight.fill_(1.0)\n    net.bias.fill_(0.0)\n"
    assert not _proved(tmp_path, f"{filled}if net(torch.ones(1, 3)).sum() < 0:\n    {FAILS}\n")


@pytest.mark.parametrize(
    "read", ["sizes[0]", "len(sizes)", "[s for s in sizes][0]", "sizes == [4, 5] and 4", "min(*sizes)", "sizes.pop(0)"]
)
@pytest.mark.parametrize("call", ["somelib.fill(sizes)", "somelib.Filler().fill(sizes)", "somelib.fill({'a': sizes})"])
def test_a_list_that_an_unknown_function_was_given_may_be_another(tmp_path: Path, read: str, call: str) -> None:
    text = f"sizes = [4, 5]\n{{}}\nnn.Linear(3, 7)(torch.zeros(2, {read}))\n"
    assert not _proved(tmp_path, text.format(call))
    assert _proved(tmp_path, text.format("print(sizes)"))


def test_a_dictionary_that_an_unknown_function_was_given_may_be_another(tmp_path: Path) -> None:
    text = "sizes = {{'a': 4}}\n{}\nnn.Linear(3, 7)(torch.zeros(2, {}))\n"
    for read in ("sizes['a']", "sizes.get('a')", "dict(**sizes)['a']", "list(sizes.values())[0]"):
        assert not _proved(tmp_path, text.format("somelib.fill(sizes)", read))
        assert _proved(tmp_path, text.format("len(sizes)", read))


def test_what_a_function_changes_that_an_unknown_one_was_given(tmp_path: Path) -> None:
    seen = "seen = []\nsomelib.each(lambda v: {})\nif not seen:\n    " + FAILS + "\n"
    assert not _proved(tmp_path, seen.format("seen.append(v)"))
    assert _proved(tmp_path, seen.format("len(seen)"))


DEEP = """import torch
layer = torch.nn.Linear(3, 3)
def trained(x, y):
    best, h = float("inf"), x
STEPS
    loss = torch.nn.functional.mse_loss(h, y)
    if loss.item() < best - 0.001:
        best = loss.item()
    return best
trained(torch.randn(4, 3), torch.randn(4, 3))
"""


@pytest.mark.parametrize("step", ["torch.relu(layer(h))", "layer(h) * h + h"])
def test_the_loss_of_a_deep_network_is_looked_back_over_in_bounded_time(step: str, tmp_path: Path) -> None:
    """Without a bound that all looks share they double with every layer."""
    file = tmp_path / "program.py"
    file.write_text(DEEP.replace("STEPS", f"    h = {step}\n" * 40))
    command = (
        "import resource, sys\nfrom pathlib import Path\nfrom analyzer.tracing.tracing import trace\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (120, 120))  # it takes two seconds, and took hours\n"
        "file = Path(sys.argv[1])\ntrace(file, file.parent, target='t')"
    )
    subprocess.run([sys.executable, "-c", command, str(file)], check=True)
