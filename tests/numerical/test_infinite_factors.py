"""The gradient of a trained factor of what a mask makes infinite is 0 times infinity."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from build import Builder, run
from onnx import numpy_helper

from analyzer.graph.model import UNTRAINED

RULE = "numerical/gradient-of-infinite-factor"


def told(
    operator: str = "Mul",
    *,
    fill: float = -np.inf,
    factor: str = "w",
    low: float = 0.5,
    frozen: bool = False,
    masked_last: bool = False,
    swapped: bool = False,
) -> list[tuple[str, str, bool]]:
    b = Builder()
    hidden, scores = b.input("m", (2, 3), "bool"), b.input("s", (2, 3))
    if factor == "f":
        b.input("f", (1,))
    else:
        b.initializers.append(numpy_helper.from_array(np.full(1, 2, np.float32), factor))
    masked = scores if masked_last else b.op("Where", hidden, b.const(fill), scores)
    made = b.op(operator, *((factor, masked) if swapped else (masked, factor)), name="scaled")
    if masked_last:
        made = b.op("Where", hidden, b.const(fill), made)
    ranges = {"s": (-1.0, 1.0), "w": (low, 2.0), "val_7": (2.0, 2.0), "f": (0.5, 2.0)}
    graph = b.graph(b.op("ReduceLogSumExp", made, keepdims=0))
    for weight in graph.graph.initializers.values() if frozen else ():
        weight.metadata_props[UNTRAINED] = "1"
    found = run(graph, ranges)
    return [(w.rule, w.node.name or "", w.backward) for w in found.warnings if w.rule == RULE]


@pytest.mark.parametrize(("operator", "swapped"), [("Mul", False), ("Mul", True), ("Div", False)])
def test_a_trained_factor_of_an_infinite_value_is_told(operator: str, swapped: bool) -> None:
    assert told(operator, swapped=swapped) == [(RULE, "scaled", True)]


SMALLEST = float(np.finfo(np.float32).min)


@pytest.mark.parametrize("fill", [SMALLEST, SMALLEST / 2])
def test_so_is_a_trained_divisor_of_the_smallest_number(fill: float) -> None:
    assert told("Div", fill=fill) == [(RULE, "scaled", True)]


@pytest.mark.parametrize(
    "healthy",
    [
        {"fill": -1e9},
        {"factor": "val_7"},
        {"factor": "f"},
        {"frozen": True},
        {"masked_last": True},
        {"operator": "Div", "swapped": True},
        {"fill": SMALLEST},
        {"operator": "Div", "fill": SMALLEST, "factor": "val_7"},
        {"operator": "Div", "fill": SMALLEST / 2, "low": 1.0},
    ],
)
def test_what_training_computes_there_is_finite(healthy: dict[str, object]) -> None:
    assert told(**healthy) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(("fill", "finite"), [(-torch.inf, False), (-1e9, True)])
def test_so_it_is_in_torch(fill: float, finite: bool) -> None:
    scale = torch.ones(1, requires_grad=True)
    scores = torch.randn(2, 3, requires_grad=True)
    masked = scores.masked_fill(torch.tensor([[False, True, False]] * 2), fill)
    loss = torch.softmax(masked * scale, -1)[:, 0].sum()
    loss.backward()
    assert loss.isfinite()
    assert scores.grad is not None
    assert bool(scores.grad.isfinite().all())
    assert scale.grad is not None
    assert bool(scale.grad.isfinite().all()) == finite
