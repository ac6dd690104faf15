"""bfloat16, float16 and float8: sampled runs on torch and the reference evaluator stay within the bounds."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_kernels import cases, cast_cases, cast_runner, torch_runner
from sampling import Tally, check_case


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_runs_on_torch_are_contained(dtype: str) -> None:
    tally = Tally(problems=[])
    for index, case in enumerate(cases(dtype)):
        check_case(case, np.random.default_rng([8, index]), 24, 12, tally, torch_runner(case))
    assert tally.problems is not None
    assert not tally.problems, "\n".join(tally.problems[:10])
    assert tally.checks > 50_000, tally.checks


def test_casts_to_and_from_float8_are_contained() -> None:
    tally = Tally(problems=[])
    for index, case in enumerate(cast_cases()):
        check_case(case, np.random.default_rng([9, index]), 16, 12, tally, cast_runner(case))
    assert tally.problems is not None
    assert not tally.problems, "\n".join(tally.problems[:10])
    assert tally.checks > 20_000, tally.checks
