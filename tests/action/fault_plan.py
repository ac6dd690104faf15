"""Faults by plan: each request of a run fails once in each way, and the outcome is judged.

`tests/action/test_faults.py` asserts the judgements, `benchmarks/github_faults.py` prints their counts.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.action import flows
from tests.action.harness import Ran, Workbench
from tests.action.reports import EXP, KERNEL, LOG, report
from tests.github_simulator import Fault, Simulator

Scene = Callable[[Workbench], Callable[[], Ran]]
INPUTS = {"pictures": "branch", "code-scanning": "true"}


def a_pull_request(bench: Workbench) -> Callable[[], Ran]:
    """A second push that fixes a problem, keeps one and brings one, with a picture: every kind of write happens."""
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run(inputs=INPUTS)
    bench.analyse = flows.drawn(report(LOG, EXP, fixed=(KERNEL,)))
    return lambda: bench.run(inputs=INPUTS)


def a_push(bench: Workbench) -> Callable[[], Ran]:
    """A commit on the default branch, with more annotations than one request may hold."""
    bench.head = bench.commit({"models/vae.onnx": "2"})
    many = [replace(EXP, node=f"n{n}") for n in range(70)]
    bench.analyse = lambda *_, **__: report(LOG, *many)
    push = {"ref": "refs/heads/main", "before": bench.base, "after": bench.head, "repository": {}}
    return lambda: bench.run("push", push, inputs=INPUTS, environ={"GITHUB_REF": "refs/heads/main"})


def a_second_stage(bench: Workbench) -> Callable[[], Ran]:
    """The trusted workflow for a fork whose earlier report it has posted already."""
    bench.open_pull(head_repository="mallory/models")
    flows.fork(bench, report(KERNEL))
    flows.first_stage(bench, report(LOG, EXP, fixed=(KERNEL,)))
    first = bench.run_id
    flows.leave_artifacts(bench, first)
    stage = {"id": first, "head_sha": bench.head, "event": "pull_request", "conclusion": "failure"}
    return lambda: bench.run("workflow_run", {"action": "completed", "workflow_run": stage}, inputs=INPUTS)


SCENES: dict[str, Scene] = {
    "pull_request": a_pull_request,
    "push": a_push,
    "workflow_run": a_second_stage,
}


@dataclass(frozen=True)
class Judged:
    """What one failing request came to. `whole`: the final state is that of a run without faults."""

    scene: str
    fault: Fault
    request: str
    whole: bool
    told: bool  # the step's summary says that something could not be posted
    code: int
    waited: float
    summary: str


def play(name: str, fault: Fault, folder: Path, first: int = 0, step: int = 1) -> Iterator[Judged]:
    """Every request of one scene fails once, or every `step`-th from `first` on.

    Raises AssertionError when the run without faults is not whole.
    """
    with Simulator() as simulator:
        bench = Workbench(folder, simulator, in_process=True)
        run = SCENES[name](bench)
        start = copy.deepcopy(simulator.state)
        simulator.forget_requests()
        assert run().outputs["posted"] == "true"
        labels = [request.label for request in simulator.requests]
        expected = comparable(simulator.state.snapshot())
        for index, label in list(enumerate(labels))[first::step]:
            simulator.state = copy.deepcopy(start)
            simulator.forget_requests()
            bench.waited.clear()
            simulator.fail(fault, index)
            ran = run()
            whole = comparable(simulator.state.snapshot()) == expected
            told = bool(re.search("could not be (posted|stored|put|read)", ran.summary))
            yield Judged(name, fault, label, whole, told, ran.code, sum(bench.waited), ran.summary)
        assert simulator.violations == []


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

    checks = snapshot["check_runs"]
    latest = {
        (name, sha): at for at, (name, sha, *_) in enumerate(checks)
    }  # what GitHub goes by; one that it has replaced is nothing to a reader, once it is closed
    checks = [tuple(c) for at, c in enumerate(checks) if latest[c[0], c[1]] == at or c[2] != "completed"]
    comments = [(*c[:-2], bool(c[-1] or c[-2])) for c in snapshot["review_comments"]]
    scrubbed: dict[str, Any] = scrub({**snapshot, "review_comments": comments, "check_runs": checks})
    return scrubbed
