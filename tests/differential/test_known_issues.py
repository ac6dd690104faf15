"""What is known upstream is told of the operators that an engine is given, not of others in the same region."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.differential.backend import parse
from analyzer.differential.known import known_issue
from analyzer.differential.localize import Blame
from analyzer.differential.structure import Operation, Unit
from analyzer.differential.verdict import Kind

DRAWN = Operation("call/PartitionedCall/dense/uniform", "StatelessRandomUniformV2", ("seed",), ("w",))
SEED = Operation("call/PartitionedCall/dense/mod", "FloorMod", ("a", "b"), ("seed",))
PRODUCT = Operation("call/PartitionedCall/dense/MatMul", "MatMul", ("x", "w"), ("y",))
CAST = Operation("cast", "Cast", ("y",), ("z",))


@pytest.mark.parametrize(
    ("operations", "known"),
    [
        ((SEED, DRAWN, PRODUCT), "tf-xla-keras-call"),
        ((PRODUCT, CAST), "tf-xla-out-of-range"),
        ((SEED, PRODUCT), None),
    ],
)
def test_constants_of_a_region_are_not_what_an_engine_gets_wrong(
    operations: tuple[Operation, ...], known: str | None
) -> None:
    unit = Unit("u", operations, ("x",), operations[-1].outputs)
    blame = Blame(unit, "tensorflow:mode=xla", Kind.VALUE, 1.0, 1e-7, "float64", inputs={"x": np.ones(2, np.float32)})
    found = known_issue(blame, parse("tensorflow:mode=xla"), {"tensorflow": "2.21.0"})
    assert (found.id if found is not None else None) == known
