"""Millions of sampled soundness checks: concrete runs on ONNX Runtime inside random boxes, compared with their bounds.

    python benchmarks/soundness.py --checks 2000000 --seed 1

Prints every violation and, at the end, how many output elements were compared and how many flagged boxes had a witness.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "numerical")]


def main() -> int:
    from operator_catalogue import catalogue
    from sampling import Tally, check_case

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checks", type=int, default=2_000_000, help="output elements to compare, at least")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    tally = Tally(problems=[])
    assert tally.problems is not None
    cases, started, sweep = catalogue(), time.perf_counter(), 0
    while tally.checks < arguments.checks:
        for index, case in enumerate(cases):
            before = len(tally.problems)
            check_case(case, np.random.default_rng([arguments.seed, sweep, index]), 12, 12, tally)
            for problem in tally.problems[before : before + 3]:
                print(problem)
        sweep += 1
    print(
        f"{tally.checks} checks in {tally.runs} runs of {len(cases)} operator variants, "
        f"{len(tally.problems)} violations; "
        f"{tally.flagged} boxes flagged, {tally.witnessed} with a witness; {time.perf_counter() - started:.0f} s"
    )
    return bool(tally.problems)


if __name__ == "__main__":
    sys.exit(main())
