"""Every ending of a run and what it leaves, as a Markdown table; 1 where one leaves nothing and says nothing.

    python -m benchmarks.review_endings [--lasting]

`--lasting` plays every fault at every kind of request, for as long as the run lasts, too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from action.ending import Cancelled
from tests.action import ending_plan as plan
from tests.action.ending_plan import Ended
from tests.action.harness import Workbench
from tests.github_simulator import Simulator


def fresh(play: Callable[[Workbench], Ended]) -> Ended:
    with tempfile.TemporaryDirectory() as folder, Simulator() as simulator:
        return play(Workbench(Path(folder), simulator, in_process=True))


def usual(bench: Workbench, name: str) -> Ended:
    bench.open_pull()
    bench.analyse = plan.ENDINGS[name][0]
    return plan.ended(bench, name, bench.run(), "Assay")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lasting", action="store_true")
    options = parser.parse_args()
    found = [fresh(lambda bench, n=name: usual(bench, n)) for name in plan.ENDINGS]  # type: ignore[misc]
    found += [fresh(lambda bench, s=stage: plan.crash(bench, s)) for stage in plan.STAGES]  # type: ignore[misc]
    found += [
        fresh(lambda bench, s=stage, e=error: plan.second_stage_ends(bench, s, e))  # type: ignore[misc]
        for error in (None, Cancelled("boom"))
        for stage in plan.SECOND_STAGES
    ]
    found += [fresh(lambda bench, s=second: plan.killed(bench, s)) for second in (False, True)]  # type: ignore[misc]
    found += [fresh(lambda bench, b=breaks: plan.crash_in_pictures(bench, b)) for breaks in plan.PICTURES]  # type: ignore[misc]
    found += [fresh(lambda bench, s=stage: plan.crash_in_analysis(bench, s)) for stage in plan.ANALYSES]  # type: ignore[misc]
    print("| ending | exit code | check run | reason in log and summary |\n|---|---|---|---|")
    for each in found:
        check = f"{each.status} {each.conclusion}".strip() or "none"
        print(f"| {each.ending} | {each.code} | {check} | {'yes' if each.reason else 'no'} |", flush=True)
    if options.lasting:
        with tempfile.TemporaryDirectory() as folder, Simulator() as simulator:
            kinds = plan.labels(Workbench(Path(folder), simulator, in_process=True))
        print(
            "\n| every request of a kind fails | played | concluded | job failed and said why | neither |\n"
            "|---|---|---|---|---|"
        )
        for fault in plan.LASTING:
            some = [fresh(lambda bench, f=fault, k=kind: plan.lasting(bench, f, k)) for kind in kinds]  # type: ignore[misc]
            done = sum(e.status == "completed" for e in some)
            said = sum(e.status != "completed" and e.settled for e in some)
            print(f"| {fault} | {len(some)} | {done} | {said} | {len(some) - done - said} |", flush=True)
            found += some
    return 0 if all(each.settled for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
