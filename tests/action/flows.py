"""Every event once, through the whole action: the flows that are held against GitHub's published descriptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from action import relay
from analyzer.findings import Report
from tests.action.harness import Ran, Workbench, lines
from tests.action.reports import BROKEN, EXP, KERNEL, LOG, report
from tests.github_simulator.routes import zipped
from tests.github_simulator.state import WorkflowRun

PNG = b"\x89PNG\r\n\x1a\n"
SCAN = {"code-scanning": "true"}
KERNEL_7 = {18: "kernel = 7", 42: "return log(1 - p)"}


def every_event(bench: Workbench) -> dict[str, Ran]:
    """A pull request's life, then the other events. Every kind of request that Assay knows is made on the way."""
    return {**pull_request(bench), **commits(bench), **fork(bench)}


def pull_request(bench: Workbench) -> dict[str, Ran]:
    """Opened with problems and pictures; one mended, one answered and folded; back again; a model that breaks."""
    bench.open_pull()
    bench.analyse = drawn(report(LOG, KERNEL, *(replace(EXP, node=f"n{n}") for n in range(120))))
    opened = bench.run(payload=bench.payload("opened"), inputs=SCAN)
    bench.push({"models/vae.py": lines(60, {18: "kernel = 5", 42: "return log(1 - p)"})})
    bench.analyse = lambda *_, **__: report(LOG, fixed=(KERNEL,))
    mended = bench.run(inputs=SCAN)
    bench.simulator.permissions -= {"contents"}
    bench.analyse = lambda *_, **__: report(fixed=(LOG, KERNEL))
    folded = bench.run()
    bench.push({"models/vae.py": lines(60, KERNEL_7)})
    bench.analyse = lambda *_, **__: report(LOG, KERNEL)
    back = bench.run()
    bench.simulator.permissions |= {"contents"}
    bench.analyse = lambda *_, **__: report(target=BROKEN)
    broken = bench.run(payload=bench.payload("reopened"))
    return {"opened": opened, "mended": mended, "folded": folded, "back": back, "broken": broken}


def commits(bench: Workbench) -> dict[str, Ran]:
    """The events that report on a commit."""
    bench.analyse = lambda *_, **__: report(LOG)
    repository = {"default_branch": "main"}
    push = {"ref": "refs/heads/main", "before": bench.base, "after": bench.head, "repository": repository}
    group = {"action": "checks_requested", "merge_group": {"head_sha": bench.head, "base_sha": bench.base}}
    main = {"GITHUB_REF": "refs/heads/main"}
    queue = {"GITHUB_REF": "refs/heads/gh-readonly-queue/main/pr-7"}
    return {
        "push": bench.run("push", push, inputs={"id": "push", **SCAN}, environ=main),
        "merge_group": bench.run("merge_group", group, inputs={"id": "queue"}, environ=queue),
        "schedule": bench.run("schedule", {"schedule": "17 3 * * *"}, inputs={"id": "nightly", **SCAN}, environ=main),
        "workflow_dispatch": bench.run(
            "workflow_dispatch", {"inputs": {"checkpoint": "models/vae.onnx"}}, inputs={"id": "dispatch"}, environ=main
        ),
    }


def fork(bench: Workbench, answer: Report | None = None) -> dict[str, Ran]:
    """Both stages."""
    first = first_stage(bench, answer or report(KERNEL, LOG))
    return {"fork": first, "workflow_run": second_stage(bench, bench.run_id)}


def first_stage(bench: Workbench, answer: Report) -> Ran:
    """The untrusted workflow of a fork, which leaves its file in `out`."""
    bench.analyse = lambda *_, **__: answer
    return bench.run(payload=bench.payload(head_repository="mallory/models"), inputs={"output": "out"})


def second_stage(bench: Workbench, run_id: int, **changes: Any) -> Ran:
    """The trusted workflow after the first stage's run `run_id`, whose file lies in `out`."""
    leave_artifacts(bench, run_id)
    stage = {"id": run_id, "head_sha": bench.head, "event": "pull_request", "conclusion": "failure", **changes}
    return bench.run("workflow_run", {"action": "completed", "workflow_run": stage}, inputs=SCAN)


def leave_artifacts(bench: Workbench, run_id: int) -> None:
    """What the first stage's workflow uploads."""
    state = bench.simulator.state
    state.runs[run_id] = WorkflowRun(run_id, bench.head)
    content = (bench.workspace / "out" / relay.FILE).read_bytes()
    state.add_artifact(run_id, "assay-relay", zipped({relay.FILE: content}))
    state.add_artifact(run_id, "assay-report", zipped({"report.json": b"{}"}))


def drawn(answer: Report) -> Callable[..., Report]:
    """A pipeline that draws a graph too."""

    def analyse(*_: object, output: Path, **__: object) -> Report:
        output.mkdir(parents=True, exist_ok=True)
        (output / "map.png").write_bytes(PNG)
        return replace(answer, targets=tuple(replace(t, pictures=("map.png",)) for t in answer.targets))

    return analyse
