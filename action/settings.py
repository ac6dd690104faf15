"""The inputs of `action.yml` and the runner's environment as one frozen object. Reads no file, decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from analyzer.findings import FailOn
from analyzer.problem import UsageProblem

ANALYSES = ("numerical", "validity", "differential", "tracing")
SECRETS = ("INPUT_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")
SECRET_PREFIXES = ("ACTIONS_",)  # the runtime's and the OIDC endpoint's tokens

Choice = TypeVar("Choice", bound=StrEnum)


class ProjectCode(StrEnum):
    """Whether the project's own Python may run, to export a model from an entry point."""

    NEVER = "never"
    SANDBOX = "sandbox"  # in a container without network, secrets and privileges
    PROCESS = "process"  # in a resource-limited child process, which is no boundary: never for forks


class Pictures(StrEnum):
    """Where rendered graphs are kept."""

    AUTO = "auto"  # a branch in public repositories, else the artifact
    BRANCH = "branch"
    ARTIFACT = "artifact"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Everything that a run is told from outside, besides the event's payload.

    The names of the first block are those of the inputs in `action.yml`, with dashes for underscores.
    """

    token: str = field(default="", repr=False)
    id: str = "assay"
    config: str = ".assay.yml"
    targets: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    fail_on_incomplete: bool = False
    backends: tuple[str, ...] = ()
    space: str = ""
    checkpoint: str = ""
    project_code: ProjectCode = ProjectCode.SANDBOX
    forks_on_self_hosted: bool = False
    gpus: bool = False
    comment: bool = True
    review: bool = True
    check_run: bool = True
    step_summary: bool = True
    sarif: bool = True
    code_scanning: bool = False
    pictures: Pictures = Pictures.AUTO
    pictures_branch: str = "assay-pictures"
    max_comments: int = 30
    output: str = ""
    cache: str = ""
    max_wait: int = 180

    event_name: str
    event_path: Path
    repository: str
    sha: str
    ref: str = ""
    api_url: str = "https://api.github.com"
    graphql_url: str = "https://api.github.com/graphql"
    server_url: str = "https://github.com"
    run_id: int = 0
    run_attempt: int = 1
    actor: str = ""
    workspace: Path
    summary_path: Path | None = None
    output_path: Path | None = None
    runner_temp: Path | None = None
    self_hosted: bool = False


def from_environ(environ: Mapping[str, str]) -> Settings:
    """Settings from the runner's environment. Raises UsageProblem naming the input and what it may be."""
    inputs = {
        key.removeprefix("INPUT_").replace("_", "-").lower(): value.strip()
        for key, value in environ.items()
        if key.startswith("INPUT_") and value.strip()
    }
    known = {
        name.replace("_", "-")
        for name in Settings.__dataclass_fields__
        if name not in _RUNNER_FIELDS  # fields that are no inputs
    }
    unknown = sorted(set(inputs) - known)
    if unknown:
        raise UsageProblem(f"`{unknown[0]}` is not an input of this action; the inputs are {', '.join(sorted(known))}.")
    text = inputs.get
    return Settings(
        token=text("token", "") or environ.get("GITHUB_TOKEN", ""),
        id=_identifier("id", text("id", "assay")),
        config=_relative("config", text("config", ".assay.yml")),
        targets=_lines(text("targets", "")),
        only=_subset("only", _lines(text("only", "")), ANALYSES),
        fail_on=_choice("fail-on", inputs["fail-on"], FailOn) if "fail-on" in inputs else None,
        fail_on_incomplete=_boolean("fail-on-incomplete", text("fail-on-incomplete", "false")),
        backends=_lines(text("backends", "")),
        space=_relative("space", text("space", "")),
        checkpoint=_relative("checkpoint", text("checkpoint", "")),
        project_code=_choice("project-code", text("project-code", "sandbox"), ProjectCode),
        forks_on_self_hosted=_boolean("forks-on-self-hosted", text("forks-on-self-hosted", "false")),
        gpus=_boolean("gpus", text("gpus", "false")),
        comment=_boolean("comment", text("comment", "true")),
        review=_boolean("review", text("review", "true")),
        check_run=_boolean("check-run", text("check-run", "true")),
        step_summary=_boolean("step-summary", text("step-summary", "true")),
        sarif=_boolean("sarif", text("sarif", "true")),
        code_scanning=_boolean("code-scanning", text("code-scanning", "false")),
        pictures=_choice("pictures", text("pictures", "auto"), Pictures),
        pictures_branch=_branch("pictures-branch", text("pictures-branch", "assay-pictures")),
        max_comments=_number("max-comments", text("max-comments", "30"), 0, 30),
        output=_relative("output", text("output", "")),
        cache=_relative("cache", text("cache", "")),
        max_wait=_number("max-wait", text("max-wait", "180"), 0, 3600),
        event_name=_needed(environ, "GITHUB_EVENT_NAME"),
        event_path=Path(_needed(environ, "GITHUB_EVENT_PATH")),
        repository=_repository(_needed(environ, "GITHUB_REPOSITORY")),
        sha=_needed(environ, "GITHUB_SHA"),
        ref=environ.get("GITHUB_REF", ""),
        api_url=_url(environ, "GITHUB_API_URL", "https://api.github.com"),
        graphql_url=_url(environ, "GITHUB_GRAPHQL_URL", "https://api.github.com/graphql"),
        server_url=_url(environ, "GITHUB_SERVER_URL", "https://github.com"),
        run_id=_number("GITHUB_RUN_ID", environ.get("GITHUB_RUN_ID") or "0", 0, 2**63),
        run_attempt=_number("GITHUB_RUN_ATTEMPT", environ.get("GITHUB_RUN_ATTEMPT") or "1", 1, 2**31),
        actor=environ.get("GITHUB_ACTOR", ""),
        workspace=Path(_needed(environ, "GITHUB_WORKSPACE")),
        summary_path=_path(environ, "GITHUB_STEP_SUMMARY"),
        output_path=_path(environ, "GITHUB_OUTPUT"),
        runner_temp=_path(environ, "RUNNER_TEMP"),
        self_hosted=environ.get("RUNNER_ENVIRONMENT", "") == "self-hosted",
    )


def drop_secrets(environ: MutableMapping[str, str]) -> None:
    """Remove the token and the runner's own secrets, so that no child process can inherit them."""
    for name in list(environ):
        if name in SECRETS or name.startswith(SECRET_PREFIXES):
            del environ[name]


_RUNNER_FIELDS = frozenset(
    {
        "event_name",
        "event_path",
        "repository",
        "sha",
        "ref",
        "api_url",
        "graphql_url",
        "server_url",
        "run_id",
        "run_attempt",
        "actor",
        "workspace",
        "summary_path",
        "output_path",
        "runner_temp",
        "self_hosted",
    }
)


def input_names() -> tuple[str, ...]:
    """The inputs, as `action.yml` spells them."""
    return tuple(n.replace("_", "-") for n in Settings.__dataclass_fields__ if n not in _RUNNER_FIELDS)


def _needed(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name, "")
    if not value:
        raise UsageProblem(f"{name} is not set: this action runs inside GitHub Actions; elsewhere use `assay check`.")
    return value


def _path(environ: Mapping[str, str], name: str) -> Path | None:
    return Path(environ[name]) if environ.get(name) else None


def _url(environ: Mapping[str, str], name: str, default: str) -> str:
    value = (environ.get(name) or default).rstrip("/")
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        raise UsageProblem(f"{name} is not the address of a GitHub server: it must look like {default}.")
    return value


def _boolean(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise UsageProblem(f"The input `{name}` is `{value}`; it must be `true` or `false`.")
    return value.lower() == "true"


def _number(name: str, value: str, low: int, high: int) -> int:
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        raise UsageProblem(f"`{name}` is `{value}`; it must be a whole number from {low} to {high}.")
    return int(value)


def _choice(name: str, value: str, choices: type[Choice]) -> Choice:
    try:
        return choices(value.lower())
    except ValueError:
        raise UsageProblem(f"The input `{name}` is `{value}`; it must be one of {', '.join(choices)}.") from None


def _lines(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for line in value.splitlines() for part in line.split(",") if part.strip())


def _subset(name: str, values: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if value not in known:
            raise UsageProblem(f"The input `{name}` names `{value}`; the analyses are {', '.join(known)}.")
    return values


def _identifier(name: str, value: str) -> str:
    if not 1 <= len(value) <= 40 or not all(c.isascii() and (c.isalnum() or c in "-_.") for c in value):
        raise UsageProblem(f"The input `{name}` is `{value}`; it may hold up to 40 letters, digits, `-`, `_` and `.`.")
    if "--" in value:
        raise UsageProblem(f"The input `{name}` is `{value}`; two dashes in a row end the hidden marker of a comment.")
    return value


def _relative(name: str, value: str) -> str:
    parts = value.replace("\\", "/").split("/")
    if value.startswith(("/", "~")) or ".." in parts or any(ord(c) < 32 for c in value):
        raise UsageProblem(f"The input `{name}` is `{value}`; it must be a path inside the repository.")
    return value


def _branch(name: str, value: str) -> str:
    allowed = all(c.isascii() and (c.isalnum() or c in "-_./") for c in value)
    if not allowed or ".." in value or value.startswith(("/", "-", ".")) or value.endswith(("/", ".", ".lock")):
        raise UsageProblem(f"The input `{name}` is `{value}`, which is no name for a branch.")
    return value


def _repository(value: str) -> str:
    owner, slash, name = value.partition("/")
    allowed = all(c.isascii() and (c.isalnum() or c in "-_.") for c in owner + name)
    if not (slash and owner and name and allowed):
        raise UsageProblem(f"GITHUB_REPOSITORY is `{value}`; it must look like `owner/name`.")
    return value
