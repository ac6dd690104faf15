"""Rare conditions: diffs too large, locked and closed conversations, comments deleted midway, slow GitHub."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import replace
from typing import Any

import pytest

from action import scanning
from action.github import RetryBudget, Unavailable
from action.github.transient_errors import TransportFailure
from analyzer.findings import Location
from tests.action import flows
from tests.action.harness import Workbench, lines
from tests.action.reports import KERNEL, LOG, report
from tests.github_simulator import ChangedFile, Request


def test_a_fork_whose_diff_github_cannot_show(bench: Workbench) -> None:
    """No line can carry a comment then; the summary and the check stand, and say what is missing."""
    bench.open_pull(head_repository="mallory/models").too_large = True
    ran = flows.fork(bench, report(KERNEL))["workflow_run"]
    (summary,) = bench.simulator.state.issue_comments.values()
    assert "1 new problem" in summary.body
    assert "the diff could not be read" in summary.body
    assert "406" in summary.body
    assert bench.simulator.state.review_comments == {}
    assert len(bench.simulator.state.check_runs) == 1
    assert (ran.code, ran.outputs["posted"]) == (0, "false")


def test_a_file_beyond_the_three_thousand_that_github_tells(bench: Workbench) -> None:
    """In the second stage the files come from the API, which ends at 3,000: the summary has what lies beyond."""
    pull = bench.open_pull(head_repository="mallory/models")
    pull.files = [ChangedFile(f"data/{n}.txt", "@@ -1 +1 @@\n-a\n+b") for n in range(3000)] + pull.files
    ran = flows.fork(bench, report(KERNEL))["workflow_run"]
    assert ran.outputs["posted"] == "true"
    assert bench.simulator.state.review_comments == {}
    (summary,) = bench.simulator.state.issue_comments.values()
    assert "models/vae.py:18" in summary.body
    pages = [r for r in bench.simulator.requests if r.path.endswith("/files")]
    assert len(pages) == 30


def test_a_large_diff_without_a_fork_needs_no_api(bench: Workbench) -> None:
    """The first stage takes lines from git, so GitHub's limits on diffs do not matter."""
    bench.open_pull().too_large = True
    bench.analyse = lambda *_, **__: report(KERNEL)
    assert bench.run().outputs["posted"] == "true"
    assert not [r for r in bench.simulator.requests if r.path.endswith("/files")]
    assert len(bench.simulator.state.review_comments) == 1


def test_a_locked_conversation_is_no_missing_permission(bench: Workbench) -> None:
    bench.open_pull().locked = True
    bench.analyse = lambda *_, **__: report(KERNEL)
    ran = bench.run(inputs={"review": "false"})
    assert "locked" in ran.summary
    assert "permissions" not in ran.summary
    assert ran.outputs["relay"] == ""
    assert len(bench.simulator.state.check_runs) == 1


def test_a_missing_permission_is_named(bench: Workbench) -> None:
    bench.simulator.permissions = frozenset({"pull_requests"})
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    ran = bench.run(inputs={"code-scanning": "true"})
    assert "`permissions: checks: write`" in ran.summary
    assert "`permissions: security-events: write`" in ran.summary
    (summary,) = bench.simulator.state.issue_comments.values()
    assert "The check run could not be posted" in summary.body
    assert len(bench.simulator.state.review_comments) == 1


@pytest.mark.parametrize("kind", ["issue_comments", "review_comments"])
def test_a_comment_deleted_between_look_and_edit(bench: Workbench, kind: str) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(replace(LOG, suggestion=None), KERNEL)
    bench.run()

    def delete(request: Request) -> None:
        if request.method == "PATCH" and "/comments/" in request.path:
            getattr(bench.simulator.state, kind).pop(int(request.path.rpartition("/")[2]), None)

    bench.simulator.on_request = delete
    bench.analyse = lambda *_, **__: report(replace(LOG, suggestion=None, message="`log` receives -1"))
    ran = bench.run()
    assert ran.outputs["posted"] == "true", ran.summary
    assert len(bench.simulator.state.issue_comments) == 1


def test_an_older_first_stage_that_comes_late_says_nothing(bench: Workbench) -> None:
    bench.open_pull(head_repository="mallory/models")
    flows.first_stage(bench, report(KERNEL))
    old = bench.run_id
    flows.fork(bench, report(LOG))
    flows.leave_artifacts(bench, old)
    before = bench.simulator.state.snapshot()
    stage = {"id": old, "head_sha": bench.head, "event": "pull_request", "conclusion": "success"}
    ran = bench.run("workflow_run", {"action": "completed", "workflow_run": stage})
    after = bench.simulator.state.snapshot()
    assert ran.outputs["posted"] == "false"
    assert after["issue_comments"] == before["issue_comments"]
    assert after["review_comments"] == before["review_comments"]


def test_a_rerun_of_the_first_stage_is_newer(bench: Workbench) -> None:
    bench.open_pull(head_repository="mallory/models")
    flows.fork(bench, report(KERNEL))
    first = bench.run_id - 1
    flows.first_stage(bench, report(LOG))
    ran = flows.second_stage(bench, first, run_attempt=2)
    assert ran.outputs["posted"] == "true"
    (summary,) = bench.simulator.state.issue_comments.values()
    assert f"run={first}.2" in summary.body


def test_a_fork_reader_can_fetch_the_reproducer(bench: Workbench) -> None:
    bench.open_pull(head_repository="mallory/models")
    flows.fork(bench, report(LOG))
    (comment,) = bench.simulator.state.review_comments.values()
    assert f"gh run download {bench.run_id - 1} --repo octo/models --name assay-report" in comment.body


def test_a_finding_of_an_entry_point_without_a_line_stands_on_its_file(bench: Workbench) -> None:
    bench.open_pull({"models/vae.py": lines(60, {1: "x"})})
    target = replace(report().targets[0], path="models/vae.py:build")
    bench.analyse = lambda *_, **__: report(replace(KERNEL, location=None), target=target)
    bench.run()
    (comment,) = bench.simulator.state.review_comments.values()
    assert (comment.path, comment.line, comment.subject_type) == ("models/vae.py", None, "file")
    (summary,) = bench.simulator.state.issue_comments.values()
    assert "in `encoder.conv3`, `models/vae.py`" in summary.body


def test_the_latest_check_is_the_one_that_holds(bench: Workbench) -> None:
    """Two outcomes in turn on one commit: the last check says what the last run found."""
    bench.open_pull()
    for found in (report(KERNEL), report(), report(KERNEL)):
        bench.analyse = lambda *_, found=found, **__: found
        bench.run()
    latest = max(bench.simulator.state.check_runs.values(), key=lambda check: check.id)
    assert latest.conclusion == "failure"
    bench.run()
    assert len(bench.simulator.state.check_runs) == 2, "an annotation cannot be taken back, all else can"


def test_unanswered_requests_use_up_the_patience() -> None:
    budget = RetryBudget(budget=60, sleep=lambda _: None)
    budget.charge(55)
    with pytest.raises(Unavailable, match="this run's 60 s"):
        budget.wait(10, "GitHub did not answer")


def test_a_reset_far_away_is_not_waited_for() -> None:
    from github import GithubException

    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4000"}
    failure = TransportFailure.of(GithubException(403, {"message": "API rate limit exceeded"}, headers), now=1000.0)
    assert (failure.transient, failure.wait) == (True, 3001.0)
    with pytest.raises(Unavailable):
        RetryBudget(budget=180, sleep=lambda _: None).wait(failure.wait, failure.sentence)


# -- code scanning -----------------------------------------------------------------------------------------------------


def uploads(bench: Workbench) -> list[Any]:
    return list(bench.simulator.state.uploads.values())


def test_code_scanning_gets_the_results_of_the_commit(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(LOG, KERNEL)
    bench.run(inputs={"id": "vision"})
    assert uploads(bench) == []
    assert bench.run(inputs={"id": "vision", "code-scanning": "true"}).outputs["posted"] == "true"
    (upload,) = uploads(bench)
    assert (upload.commit, upload.ref) == (bench.head, "refs/pull/7/head")
    (run,) = upload.sarif["runs"]
    assert run["automationDetails"]["id"] == "assay/vision/"
    assert [r["ruleId"] for r in run["results"]] == [LOG.rule, KERNEL.rule]


def test_refused_results_are_told(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.github_simulator import routes

    monkeypatch.setattr(routes, "_sarif_errors", lambda data: ["locationFromSarifResult: expected a location"])
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(LOG)
    ran = bench.run(inputs={"code-scanning": "true"})
    assert "GitHub refused the results" in ran.summary
    assert ran.outputs["posted"] == "false"


def test_an_upload_is_the_same_for_the_same_report() -> None:
    packed = scanning.upload(report(LOG), "assay")
    assert packed == scanning.upload(report(LOG), "assay")
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert data["version"] == "2.1.0"
    many = [replace(LOG, node=f"n{n}", location=Location("models/vae.py", n + 1)) for n in range(6000)]
    data = json.loads(gzip.decompress(base64.b64decode(scanning.upload(report(*many), "assay"))))
    assert len(data["runs"][0]["results"]) == scanning.RESULTS
