"""Random small programs on ONNX Runtime stay within their bounds; what such programs have uncovered stays mended."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, run
from programs import check_program, random_program
from sampling import Tally

from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.tensor import AbstractTensor


@pytest.mark.parametrize("seed", range(4))
def test_runs_of_random_programs_are_contained(seed: int) -> None:
    tally = Tally(problems=[])
    for index in range(90):
        rng = np.random.default_rng([seed, index])
        check_program(random_program(rng, int(rng.integers(2, 9))), rng, 2, 8, tally)
    assert tally.problems is not None
    assert not tally.problems, tally.problems[0]
    assert tally.checks > 40_000, tally.checks


def test_softmax_of_blocks_far_below_the_largest() -> None:
    """Beside the largest element the others' exponentials vanish, but not beside one another."""
    b = Builder()
    x = AbstractTensor(dtypes.FLOAT32, (2,), np.array([0.0, 100.0]), np.array([150.0, 200.0]), ((0, 1),))
    graph = b.graph(b.op("LogSoftmax", b.input("x", (2,)), axis=0))
    low, _ = bounds(graph, {"x": x})
    assert low <= -200
    result = run(graph, {"x": x}, everything=True).values[graph.graph.outputs[0]]
    assert float(result.lo[1]) <= -49.9  # log_softmax([150, 100])


def test_a_saturating_cast_keeps_no_affine_form() -> None:
    b = Builder()
    x = b.input("x", (2,))
    large = b.op("Sub", b.const(1e8), x)
    narrow = b.op("Cast", b.op("Cast", large, to=19), to=1)  # float8_e5m2 ends at 57344
    low, high = bounds(b.graph(b.op("Add", narrow, large)), {"x": (-1, 0)})
    assert low <= 100057344 <= high
