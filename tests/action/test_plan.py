"""What each event makes Assay do, over GitHub's own example payloads and made-up ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from action.isolation import choose_sandbox
from action.plan import CheckCommit, Nothing, RelayReport, ReviewPullRequest, plan
from action.settings import ProjectCode, Settings
from analyzer.problem import UsageProblem
from analyzer.walls.engines import EnginesImage
from tests.action.webhook_examples import examples

A, B = "a" * 40, "b" * 40


def settings(event: str, **changes: Any) -> Settings:
    defaults = {"event_path": Path("event.json"), "repository": "octo/models", "sha": A, "workspace": Path(".")}
    return Settings(event_name=event, **(defaults | changes))


def pull(action: str = "opened", head: str | None = "octo/models", **more: Any) -> dict[str, Any]:
    base = {"full_name": "octo/models"}
    return {
        "action": action,
        "number": 7,
        "pull_request": {
            "head": {"sha": A, "repo": {"full_name": head} if head else None},
            "base": {"sha": B, "ref": "main", "repo": base},
        },
        **more,
    }


@pytest.mark.parametrize(("name", "payload"), examples()["pull_request"].items())
def test_every_published_pull_request_example_has_a_plan(name: str, payload: dict[str, Any]) -> None:
    made = plan(settings("pull_request", repository=payload["repository"]["full_name"]), payload)
    if payload["action"] == "closed" or (payload["action"] == "edited" and "base" not in payload["changes"]):
        assert isinstance(made, Nothing)
    else:
        assert isinstance(made, ReviewPullRequest)
        assert made.head_sha == payload["pull_request"]["head"]["sha"]
        assert made.number == payload["number"]


@pytest.mark.parametrize("event", ["push", "merge_group", "workflow_dispatch", "workflow_run"])
def test_every_other_published_example_has_a_plan(event: str) -> None:
    for payload in examples()[event].values():
        assert isinstance(plan(settings(event), payload), CheckCommit | Nothing | RelayReport)


@pytest.mark.parametrize(("head", "fork"), [("octo/models", False), ("mallory/models", True), (None, True)])
def test_forks_and_deleted_forks_cannot_write(head: str | None, fork: bool) -> None:
    made = plan(settings("pull_request"), pull(head=head))
    assert isinstance(made, ReviewPullRequest)
    assert (made.fork, made.read_only) == (fork, fork)


def test_dependabot_cannot_write_but_is_no_fork() -> None:
    made = plan(settings("pull_request", actor="dependabot[bot]"), pull())
    assert isinstance(made, ReviewPullRequest)
    assert (made.fork, made.read_only) == (False, True)


def test_a_changed_base_is_reviewed_again_a_changed_title_is_not() -> None:
    assert isinstance(plan(settings("pull_request"), pull("edited", changes={"base": {}})), ReviewPullRequest)
    assert isinstance(plan(settings("pull_request"), pull("edited", changes={"title": {}})), Nothing)


def test_pull_request_target_is_refused_with_the_recipe() -> None:
    with pytest.raises(UsageProblem, match=r"workflow_run.*docs/workflows/forks-post.yml"):
        plan(settings("pull_request_target"), pull())


def test_a_merge_group_compares_its_two_ends() -> None:
    group = {"action": "checks_requested", "merge_group": {"head_sha": A, "base_sha": B}}
    assert plan(settings("merge_group"), group) == CheckCommit(A, B)


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"ref": "refs/heads/main", "before": B, "after": A}, CheckCommit(A, B)),
        ({"ref": "refs/heads/new", "before": "0" * 40, "after": A}, CheckCommit(A, None, "main")),
        ({"ref": "refs/heads/main", "before": "0" * 40, "after": A}, CheckCommit(A)),
        ({"ref": "refs/tags/v1", "before": "0" * 40, "after": B}, CheckCommit(A)),
    ],
)
def test_pushes(payload: dict[str, Any], expected: CheckCommit) -> None:
    assert plan(settings("push"), {**payload, "repository": {"default_branch": "main"}}) == expected


@pytest.mark.parametrize(
    "payload",
    [
        {"ref": "refs/heads/x", "before": A, "after": "0" * 40, "deleted": True},
        {"ref": "refs/heads/assay-pictures", "before": A, "after": B},
    ],
)
def test_pushes_without_anything_to_check(payload: dict[str, Any]) -> None:
    assert isinstance(plan(settings("push"), {**payload, "repository": {"default_branch": "main"}}), Nothing)


def test_a_schedule_checks_everything() -> None:
    assert plan(settings("schedule"), {"schedule": "17 3 * * *"}) == CheckCommit(A)


def test_a_dispatch_takes_its_inputs_from_the_event_too() -> None:
    inputs = {"checkpoint": "runs/*.safetensors", "backends": "torch, onnxruntime", "space": "space.yml"}
    made = plan(settings("workflow_dispatch"), {"inputs": inputs})
    assert made == CheckCommit(A, models=("runs/*.safetensors",), backends=("torch", "onnxruntime"), space="space.yml")
    assert plan(settings("workflow_dispatch", checkpoint="a.onnx"), {"inputs": None}) == CheckCommit(
        A, models=("a.onnx",)
    )


@pytest.mark.parametrize("path", ["/etc/passwd", "../other/x.onnx", "~/x", "a/../../b"])
def test_a_dispatch_stays_inside_the_repository(path: str) -> None:
    with pytest.raises(UsageProblem, match="inside the repository"):
        plan(settings("workflow_dispatch"), {"inputs": {"model": path}})


def run(**changes: Any) -> dict[str, Any]:
    stage = {"id": 5, "head_sha": A, "event": "pull_request", "conclusion": "success", **changes}
    return {"action": "completed", "workflow_run": stage}


def test_the_second_stage_relays_pull_requests_only() -> None:
    assert plan(settings("workflow_run"), run()) == RelayReport(5, A)
    for conclusion in ("failure", "cancelled", "timed_out"):
        assert plan(settings("workflow_run"), run(conclusion=conclusion)) == RelayReport(5, A, conclusion=conclusion)
    assert isinstance(plan(settings("workflow_run"), run(event="push")), Nothing)
    assert isinstance(plan(settings("workflow_run"), run(conclusion="skipped")), Nothing)
    assert isinstance(plan(settings("workflow_run"), {**run(), "action": "requested"}), Nothing)


@pytest.mark.parametrize(
    "payload", [{}, {"action": "opened"}, {"action": "opened", "pull_request": None}, pull() | {"number": "x"}]
)
def test_a_payload_that_is_none_is_one_sentence(payload: dict[str, Any]) -> None:
    with pytest.raises(UsageProblem, match="lacks what GitHub sends"):
        plan(settings("pull_request"), payload)


@pytest.mark.parametrize("sha", ["--upload-pack=x", "main", "A" * 40, "a" * 39, ""])
def test_a_commit_id_is_a_commit_id(sha: str) -> None:
    payload = pull()
    payload["pull_request"]["head"]["sha"] = sha
    with pytest.raises(UsageProblem):
        plan(settings("pull_request"), payload)


def test_unknown_events_name_the_known_ones() -> None:
    with pytest.raises(UsageProblem, match="merge_group"):
        plan(settings("issue_comment"), {})


@pytest.mark.parametrize(("engines", "refused"), [("registry/engines@sha256:1", True), ("own", False)])
def test_the_process_needs_the_engines_beside_it(engines: str, refused: bool) -> None:
    chosen = settings("push", project_code=ProjectCode.PROCESS)
    sandbox, why = choose_sandbox(chosen, CheckCommit(A), None, EnginesImage({"ASSAY_ENGINES_IMAGE": engines}))
    assert (sandbox is None) == refused
    assert ("Leave it at `sandbox`" in (why or "")) == refused
