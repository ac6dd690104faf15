"""Sampled soundness: concrete runs on ONNX Runtime stay within the bounds of random boxes, and failures are flagged."""

from __future__ import annotations

import numpy as np
import pytest
from operator_catalogue import catalogue
from sampling import Tally, check_case

BOXES, RUNS, SHARDS = 12, 12, 6


@pytest.mark.parametrize("shard", range(SHARDS))
def test_sampled_runs_are_contained(shard: int) -> None:
    tally = Tally(problems=[])
    for index, case in enumerate(catalogue()):
        if index % SHARDS == shard:
            check_case(case, np.random.default_rng([20, index]), BOXES, RUNS, tally)
    assert tally.problems is not None
    assert not tally.problems, "\n".join(tally.problems[:10])
    assert tally.checks > 40_000, tally.checks  # six shards: a quarter of a million


def test_most_flagged_boxes_have_a_witness() -> None:
    tally = Tally(problems=[])
    for op in ("Log", "Sqrt", "Exp", "Div", "Reciprocal"):
        for index, case in enumerate(
            c
            for c in catalogue()
            if c.op == op and all(getattr(o, "dtype", "float32") == "float32" for o in c.operands)
        ):
            check_case(case, np.random.default_rng([7, index]), 20, 24, tally)
    assert tally.flagged > 50
    assert tally.witnessed / tally.flagged > 0.7, (tally.witnessed, tally.flagged)
