"""A row of what compares each number of a vector with each holds the number itself: ``labels[:, None] == labels``."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph

LABELS = {"labels": (0.0, 3.0), "others": (0.0, 3.0)}
EMPTY = [("division-by-zero", "share")]


def compared(
    compare: str,
    *,
    axis: int = 1,
    other: str = "labels",
    shift: float = 0.0,
    kept: int = 0,
    dtype: str = "int64",
    invert: bool = False,
    rank: int = 1,
) -> Graph:
    """What is divided by how many of a row (or a column) compare so."""
    b = Builder()
    shape = (2, 6)[-rank:]
    labels = b.input("labels", shape, dtype)
    second = labels if other == "labels" else b.input("others", shape, dtype)
    column = b.op("Unsqueeze", labels, b.const([-1], np.int64))
    row = b.op("Unsqueeze", second, b.const([-2], np.int64))
    if shift:
        row = b.op("Add", row, b.const(shift, np.int64 if dtype == "int64" else np.float32))
    mask = b.op(compare, column, row)
    if invert:
        mask = b.op("Not", mask)
    counted = b.op("ReduceSum", b.op("Cast", mask, to=1), b.const([axis], np.int64), keepdims=kept)
    return b.graph(b.op("Reciprocal", counted, name="share"))


@pytest.mark.parametrize(
    ("options", "safe"),
    [
        ({"compare": "Equal"}, True),
        ({"compare": "Equal", "axis": 0}, True),
        ({"compare": "Equal", "axis": 2, "rank": 2}, True),
        ({"compare": "Equal", "axis": 0, "rank": 2}, False),  # along the batch nothing meets itself
        ({"compare": "Equal", "dtype": "float32"}, True),
        ({"compare": "LessOrEqual"}, True),
        ({"compare": "GreaterOrEqual", "axis": 0}, True),
        ({"compare": "Less", "invert": True}, True),
        ({"compare": "Greater", "invert": True}, True),
        ({"compare": "Less"}, False),
        ({"compare": "Equal", "invert": True}, False),  # all labels alike
        ({"compare": "Equal", "other": "others"}, False),
        ({"compare": "Equal", "shift": 1.0}, False),
    ],
)
def test_a_row_holds_what_it_compares_with_itself(options: dict[str, object], safe: bool) -> None:
    graph = compared(**options)  # type: ignore[arg-type]
    assert rules(graph, LABELS) == ([] if safe else EMPTY)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("compare", ["Equal", "LessOrEqual"])
def test_no_run_leaves_the_bounds(compare: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = compared(compare, axis=seed % 2)
    found = run(graph, LABELS, everything=True).values[graph.graph.outputs[0]]
    (result,) = engine(graph).run(None, {"labels": rng.integers(0, 4, 6)})
    assert outside(found, result) == ""
