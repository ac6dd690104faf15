"""From an event to what is to be done: a pure function over the webhook's payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from action.settings import Settings
from analyzer.problem import UsageProblem

ZERO_SHA = "0" * 40
DEPENDABOT = "dependabot[bot]"


@dataclass(frozen=True, slots=True)
class ReviewPullRequest:
    """Compare a pull request's head with its base, and comment."""

    number: int
    head_sha: str
    base_sha: str
    base_ref: str
    fork: bool  # the head lives in another repository (or in one that is gone)
    read_only: bool  # the token of this run cannot write


@dataclass(frozen=True, slots=True)
class CheckCommit:
    """Analyse a commit and report on it alone: merge queue, push, schedule, dispatch.

    `base_sha` None: everything is analysed and every finding is new; else only what changed since then.
    `models` are paths or globs given with a dispatch.
    """

    head_sha: str
    base_sha: str | None = None
    base_ref: str | None = None
    models: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    space: str = ""


@dataclass(frozen=True, slots=True)
class RelayReport:
    """Post what a run of the untrusted workflow found. Nothing else is taken from the event."""

    run_id: int
    head_sha: str
    attempt: int = 1
    conclusion: str = "success"  # of the first stage


@dataclass(frozen=True, slots=True)
class Nothing:
    """End early with success. `reason` is a sentence."""

    reason: str
    head_sha: str | None = None


Plan = ReviewPullRequest | CheckCommit | RelayReport | Nothing

REFUSED_TARGET = (
    "Assay does not run under `pull_request_target`: that event holds secrets and a token that can write, and "
    "analysing the pull request's files there would hand them to whoever opened it. Use `on: pull_request`, and for "
    "forks the second workflow `on: workflow_run` (docs/workflows/forks-post.yml)."
)


def plan(settings: Settings, payload: Mapping[str, Any]) -> Plan:
    """What this run has to do. Raises UsageProblem for an event that cannot be served."""
    makers = {
        "pull_request": _pull_request,
        "merge_group": _merge_group,
        "push": _push,
        "schedule": _schedule,
        "workflow_dispatch": _dispatch,
        "workflow_run": _workflow_run,
    }
    if settings.event_name == "pull_request_target":
        raise UsageProblem(REFUSED_TARGET)
    maker = makers.get(settings.event_name)
    if maker is None:
        raise UsageProblem(f"Assay does not know the event `{settings.event_name}`; use {', '.join(makers)}.")
    try:
        return maker(settings, payload)
    except (KeyError, TypeError, ValueError) as problem:
        raise UsageProblem(
            f"The payload of `{settings.event_name}` in {settings.event_path} lacks what GitHub sends ({problem})."
        ) from None


def _pull_request(settings: Settings, payload: Mapping[str, Any]) -> Plan:
    pull, action = payload["pull_request"], payload["action"]
    head_sha = _sha(pull["head"]["sha"])
    if action == "closed":
        return Nothing("The pull request is closed.", head_sha)
    if action == "edited" and "base" not in payload.get("changes", {}):
        return Nothing("Only the pull request's title or text was edited.", head_sha)
    head_repository = (pull["head"].get("repo") or {}).get("full_name")  # None once a fork is deleted
    fork = head_repository != pull["base"]["repo"]["full_name"]
    return ReviewPullRequest(
        number=int(payload["number"]),
        head_sha=head_sha,
        base_sha=_sha(pull["base"]["sha"]),
        base_ref=str(pull["base"]["ref"]),
        fork=fork,
        read_only=fork or settings.actor == DEPENDABOT,
    )


def _merge_group(settings: Settings, payload: Mapping[str, Any]) -> Plan:
    group = payload["merge_group"]
    if payload["action"] != "checks_requested":
        return Nothing("The merge group was dissolved.", _sha(group["head_sha"]))
    return CheckCommit(head_sha=_sha(group["head_sha"]), base_sha=_sha(group["base_sha"]))


def _push(settings: Settings, payload: Mapping[str, Any]) -> Plan:
    after = str(payload["after"])
    if payload.get("deleted") or after == ZERO_SHA:
        return Nothing("The branch was deleted.")
    if str(payload["ref"]) == f"refs/heads/{settings.pictures_branch}":
        return Nothing("This branch holds only Assay's own pictures.", _sha(after))
    if str(payload["ref"]).startswith("refs/tags/"):
        return CheckCommit(head_sha=settings.sha)
    before = str(payload["before"])
    if before == ZERO_SHA:
        default = str(payload["repository"]["default_branch"])
        created_default = payload["ref"] == f"refs/heads/{default}"
        return CheckCommit(head_sha=_sha(after), base_ref=None if created_default else default)
    return CheckCommit(head_sha=_sha(after), base_sha=_sha(before))


def _schedule(settings: Settings, payload: Mapping[str, Any]) -> Plan:
    return CheckCommit(head_sha=settings.sha)


def _dispatch(settings: Settings, payload: Mapping[str, Any]) -> Plan:
    inputs = payload.get("inputs") or {}
    models = [settings.checkpoint, *(str(inputs.get(key) or "") for key in ("checkpoint", "model"))]
    backends = settings.backends or tuple(b.strip() for b in str(inputs.get("backends") or "").split(",") if b.strip())
    unique = tuple(dict.fromkeys(m.strip() for m in models if m.strip()))
    for model in unique:
        if model.startswith(("/", "~")) or ".." in model.replace("\\", "/").split("/"):
            raise UsageProblem(f"The dispatched model `{model}` must be a path or a glob inside the repository.")
    return CheckCommit(
        head_sha=settings.sha,
        models=unique,
        backends=backends,
        space=settings.space or str(inputs.get("space") or ""),
    )


def _workflow_run(settings: Settings, payload: Mapping[str, Any]) -> Plan:
    run = payload["workflow_run"]
    if payload["action"] != "completed":
        return Nothing("The first stage has not finished.")
    if run["event"] != "pull_request":
        return Nothing(f"The first stage ran for the event `{run['event']}`, not for a pull request.")
    conclusion = str(run.get("conclusion") or "success")
    if conclusion in ("skipped", "stale", "action_required"):
        return Nothing(f"The first stage did not run ({conclusion}).")
    return RelayReport(int(run["id"]), _sha(run["head_sha"]), int(run.get("run_attempt") or 1), conclusion)


def _sha(value: Any) -> str:
    text = str(value)
    if len(text) not in (40, 64) or not all(c in "0123456789abcdef" for c in text):
        raise ValueError(f"`{text[:64]}` is no commit id")
    return text
