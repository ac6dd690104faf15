"""The iterator of a loader of few batches comes to its end, and a sampler of some examples gives those."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset
steps = iter(DataLoader(TensorDataset(torch.ones(5, 2)), batch_size=3))
sizes = []
while True:
    try:
        rows, = next(steps)
    except StopIteration:
        break
    sizes.append(rows.shape[0])
some = SubsetRandomSampler([2, 5])
w = torch.ones(3)
w.set_(torch.ones(2, 2))
"""
TRUE = ["sizes == [3, 2]", "next(steps, None) is None", "list(steps) == []", "len(list(some)) == 2",
        "len(some.indices) == 2", "w.shape == (2, 2)"]  # fmt: skip


@pytest.mark.parametrize("statement", TRUE)
def test_ends(statement: str, tmp_path: Path) -> None:
    exec(f"{HEAD}assert {statement}\n", {})
    for claim, count in ((statement, 0), (f"not ({statement})", 1)):
        tree = ast.parse(f"{HEAD}assert {claim}\n")
        problems = explore(tmp_path, "run.py", tree, Versions()).problems.values()
        assert len([p for p in problems if p.level == "error"]) == count
