"""Every way in which a run can end leaves a concluded check run on the head, or a failed job that says why."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from action import review
from action.ending import Cancelled
from analyzer.findings import Report
from tests.action import ending_plan, flows
from tests.action.ending_plan import ENDINGS, raising
from tests.action.harness import Ran, Workbench
from tests.action.reports import EXP, KERNEL, report
from tests.github_simulator import CheckRun, Fault, Request, Simulator
from tests.github_simulator.routes import zipped
from tests.github_simulator.state import WorkflowRun

CONTEXT = review.ReviewContext("assay", "octo/models", "https://github.test", "a" * 40)


def the_check(bench: Workbench) -> CheckRun:
    found = ending_plan.the_check(bench)
    assert found is not None
    return found


def assert_settled(bench: Workbench, ran: Ran) -> None:
    """No check run stays open; where there is none, the job fails with the reason in log and summary."""
    runs = [c for c in bench.simulator.state.check_runs.values() if c.head_sha == bench.head]
    if runs and the_check(bench).status == "completed":
        return
    assert ran.code != 0
    assert "check run could not be posted" in ran.summary
    assert "check run could not be posted" in ran.log


def test_the_check_run_is_open_while_the_run_is_under_way(bench: Workbench) -> None:
    bench.open_pull()
    seen: list[str] = []

    def analyse(*_: object, **__: object) -> Report:
        seen.append(the_check(bench).status)
        return report(KERNEL)

    bench.analyse = analyse
    bench.simulator.forget_requests()
    bench.run()
    assert seen == ["in_progress"]
    assert (the_check(bench).status, the_check(bench).conclusion) == ("completed", "failure")
    writes = [r for r in bench.simulator.requests if "/check-runs" in r.path and r.method != "GET"]
    assert [r.method for r in writes] == ["POST", "PATCH"], "one request concludes it"


@pytest.mark.parametrize(("count", "requests"), [(50, 1), (51, 2)])
def test_one_request_concludes_what_it_can_hold(bench: Workbench, count: int, requests: int) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(*(replace(EXP, node=f"n{n}") for n in range(count)))
    bench.run()
    writes = [r for r in bench.simulator.requests if "/check-runs/" in r.path and r.method == "PATCH"]
    assert len(writes) == requests
    assert len(the_check(bench).annotations) == count
    assert the_check(bench).status == "completed"


@pytest.mark.parametrize("ending", list(ENDINGS))
def test_every_ending_concludes_the_check_run(bench: Workbench, ending: str) -> None:
    analyse, code, conclusion = ENDINGS[ending]
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    bench.push({"models/vae.onnx": "3"})
    bench.analyse = analyse
    ran = bench.run()
    check = the_check(bench)
    assert (ran.code, check.status, check.conclusion) == (code, "completed", conclusion), ran.log
    (summary,) = bench.simulator.state.issue_comments.values()
    assert f"sha={bench.head}" in summary.body, "the old summary was left"
    if code >= 2:
        assert check.title in summary.body
        assert check.title in ran.summary


@pytest.mark.parametrize("stage", ending_plan.STAGES)
def test_a_crash_in_each_stage(bench: Workbench, stage: str) -> None:
    bench.in_process = True
    found = ending_plan.crash(bench, stage)
    assert found.code == 3
    assert found.reason, "log and summary name the error"
    assert found.settled
    assert found.status == ("" if stage in ending_plan.BEFORE_A_CHECK else "completed")


@pytest.mark.parametrize("shift", range(len(ending_plan.LASTING)))
def test_a_fault_that_lasts_at_each_request(bench: Workbench, shift: int, tmp_path: Path) -> None:
    """Each kind of request in one of the ways; `benchmarks/review_endings.py` plays all."""
    bench.in_process = True
    for index, label in list(enumerate(ending_plan.labels(bench)))[shift :: len(ending_plan.LASTING)]:
        with Simulator() as simulator:
            other = Workbench(tmp_path / f"{index}", simulator, in_process=True)
            found = ending_plan.lasting(other, ending_plan.LASTING[shift], label)
        assert found.settled, found


@pytest.mark.parametrize("stage", ending_plan.ANALYSES)
def test_a_crash_in_each_analysis_is_a_failed_target(bench: Workbench, stage: str) -> None:
    """The other analyses go on, and the check is neutral: the base could not be analysed either."""
    found = ending_plan.crash_in_analysis(bench, stage)
    assert (found.code, found.status, found.conclusion) == (0, "completed", "neutral")
    assert found.reason, "log and summary name the stage"
    assert "1 of 1 changed model" in the_check(bench).title
    assert "could not be analysed" in the_check(bench).title


@pytest.mark.parametrize("breaks", ending_plan.PICTURES)
def test_a_review_is_worth_more_than_its_pictures(bench: Workbench, breaks: str) -> None:
    found = ending_plan.crash_in_pictures(bench, breaks)
    assert (found.code, found.status, found.conclusion) == (1, "completed", "failure")
    assert found.reason, "log and summary say that they are missing"
    assert "2 new problems" in the_check(bench).title


def test_a_broken_configuration_stands_everywhere_with_its_line(bench: Workbench) -> None:
    bench.open_pull({".assay.yml": "version: 1\nfail-on: sometimes\n", "models/vae.onnx": "2"})
    ran = bench.run()
    check = the_check(bench)
    (summary,) = bench.simulator.state.issue_comments.values()
    assert (ran.code, check.conclusion) == (2, "failure")
    assert [(a["path"], a["start_line"]) for a in check.annotations] == [(".assay.yml", 2)]
    for text in (ran.log, ran.summary, check.summary, summary.body):
        assert ".assay.yml:2" in text
        assert "sometimes" in text
        assert "confirmed" in text, "how to mend it"
    bench.push({".assay.yml": "version: 1\n", "models/vae.onnx": "4"})
    bench.analyse = lambda *_, **__: report()
    assert bench.run().code == 0
    (summary,) = bench.simulator.state.issue_comments.values()
    assert "sometimes" not in summary.body


def test_a_signal_ends_the_run_as_the_runner_sends_it(bench: Workbench) -> None:
    """`docker stop` sends SIGTERM to the process, and kills it ten seconds later."""
    from action.__main__ import _cancel

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number in before:
        signal.signal(number, _cancel)

    def analyse(*_: object, **__: object) -> Report:
        os.kill(os.getpid(), signal.SIGTERM)
        raise AssertionError("the signal was not taken")

    bench.open_pull()
    bench.analyse = analyse
    try:
        ran = bench.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert (ran.code, the_check(bench).conclusion) == (3, "cancelled")


def test_a_cancelled_run_waits_no_longer_than_the_runner_does(bench: Workbench) -> None:
    bench.open_pull()

    def analyse(*_: object, **__: object) -> Report:
        for _ in range(50):
            bench.simulator.fail(Fault.SERVER_ERROR, lambda request: True)
        raise Cancelled

    bench.analyse = analyse
    ran = bench.run()
    assert sum(bench.waited) <= 6
    assert_settled(bench, ran)
    bench.simulator.forget_requests()
    assert bench.last_resort() == 0
    assert the_check(bench).conclusion == "failure"


def test_a_killed_run_is_concluded_by_the_step_after_the_job(bench: Workbench) -> None:
    class Killed(BaseException):
        pass

    bench.open_pull()
    bench.analyse = raising(Killed())
    with pytest.raises(Killed):
        bench.run()
    assert the_check(bench).status == "in_progress"
    assert bench.last_resort() == 0
    assert (the_check(bench).status, the_check(bench).conclusion) == ("completed", "failure")
    assert "ended without a result" in the_check(bench).title


def test_the_step_after_the_job_leaves_a_conclusion_alone(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report()
    bench.run()
    before = bench.simulator.state.snapshot()
    assert bench.last_resort() == 0
    assert bench.simulator.state.snapshot() == before


@pytest.mark.parametrize("permission", ["checks", "pull_requests"])
def test_a_missing_permission_is_no_silence(bench: Workbench, permission: str) -> None:
    bench.open_pull()
    bench.simulator.permissions -= {permission}
    bench.analyse = lambda *_, **__: report()
    ran = bench.run()
    assert_settled(bench, ran)
    assert ran.code == (3 if permission == "checks" else 0)


@pytest.mark.parametrize("fault", [Fault.FORBIDDEN, Fault.TOO_MANY, Fault.SERVER_ERROR, Fault.RESET])
@pytest.mark.parametrize("method", ["POST", "PATCH", "GET"])
def test_a_lasting_fault_of_check_requests(bench: Workbench, fault: Fault, method: str) -> None:
    """All of a kind of request fail for ever: there is a conclusion, or the job fails and says so."""
    bench.open_pull()
    bench.analyse = lambda *_, **__: report()

    def refused(request: Request) -> bool:
        return request.method == method and "/check-runs" in request.path

    for _ in range(60):
        bench.simulator.fail(fault, refused)
    ran = bench.run(inputs={"max-wait": "40"})
    assert_settled(bench, ran)
    bench.simulator.forget_requests()
    assert bench.last_resort() == 0
    runs = bench.simulator.state.check_runs.values()
    assert all(c.status == "completed" for c in runs), "the last resort left a check run open"


def test_a_rerun_and_two_runs_at_once_leave_one_check_run(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL, *(replace(EXP, node=f"n{n}") for n in range(70)))
    first = bench.run()
    assert len(the_check(bench).annotations) == 71
    again = bench.run()
    assert first.code == again.code == 1

    def meanwhile(*_: object, **__: object) -> Report:
        bench.analyse = lambda *_, **__: report(KERNEL, *(replace(EXP, node=f"n{n}") for n in range(70)))
        bench.run()
        return report(KERNEL, *(replace(EXP, node=f"n{n}") for n in range(70)))

    bench.analyse = meanwhile
    bench.run()
    (check,) = bench.simulator.state.check_runs.values()
    assert (check.status, check.conclusion, len(check.annotations)) == ("completed", "failure", 71)


def test_a_check_run_of_another_app_is_not_ours(bench: Workbench) -> None:
    bench.open_pull()
    forged = CheckRun(5, "Assay", bench.head, "in_progress", None, "assay/assay/1.1", author="mallory[bot]")
    bench.simulator.state.check_runs[5] = forged
    bench.analyse = lambda *_, **__: report()
    assert bench.run().code == 0
    assert (forged.status, len(bench.simulator.state.check_runs)) == ("in_progress", 2)
    assert the_check(bench).conclusion == "success"


# -- forks -------------------------------------------------------------------------------------------------------------


def second(bench: Workbench, conclusion: str) -> Ran:
    """The trusted workflow after a first stage that left nothing."""
    bench.simulator.state.runs[55] = WorkflowRun(55, bench.head)
    stage = {"id": 55, "head_sha": bench.head, "event": "pull_request", "conclusion": conclusion}
    return bench.run("workflow_run", {"action": "completed", "workflow_run": stage})


@pytest.mark.parametrize("conclusion", ["failure", "cancelled", "timed_out"])
def test_a_first_stage_that_left_no_report(bench: Workbench, conclusion: str) -> None:
    bench.open_pull(head_repository="mallory/models")
    ran = second(bench, conclusion)
    assert (ran.code, the_check(bench).conclusion) == (2, "failure")
    (summary,) = bench.simulator.state.issue_comments.values()
    assert conclusion in summary.body


@pytest.mark.parametrize("conclusion", ["failure", "cancelled"])
@pytest.mark.parametrize("check", ["true", "false"])
def test_the_second_workflow_after_a_review_that_blocked(bench: Workbench, conclusion: str, check: str) -> None:
    """It follows every run of the first one: what that has posted by itself stays as it is."""
    inputs = {"check-run": check}
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run(inputs=inputs)
    bench.simulator.state.runs[bench.run_id] = WorkflowRun(bench.run_id, bench.head)
    before = bench.simulator.state.snapshot()
    stage = {"id": bench.run_id, "head_sha": bench.head, "event": "pull_request", "conclusion": conclusion}
    ran = bench.run("workflow_run", {"action": "completed", "workflow_run": stage}, inputs=inputs)
    assert ran.code == 0
    assert "it posted by itself" in ran.log
    assert bench.simulator.state.snapshot() == before


@pytest.mark.parametrize("stage", ending_plan.SECOND_STAGES)
@pytest.mark.parametrize("cancelled", [False, True])
def test_a_second_stage_that_ends_early(bench: Workbench, stage: str, cancelled: bool) -> None:
    bench.in_process = True
    found = ending_plan.second_stage_ends(bench, stage, Cancelled("boom") if cancelled else None)
    assert found.code == 3
    assert found.reason, "log and summary name the error"
    if stage in ending_plan.BEFORE_A_CHECK:
        assert found.status == ""
    else:
        assert (found.status, found.conclusion) == ("completed", "cancelled" if cancelled else "failure")


def test_a_killed_second_stage_is_concluded_by_the_step_after_the_job(bench: Workbench) -> None:
    bench.in_process = True
    found = ending_plan.killed(bench, second=True)
    assert (found.code, found.status, found.conclusion) == (0, "completed", "failure")


def test_a_first_stage_with_nothing_to_say(bench: Workbench) -> None:
    bench.open_pull(head_repository="mallory/models")
    assert second(bench, "success").code == 0
    assert bench.simulator.state.check_runs == {}


def test_a_forged_relay_file_is_a_failed_check(bench: Workbench) -> None:
    bench.open_pull(head_repository="mallory/models")
    bench.simulator.state.add_artifact(55, "assay-relay", zipped({"assay-relay.json": b"{}"}))
    assert second(bench, "success").code == 2
    assert the_check(bench).conclusion == "failure"


def test_two_pull_requests_with_one_head_each_get_a_review(bench: Workbench) -> None:
    pull = bench.open_pull(head_repository="mallory/models")
    bench.simulator.state.add_pull(replace(pull, number=8, commits=set()))
    ran = flows.fork(bench, report(KERNEL))["workflow_run"]
    assert ran.outputs["posted"] == "true", ran.log
    assert sorted(c.number for c in bench.simulator.state.issue_comments.values()) == [7, 8]
    assert sorted(c.number for c in bench.simulator.state.review_comments.values()) == [7, 8]
    assert len(bench.simulator.state.check_runs) == 1


def test_two_pull_requests_of_one_repository_with_one_head_each_get_a_review(bench: Workbench) -> None:
    pull = bench.open_pull()
    bench.simulator.state.add_pull(replace(pull, number=8, commits=set()))
    bench.analyse = lambda *_, **__: report(KERNEL)
    payload = bench.payload()
    for number in (7, 8):
        ran = bench.run(
            payload={**payload, "number": number, "pull_request": {**payload["pull_request"], "number": number}}
        )
        assert ran.outputs["posted"] == "true", ran.log
    assert sorted(c.number for c in bench.simulator.state.issue_comments.values()) == [7, 8]
    assert sorted(c.number for c in bench.simulator.state.review_comments.values()) == [7, 8]
