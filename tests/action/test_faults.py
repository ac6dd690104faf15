"""Bad weather: each request of a run fails once in each way; what is left is whole, or the run says what is missing."""

from __future__ import annotations

import copy
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.action.harness import Workbench
from tests.action.reports import EXP, KERNEL, LOG, report
from tests.github_simulator import Fault, Simulator


def scene(folder: Path, simulator: Simulator) -> Workbench:
    """A pull request whose second push fixes a problem, keeps one and brings one: every kind of write happens."""
    bench = Workbench(folder, simulator)
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    bench.analyse = lambda *_, **__: report(LOG, EXP, fixed=(KERNEL,))
    simulator.forget_requests()
    return bench


@pytest.mark.parametrize("fault", list(Fault))
def test_every_request_fails_once(fault: Fault, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results: Counter[str] = Counter()
    with Simulator() as simulator:
        bench = scene(tmp_path, simulator)
        start = copy.deepcopy(simulator.state)
        assert bench.run().outputs["posted"] == "true"
        count, expected = len(simulator.requests), comparable(simulator.state.snapshot())
        for index in range(count):
            simulator.state = copy.deepcopy(start)
            simulator.forget_requests()
            bench.waited.clear()
            simulator.fail(fault, index)
            ran = bench.run()
            whole = comparable(simulator.state.snapshot()) == expected
            told = "could not be posted" in ran.summary
            failed = simulator.requests[index].label
            assert whole or told, f"{fault} at {failed}: incomplete and silent"
            assert ran.code == 1, f"{fault} at {failed}: the verdict was lost"
            assert sum(bench.waited) <= 180
            if fault is not Fault.FORBIDDEN:
                assert whole, f"{fault} at {failed}: {ran.summary[:400]}"
            results["whole" if whole else "reported"] += 1
        assert simulator.violations == []
    with capsys.disabled():
        print(f"\n  {fault}: {count} requests, {results['whole']} whole, {results['reported']} reported as incomplete")


def comparable(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Runs have other numbers; a thread that is resolved and a comment that is folded are both closed for a reader."""

    def scrub(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"run=\d+\.\d+|[0-9a-f]{40}|in [0-9a-f]{10}\.|http://127\.0\.0\.1:\d+|sha=\w+", "_", value)
        if isinstance(value, list | tuple):
            return [scrub(v) for v in value]
        if isinstance(value, dict):
            return {k: scrub(v) for k, v in value.items()}
        return value

    comments = [(*c[:-2], bool(c[-1] or c[-2])) for c in snapshot["review_comments"]]
    scrubbed: dict[str, Any] = scrub({**snapshot, "review_comments": comments})
    return scrubbed


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
