"""A workflow run in a box: a git repository, a pull request on the simulator, the runner's files, the real action."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from action import last_resort
from action.__main__ import main
from action.github import GitHub, RetryBudget
from action.run import Outside
from action.settings import Settings
from analyzer.findings import Report
from analyzer.walls import Sandbox
from tests.github_simulator import ChangedFile, PullRequest, Simulator
from tests.github_simulator.from_git import changed_files
from tests.github_simulator.in_process import Requester
from tests.github_simulator.server import TOKEN

CLIENT_TIMEOUT = 1  # second
CONFIG = "version: 1\ntargets:\n  - {id: vae-loss, path: models/vae.onnx}\n  - {id: big, path: models/big.onnx}\n"


def git(folder: Path, *arguments: str) -> str:
    identity = {
        f"GIT_{who}_{what}": "dev@example.test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **identity}
    done = subprocess.run(
        ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", "-C", str(folder), *arguments],
        env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@dataclass
class Ran:
    """One finished run."""

    code: int
    log: str
    summary: str
    outputs: Mapping[str, str]


@dataclass
class Workbench:
    """`analyse` stands in for the analyses: it gets the pipeline's arguments and returns a report."""

    folder: Path
    simulator: Simulator
    analyse: Callable[..., Report] = field(default=lambda *_, **__: Report((), ()))
    number: int = 7
    base: str = ""
    head: str = ""
    waited: list[float] = field(default_factory=list)
    now: float = 1_700_000_000.0
    run_id: int = 100
    in_process: bool = False  # requests go to the simulator without a connection
    write: Callable[[Report, Path], Report] = field(default=lambda report, output: replace(report))
    code: Sandbox | None = None  # where the project's code may run

    def __post_init__(self) -> None:
        self.workspace = self.folder / "workspace"
        self.workspace.mkdir(parents=True)
        git(self.workspace, "init", "--quiet")
        self.base = self.commit(
            {
                ".assay.yml": CONFIG,
                "models/vae.onnx": "1",
                "models/big.onnx": "1",
                "models/vae.py": lines(60),
                "README.md": "x\n",
            }
        )
        self.head = self.base

    def commit(self, files: Mapping[str, str | bytes | None], message: str = "change") -> str:
        for name, content in files.items():
            path = self.workspace / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        git(self.workspace, "add", "--all")
        git(self.workspace, "commit", "--quiet", "--allow-empty", "--message", message)
        made = git(self.workspace, "rev-parse", "HEAD")
        self.simulator.state.pushed.add(made)
        return made

    def files(self) -> list[ChangedFile]:
        return changed_files(self.workspace, self.base, self.head)

    def open_pull(self, files: Mapping[str, str | bytes | None] | None = None, **options: Any) -> PullRequest:
        changes = files or {
            "models/vae.onnx": "2",
            "models/vae.py": lines(60, {18: "kernel = 7", 42: "return log(1 - p)"}),
        }
        self.head = self.commit(changes)
        pull = PullRequest(self.number, self.head, self.base, files=self.files(), **options)
        return self.simulator.state.add_pull(pull)

    def push(self, files: Mapping[str, str | bytes | None]) -> None:
        self.head = self.commit(files)
        self.simulator.state.pulls[self.number].push(self.head, self.files())

    def payload(self, action: str = "synchronize", head_repository: str | None = "octo/models") -> dict[str, Any]:
        repo = {"full_name": "octo/models"}
        head = {"sha": self.head, "ref": "feature", "repo": {"full_name": head_repository} if head_repository else None}
        base = {"sha": self.base, "ref": "main", "repo": repo}
        return {
            "action": action,
            "number": self.number,
            "pull_request": {"head": head, "base": base},
            "repository": repo,
        }

    def run(
        self,
        event: str = "pull_request",
        payload: Mapping[str, Any] | None = None,
        *,
        inputs: Mapping[str, str] | None = None,
        environ: Mapping[str, str] | None = None,
        sha: str | None = None,
    ) -> Ran:
        """The action once, as the runner starts it; a later call is a later workflow run."""
        self.run_id += 1
        box = self.folder / f"run-{self.run_id}"
        temp = box / "temp"
        temp.mkdir(parents=True)
        (box / "event.json").write_text(
            json.dumps(payload if payload is not None else self.payload()), encoding="utf-8"
        )
        variables = {
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(box / "event.json"),
            "GITHUB_REPOSITORY": self.simulator.state.repository,
            "GITHUB_SHA": sha or self.head,
            "GITHUB_API_URL": self.simulator.url,
            "GITHUB_GRAPHQL_URL": self.simulator.graphql_url,
            "GITHUB_SERVER_URL": self.simulator.site,
            "GITHUB_RUN_ID": str(self.run_id),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_STEP_SUMMARY": str(box / "summary.md"),
            "GITHUB_OUTPUT": str(box / "outputs"),
            "GITHUB_ACTOR": "octocat",
            "RUNNER_TEMP": str(temp),
            "RUNNER_ENVIRONMENT": "github-hosted",
            "INPUT_TOKEN": TOKEN,
            "INPUT_PROJECT-CODE": "never",
            "PATH": os.environ["PATH"],
            **{f"INPUT_{name.upper()}": value for name, value in (inputs or {}).items()},
            **(environ or {}),
        }
        self._variables = dict(variables)
        stream = io.StringIO()
        code = main(variables, stream, self.outside())
        assert TOKEN not in variables.values(), "the token stayed in the environment"
        summary, outputs = box / "summary.md", box / "outputs"
        return Ran(
            code,
            stream.getvalue(),
            summary.read_text(encoding="utf-8") if summary.exists() else "",
            parse_outputs(outputs.read_text(encoding="utf-8")) if outputs.exists() else {},
        )

    def last_resort(self) -> int:
        """The step after the job, in the surroundings of the last run."""
        return last_resort.main(dict(self._variables), io.StringIO(), self.connect)

    def connect(self, settings: Settings) -> GitHub:
        """A client whose clock and sleep are the bench's."""
        budget = RetryBudget(float(settings.max_wait), clock=lambda: self.now, sleep=self._sleep, pause=0.0)
        address = (settings.repository, settings.api_url, settings.graphql_url, settings.token)
        made = GitHub(*address, budget, timeout=CLIENT_TIMEOUT)
        if self.in_process:
            made._transport._requester = Requester(self.simulator, self._pass, CLIENT_TIMEOUT)  # type: ignore[assignment]
        return made

    def outside(self) -> Outside:
        return Outside(
            github=self.connect,
            sandbox=lambda settings, plan, base: (self.code, None),
            pipeline=lambda *a, **k: self.analyse(*a, **k),
            write=self.write,
            today=lambda: date(2026, 11, 21),
        )

    def _pass(self, seconds: float) -> None:
        self.now += seconds

    def _sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds


def parse_outputs(text: str) -> dict[str, str]:
    """`GITHUB_OUTPUT` as the runner reads it."""
    found, rest = {}, text.split("\n")
    while rest and rest[0]:
        name, delimiter = rest.pop(0).split("<<", 1)
        end = rest.index(delimiter)
        found[name] = "\n".join(rest[:end])
        rest = rest[end + 1 :]
    return found


def lines(count: int, changed: Mapping[int, str] | None = None) -> str:
    """A file of numbered lines, some of them replaced."""
    return "".join(f"{(changed or {}).get(n, f'line {n}')}\n" for n in range(1, count + 1))
