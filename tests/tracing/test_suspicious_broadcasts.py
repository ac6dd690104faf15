"""A loss of a column and a row compares every prediction with every target: legal, silent, and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

HEAD = """
import torch, torch.nn.functional as F
values = torch.nn.Linear(3, 1)(torch.zeros(32, 3))
returns, columns, matrix = torch.zeros(32), torch.zeros(32, 1), torch.zeros(32, 4)
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("F.mse_loss(values, returns)", True),
        ("F.l1_loss(returns, values)", True),
        ("F.mse_loss(values, returns + values)", True),  # the sum has met every other already
        ("torch.nn.SmoothL1Loss()(values, returns + columns)", True),
        ("F.mse_loss(values, columns)", False),
        ("F.mse_loss(values.squeeze(1), returns)", False),
        ("F.mse_loss(values, matrix)", False),  # one prediction of each row for several targets may be meant
        ("F.mse_loss(returns, torch.zeros(()))", False),
        ("F.mse_loss(values[:1], torch.zeros(1))", False),
    ],
)
def test_losses_of_columns_and_rows(tmp_path: Path, call: str, told: bool) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"{HEAD}{call}\n")
    _, tree = read_source(path, tmp_path)
    rules = [problem.rule for problem in explore(tmp_path, path.name, tree, Versions()).problems.values()]
    assert rules == (["tracing/suspicious-broadcast"] if told else [])
