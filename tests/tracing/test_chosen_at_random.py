"""`random.choice`, `sample` and `choices`: whichever elements are taken, they have the shape that all have."""

from __future__ import annotations

import ast
import contextlib
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

REPLAY = """
import random
from collections import deque, namedtuple
import torch
Transition = namedtuple("Transition", ("state", "action", "reward"))

class Replay:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)
    def push(self, *args):
        self.memory.append(Transition(*args))
    def sample(self, count):
        return random.sample(self.memory, count)

memory = Replay(100)
for step in range(40):
    memory.push(torch.randn(1, 4), torch.tensor([[step % 2]]), torch.tensor([1.0]))
batch = Transition(*zip(*memory.sample(16)))
q = torch.nn.Linear(4, 2)(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
torch.mv({}, torch.cat(batch.reward))
"""
CHOSEN = (
    "x = random.choice([torch.ones(3), torch.zeros(3)])",
    "x = torch.stack(random.sample([torch.ones(3), torch.zeros(3), torch.ones(3)], 2))",
    "x = torch.stack(random.sample([torch.ones(3), torch.zeros(3), torch.ones(3)], k=3))",
    "x = torch.stack(random.choices([torch.ones(3), torch.zeros(3)], k=5))",
    "x = random.choices((torch.ones(3), torch.zeros(3)))[0]",
    "x = random.choice([(torch.ones(3), 1), (torch.zeros(3), 2)])[0]",
    "x = random.choice([{'a': torch.ones(2, 5)}, {'a': torch.zeros(2, 5)}])['a']",
    "x = torch.ones(len(random.sample(range(10), 4)), 2)",
)


@pytest.mark.parametrize("text", CHOSEN)
def test_what_is_chosen(tmp_path: Path, text: str) -> None:
    whole = f"import random, torch\n{text}\n"
    shared = explore(tmp_path, "net.py", ast.parse(whole), Versions())
    names: dict[str, torch.Tensor] = {}
    exec(whole, names)
    found = next(tensors[0] for (_, line, _), tensors in shared.assigned.items() if line == 2)
    assert not shared.problems
    assert found.dims == tuple(names["x"].shape)


@pytest.mark.parametrize(("matrix", "wrong"), [("q", True), ("q.T", False)])
def test_a_replay_buffer(tmp_path: Path, matrix: str, wrong: bool) -> None:
    text = REPLAY.format(matrix)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    with pytest.raises(RuntimeError) if wrong else contextlib.nullcontext():
        exec(text, {})
    assert [p.site.line for p in shared.problems.values()] == ([20] if wrong else [])


@pytest.mark.parametrize(
    "text",
    [
        "x = random.choice([torch.ones(3), torch.ones(4)])\nx + torch.ones(4)",
        "x = random.choice([2, 3])\ntorch.ones(3) + torch.ones(x)",
        "x = random.sample([torch.ones(3), torch.ones(4)], 2)\nx[0] + torch.ones(4)",
        "x = random.choice([torch.tensor([1, 2]), torch.tensor([3, 4])])\ntorch.ones(3) + torch.ones(int(x[1]) - 1)",
    ],
)
def test_what_may_be_another(tmp_path: Path, text: str) -> None:
    shared = explore(tmp_path, "net.py", ast.parse(f"import random, torch\n{text}\n"), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error" and p.proved]


@pytest.mark.parametrize(("drawn", "lines"), [("[0, 1, 2]", []), ("1.0", [3])])
@pytest.mark.parametrize("name", ["normal", "poisson", "uniform"])
def test_a_number_is_drawn_for_each_parameter(tmp_path: Path, name: str, drawn: str, lines: list[int]) -> None:
    text = (
        f"import numpy as np\nx = np.random.{name}({drawn})\nif isinstance(x, (int, float)): np.ones(3) + np.ones(4)\n"
    )
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == lines


DEALT = """
import numpy as np
import torch
chosen = np.random.choice(8, 4, replace=False)
rows = []
for each in np.random.choice(8, 8, replace=False):
    rows.append(np.zeros(3 if each in chosen else 2))
torch.zeros({}) @ torch.zeros(7)
"""


@pytest.mark.parametrize(("size", "fails"), [("20, 7", False), ("20, 6", True)])
def test_how_many_are_among_the_chosen_is_no_free_choice(tmp_path: Path, size: str, fails: bool) -> None:
    """Here 20 elements in every run: that all eight are chosen, which would make 24, is not proved."""
    text = DEALT.format(size) + ("torch.zeros(20) + torch.from_numpy(np.concatenate(rows))\n" if not fails else "")
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert bool(problems) if fails else not any(p.proved for p in problems)
