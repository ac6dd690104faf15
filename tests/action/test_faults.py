"""Faults: requests of a run fail once in each way; what is left is whole, or the run says what is missing.

Here each request fails in a third of the ways; `benchmarks/github_faults.py` plays the whole plan.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.action.fault_plan import SCENES, play
from tests.action.harness import Workbench
from tests.action.reports import KERNEL, LOG, report
from tests.github_simulator import Fault

CODES = {"pull_request": {1}, "push": {1}, "workflow_run": {0, 2, 3}}


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("scene", list(SCENES))
def test_requests_fail_once(scene: str, fault: Fault, tmp_path: Path) -> None:
    for judged in play(scene, fault, tmp_path, first=list(Fault).index(fault) % 3, step=3):
        what = f"{judged.fault} at {judged.request}"
        assert judged.whole or judged.told, f"{what}: incomplete and silent"
        assert judged.code in CODES[scene], f"{what}: the verdict was lost"
        assert judged.waited <= 180
        if fault is not Fault.FORBIDDEN:
            assert judged.whole, f"{what}: {judged.summary[:400]}"


def test_waiting_is_bounded(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    for _ in range(500):
        bench.simulator.fail(Fault.SECONDARY, lambda request: True)
    ran = bench.run(inputs={"max-wait": "20"})
    assert sum(bench.waited) <= 20
    assert ran.code == 1
    assert "could not be posted" in ran.summary


def test_writes_that_did_happen_are_not_repeated(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL, LOG)
    for label in ("/reviews", "/issues/7/comments", "/check-runs"):
        bench.simulator.fail(
            Fault.BAD_GATEWAY_AFTER, lambda r, label=label: r.method == "POST" and r.path.endswith(label)
        )  # type: ignore[misc]
    assert bench.run().outputs["posted"] == "true"
    state = bench.simulator.state
    assert (len(state.issue_comments), len(state.review_comments), len(state.reviews), len(state.check_runs)) == (
        1,
        2,
        1,
        1,
    )
