"""Millions of sampled soundness checks: concrete runs inside random boxes, compared with their bounds.

    python benchmarks/soundness.py --checks 2000000 --seed 1

Three quarters of the checks are single operators with all attribute combinations of the catalogue on ONNX Runtime; the
rest are random programs of up to twelve operators on ONNX Runtime, bfloat16, float16 and float8 kernels on torch and
the reference evaluator, and random graphs whose failures are excused (of which "flagged" counts the excused ones).
Prints every violation and, at the end of each part, how many output elements were compared and how many flagged boxes
had a witness.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "numerical")]


def operators(seed: int, sweep: int, tally: object) -> None:
    """Every operator of the catalogue once."""
    from operator_catalogue import catalogue
    from sampling import check_case

    for index, case in enumerate(catalogue()):
        check_case(case, np.random.default_rng([seed, sweep, index]), 12, 12, tally)  # type: ignore[arg-type]


def narrow(seed: int, sweep: int, tally: object) -> None:
    """Every narrow kernel once."""
    from narrow_kernels import cases, cast_cases, cast_runner, torch_runner
    from sampling import check_case

    for part, dtype in enumerate(("bfloat16", "float16")):
        for index, case in enumerate(cases(dtype)):
            rng = np.random.default_rng([seed, sweep, part, index])
            check_case(case, rng, 12, 12, tally, torch_runner(case))  # type: ignore[arg-type]
    for index, case in enumerate(cast_cases()):
        rng = np.random.default_rng([seed, sweep, 2, index])
        check_case(case, rng, 12, 12, tally, cast_runner(case))  # type: ignore[arg-type]


def programs(seed: int, sweep: int, tally: object) -> None:
    """A hundred random programs."""
    from programs import check_program, random_program

    for index in range(100):
        rng = np.random.default_rng([seed, sweep, index])
        program = random_program(rng, int(rng.integers(2, 13)))
        check_program(program, rng, 3, 10, tally)  # type: ignore[arg-type]


def excuses(seed: int, sweep: int, tally: object) -> None:
    """A hundred random graphs of which the failures that can happen are excused, as far as they are."""
    from excused_programs import check_excused

    for index in range(100):
        check_excused(np.random.default_rng([seed, sweep, index, 3]), 6, tally)  # type: ignore[arg-type]


def main() -> int:
    from sampling import Tally

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checks", type=int, default=2_000_000, help="output elements to compare, at least")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    parts: list[tuple[str, Callable[[int, int, object], None], float]] = [
        ("operators on ONNX Runtime", operators, 0.75),
        ("narrow dtypes on torch", narrow, 0.05),
        ("random programs on ONNX Runtime", programs, 0.18),
        ("excused failures on ONNX Runtime", excuses, 0.02),
    ]
    violations = 0
    for name, part, share in parts:
        tally, started, sweep = Tally(problems=[]), time.perf_counter(), 0
        assert tally.problems is not None
        while tally.checks < share * arguments.checks:
            before = len(tally.problems)
            part(arguments.seed, sweep, tally)
            for problem in tally.problems[before : before + 3]:
                print(problem)
            sweep += 1
        violations += len(tally.problems)
        witnessed = f"{tally.flagged} boxes flagged, {tally.witnessed} with a witness"
        print(
            f"{name}, seed {arguments.seed}: {tally.checks} checks in {tally.runs} runs, "
            f"{len(tally.problems)} violations; {witnessed}; {time.perf_counter() - started:.0f} s",
            flush=True,
        )
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main())
