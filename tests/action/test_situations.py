"""Rare and real situations of a pull request: each ends in one summary, one concluded check, comments in place."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzer.findings import Finding, Location, Report
from analyzer.running import local
from tests.action.harness import CONFIG as CONFIGURED
from tests.action.harness import Ran, Workbench, git, lines
from tests.action.reports import KERNEL, LOG, report
from tests.action.test_image import CONFIG, model
from tests.github_simulator import CheckRun, Comment

ONLY = "only: [numerical]\n"


def posted(bench: Workbench) -> tuple[str, CheckRun, list[Comment]]:
    """The summary's text, the check run of the head, the comments on lines."""
    (summary,) = bench.simulator.state.issue_comments.values()
    (check,) = [c for c in bench.simulator.state.check_runs.values() if c.head_sha == bench.head]
    assert check.status == "completed"
    return summary.body, check, list(bench.simulator.state.review_comments.values())


def says(*findings: Finding) -> Any:
    return lambda *_, **__: report(*findings)


def real(bench: Workbench, before: dict[str, Any], after: dict[str, Any], more: str = "") -> Ran:
    """The real analysis of a model that becomes unsafe, with other changes."""
    bench.base = bench.commit({".assay.yml": CONFIG + ONLY + more, "loss.onnx": model(safe=True), **before})
    bench.open_pull({"loss.onnx": model(safe=False), **after})
    bench.analyse = local.review
    return bench.run()


def test_a_file_renamed_and_edited(bench: Workbench) -> None:
    changed = lines(60, {18: "kernel = 7"})
    bench.open_pull({"models/vae.py": None, "models/net.py": changed})
    bench.analyse = says(replace(KERNEL, location=Location("models/net.py", 18)))
    bench.run()
    _, _, (comment,) = posted(bench)
    assert (comment.path, comment.line) == ("models/net.py", 18)


def test_a_submodule_that_moves(bench: Workbench, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    (other / "net.onnx").write_bytes(b"1")
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "--message", "one")
    git(bench.workspace, "submodule", "--quiet", "add", str(other), "vendor")
    bench.base = bench.commit({".assay.yml": CONFIG + ONLY, "loss.onnx": model(safe=True)})
    (bench.workspace / "vendor" / "net.onnx").write_bytes(b"2")
    git(bench.workspace / "vendor", "commit", "--quiet", "--all", "--message", "two")
    bench.open_pull({"loss.onnx": model(safe=False)})
    bench.analyse = local.review
    ran = bench.run()
    assert ran.code == 1, ran.log
    _, check, _ = posted(bench)
    assert check.conclusion == "failure"


def test_windows_line_ends(bench: Workbench) -> None:
    """Comments stand on the right lines, and the offered change is of the same lines."""
    text = lines(60).replace("\n", "\r\n")
    bench.base = bench.commit({"models/vae.py": text})
    bench.open_pull({"models/vae.py": text.replace("line 42\r\n", "return log(1 - p)\r\n")})
    bench.analyse = says(LOG)
    bench.run()
    _, _, (comment,) = posted(bench)
    assert comment.line == 42
    assert "```suggestion\nreturn log1p(-p)\n```" in comment.body


def test_a_head_that_merges_the_base(bench: Workbench) -> None:
    """What the base has done meanwhile is no change of the pull request."""
    fork_point = bench.base
    git(bench.workspace, "checkout", "--quiet", "-b", "feature")
    bench.commit({"models/vae.py": lines(60, {18: "kernel = 7"})})
    git(bench.workspace, "checkout", "--quiet", "main")
    bench.base = bench.commit({"models/big.onnx": "other", ".assay.yml": CONFIG + ONLY, "loss.onnx": model(safe=False)})
    git(bench.workspace, "checkout", "--quiet", "feature")
    git(bench.workspace, "merge", "--quiet", "--no-edit", "main")
    bench.open_pull({"loss.onnx": model(safe=False)})
    bench.analyse = local.review
    ran = bench.run()
    assert ran.code == 0, ran.log
    assert bench.base != fork_point
    assert not bench.simulator.state.review_comments


def test_a_file_whose_diff_github_does_not_show(bench: Workbench) -> None:
    """It is too large or "linguist-generated": a comment on its line is refused, and goes to the file."""
    pull = bench.open_pull()
    for file in pull.files:
        file.patch = None
    bench.analyse = says(KERNEL)
    ran = bench.run()
    assert ran.code == 1, ran.log
    _, _, (comment,) = posted(bench)
    assert (comment.path, comment.line, comment.subject_type) == ("models/vae.py", None, "file")


def test_a_target_that_gets_another_name(bench: Workbench) -> None:
    """What the base had wrong under the old name is known under the new one."""
    bench.base = bench.commit({".assay.yml": CONFIG + ONLY, "loss.onnx": model(safe=False), "README.md": "1"})
    bench.open_pull({".assay.yml": CONFIG.replace("id: loss", "id: objective") + ONLY})
    bench.analyse = local.review
    ran = bench.run()
    assert (ran.code, ran.outputs["new"]) == (0, "0"), ran.log


def test_a_target_that_gets_another_name_keeps_one_comment(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = says(KERNEL)
    bench.run()
    bench.push({".assay.yml": CONFIGURED.replace("id: vae-loss", "id: other")})
    told = report(replace(KERNEL, target="other"))
    bench.analyse = lambda *_, **__: replace(told, targets=tuple(replace(t, id="other") for t in told.targets[:1]))
    bench.run()
    comments = [c for c in bench.simulator.state.review_comments.values() if "state=open" in c.body]
    assert len(comments) == 1, [c.body[:300] for c in comments]


@pytest.mark.parametrize("action", ["opened", "ready_for_review", "converted_to_draft", "labeled"])
def test_a_draft_is_reviewed_like_any_other(bench: Workbench, action: str) -> None:
    bench.open_pull()
    bench.analyse = says(KERNEL)
    payload = bench.payload(action)
    payload["pull_request"]["draft"] = True
    ran = bench.run(payload=payload)
    assert ran.code == 1, ran.log
    assert posted(bench)[1].conclusion == "failure"


def test_a_fork_that_was_deleted(bench: Workbench) -> None:
    """Its head still is a commit of the repository (refs/pull/7/head); it counts as a fork, whose token only reads."""
    bench.open_pull(head_repository=None).head_repository = None
    bench.simulator.permissions = frozenset()
    bench.analyse = says(KERNEL)
    ran = bench.run(payload=bench.payload(head_repository=None), inputs={"output": "out"})
    assert ran.code == 1, ran.log
    assert ran.outputs["relay"] == "out/assay-relay.json"


def test_a_base_branch_that_was_deleted(bench: Workbench) -> None:
    bench.open_pull()
    git(bench.workspace, "checkout", "--quiet", "--detach")
    git(bench.workspace, "branch", "--quiet", "-D", "main")
    bench.analyse = says(KERNEL)
    assert bench.run().code == 1
    assert posted(bench)[1].conclusion == "failure"


def test_reopened_after_a_force_push(bench: Workbench) -> None:
    """The head of the first review is gone from history; the comment follows the finding to the new line."""
    bench.open_pull()
    bench.analyse = says(KERNEL)
    bench.run()
    pull = bench.simulator.state.pulls[7]
    pull.state = "closed"
    assert bench.run(payload=bench.payload("closed")).code == 0
    git(bench.workspace, "reset", "--quiet", "--hard", bench.base)
    bench.head = bench.commit({"models/vae.onnx": "3", "models/vae.py": lines(60, {30: "kernel = 7"})})
    pull.push(bench.head, bench.files())
    pull.state = "open"
    bench.analyse = says(replace(KERNEL, location=Location("models/vae.py", 30)))
    assert bench.run(payload=bench.payload("reopened")).code == 1
    _, _, comments = posted(bench)
    assert [(c.line, c.resolved) for c in comments] == [(18, True), (30, False)]


def test_run_again_by_hand(bench: Workbench) -> None:
    """Jobs that are run again are the same run, another attempt: one check run, one summary, the same comments."""
    bench.open_pull()
    bench.analyse = says(KERNEL)
    bench.run(environ={"GITHUB_RUN_ID": "77"})
    first = bench.simulator.state.snapshot()
    ran = bench.run(environ={"GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "2"})
    assert ran.code == 1, ran.log
    second = bench.simulator.state.snapshot()
    assert second["review_comments"] == first["review_comments"]
    assert second["check_runs"] == first["check_runs"]
    assert len(bench.simulator.state.issue_comments) == 1


@pytest.mark.parametrize("event", ["check_run", "check_suite", "issue_comment", "deployment"])
def test_an_event_that_is_not_served_is_refused_in_a_sentence(bench: Workbench, event: str) -> None:
    """A re-run beside a check run tells the App that made it, which is GitHub itself: that runs the job again."""
    bench.open_pull()
    ran = bench.run(event, {"action": "rerequested", "repository": {"full_name": "octo/models"}})
    assert ran.code == 2
    assert f"does not know the event `{event}`" in ran.log


def test_two_targets_of_one_file(bench: Workbench) -> None:
    """They find the same at one line: one comment, said once."""
    bench.open_pull()
    bench.analyse = says(KERNEL, replace(KERNEL, target="big"))
    bench.run()
    _, _, (comment,) = posted(bench)
    assert comment.body.count("kernel 7 does not fit") == 1


def test_a_path_that_is_not_utf8(bench: Workbench) -> None:
    name = os.fsdecode(b"models/caf\xe9.onnx")
    ran = real(bench, {name: model(safe=True)}, {name: model(safe=False)})
    assert ran.code == 1, ran.log
    summary, check, _ = posted(bench)
    assert check.conclusion == "failure"
    assert "models/caf" in summary


@pytest.mark.parametrize("name", ["a b#c?d%20.py", "[x](y)`z`.py", "é/ü–😀.py", "-n.py", "a:b.py", "@octocat.py"])
def test_a_path_with_a_meaning_elsewhere(bench: Workbench, name: str) -> None:
    bench.base = bench.commit({f"m/{name}": lines(60)})
    bench.open_pull({f"m/{name}": lines(60, {18: "kernel = 7"})})
    bench.analyse = says(replace(KERNEL, location=Location(f"m/{name}", 18)))
    assert bench.run().code == 1
    _, check, (comment,) = posted(bench)
    assert (comment.path, comment.line) == (f"m/{name}", 18)
    assert check.annotations[0]["path"] == f"m/{name}"


def test_a_model_that_becomes_a_link(bench: Workbench) -> None:
    bench.base = bench.commit(
        {".assay.yml": CONFIG + ONLY, "loss.onnx": model(safe=True), "other.onnx": model(safe=True)}
    )
    (bench.workspace / "loss.onnx").unlink()
    (bench.workspace / "loss.onnx").symlink_to("other.onnx")
    bench.open_pull({"README.md": "changed"})
    bench.analyse = local.review
    ran = bench.run()
    assert ran.code == 1, ran.log
    assert "links, pipes and devices are not followed" in posted(bench)[0]


def test_a_model_that_only_may_be_executed_now(bench: Workbench) -> None:
    bench.base = bench.commit({".assay.yml": CONFIG + ONLY, "loss.onnx": model(safe=False)})
    (bench.workspace / "loss.onnx").chmod(0o755)
    bench.open_pull({"README.md": "changed"})
    bench.analyse = local.review
    ran = bench.run()
    assert (ran.code, ran.outputs["new"]) == (0, "0"), ran.log


def test_a_pull_request_without_a_change(bench: Workbench) -> None:
    bench.head = bench.commit({})
    bench.open_pull({"README.md": "x\n"})
    bench.analyse = lambda *_, **__: Report((), ())
    ran = bench.run()
    assert ran.code == 0, ran.log
    assert not bench.simulator.state.issue_comments
    (check,) = bench.simulator.state.check_runs.values()
    assert (check.status, check.conclusion) == ("completed", "success")


def test_a_base_that_changes(bench: Workbench) -> None:
    """The pull request is aimed at another branch: what is new is decided against that one."""
    bench.open_pull()
    bench.analyse = says(KERNEL)
    assert bench.run(payload={**bench.payload("edited"), "changes": {"title": {"from": "x"}}}).code == 0
    assert not bench.simulator.state.issue_comments
    assert bench.run(payload={**bench.payload("edited"), "changes": {"base": {"ref": {"from": "dev"}}}}).code == 1
    assert posted(bench)[1].conclusion == "failure"


def test_a_configuration_that_is_deleted(bench: Workbench) -> None:
    """Discovery takes over; that the base asked for more is said first."""
    bench.base = bench.commit({".assay.yml": CONFIG + ONLY + "fail-on: possible\n", "loss.onnx": model(safe=True)})
    bench.open_pull({".assay.yml": None, "loss.onnx": model(safe=True) + b"\x3a\x00"})
    bench.analyse = says()
    bench.run()
    assert "This change asks less of the review" in posted(bench)[0]


def test_a_file_without_an_end_of_line(bench: Workbench) -> None:
    text = lines(17)
    bench.base = bench.commit({"models/vae.py": text + "kernel = 3"})
    bench.open_pull({"models/vae.py": text + "kernel = 7"})
    bench.analyse = says(KERNEL)
    bench.run()
    _, _, (comment,) = posted(bench)
    assert comment.line == 18
