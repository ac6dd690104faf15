"""`assay demo`: the example pull request, reviewed by the real action against a GitHub simulator on this machine."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from action.demo import page
from action.demo.repository import DemoRepository, build_repository
from analyzer.problem import UsageProblem

ROOT = Path(__file__).resolve().parents[2]
MARK = ".assay-demo"  # says that a folder was made by this command and may be made anew
NUMBER = 1

Launch = Callable[[Mapping[str, str], Path], int]


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo leaves: all paths lie in its folder. `code` is the action's exit code."""

    code: int
    review: Path  # the conversation as Markdown
    page: Path  # the same as a page
    picture: Path | None  # the same as PNG, where there is a browser
    report: Path  # the folder with report.json, report.html, the graphs, the reproducers
    log: Path


def run_demo(
    folder: Path, say: Callable[[str], None], *, launch: Launch | None = None, inputs: Mapping[str, str] | None = None
) -> Demo:
    """Make the repository, run the action on its pull request, leave the review in `folder`.

    `launch` runs the action with an environment and a log file; by default as a process of this interpreter.
    Raises UsageProblem when `folder` holds something else or the simulator is not at hand.
    """
    simulator_module = _simulator()
    _make_room(folder)
    say("Building the demo repository from the examples")
    repository = build_repository(ROOT / "examples", folder / "repository")
    with simulator_module.Simulator() as simulator:
        _open_pull(simulator_module, simulator, repository)
        say(f"GitHub simulator at {simulator.url}; the action reviews pull request {NUMBER} (some minutes)")
        log = folder / "action.log"
        environment = runner_environment(simulator, repository, folder, inputs or {})
        code = (launch or run_as_process)(environment, log)
        conversation = page.PostedConversation.of(simulator.state, NUMBER)
    if code not in (0, 1):
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-6:]
        raise UsageProblem("The action did not finish; the end of its log:\n" + "\n".join(tail))
    say("Rendering the review")
    review, html = folder / "review.md", folder / "review.html"
    review.write_text(conversation.markdown(), encoding="utf-8")
    html.write_text(conversation.html(), encoding="utf-8")
    picture = page.screenshot(html, folder / "review.png")
    return Demo(code, review, html, picture, repository.path / "assay-report", log)


def runner_environment(
    simulator: Any, repository: DemoRepository, folder: Path, inputs: Mapping[str, str]
) -> dict[str, str]:
    """The variables and files that GitHub's runner gives to an action."""
    runner = folder / "runner"
    (runner / "temp").mkdir(parents=True)
    event = runner / "event.json"
    event.write_text(json.dumps(_payload(simulator.state.repository, repository)), encoding="utf-8")
    token = importlib.import_module("tests.github_simulator.server").TOKEN
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTOR": "ada",
        "GITHUB_API_URL": simulator.url,
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_GRAPHQL_URL": simulator.graphql_url,
        "GITHUB_OUTPUT": str(runner / "output"),
        "GITHUB_REPOSITORY": simulator.state.repository,
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_RUN_ID": "1",
        "GITHUB_SERVER_URL": simulator.site,
        "GITHUB_SHA": repository.head,
        "GITHUB_STEP_SUMMARY": str(runner / "step-summary.md"),
        "GITHUB_WORKSPACE": str(repository.path),
        "RUNNER_ENVIRONMENT": "github-hosted",
        "RUNNER_TEMP": str(runner / "temp"),
        "INPUT_TOKEN": token,
        "INPUT_OUTPUT": "assay-report",
        "INPUT_PROJECT-CODE": "process",  # the examples are our own code
        **{f"INPUT_{name.upper()}": value for name, value in inputs.items()},
    }


def run_as_process(environment: Mapping[str, str], log: Path) -> int:
    """The action as a process of this interpreter, with nothing of the user's environment that could change it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "INPUT_", "ACTIONS_", "RUNNER_"))}
    with log.open("wb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "action"],
            cwd=ROOT,
            env={**kept, **environment},
            stdout=stream,
            stderr=subprocess.STDOUT,
            check=False,
        )
    return done.returncode


def _simulator() -> Any:
    """The simulator lives with the tests; an installed wheel does not have it."""
    if not (ROOT / "tests" / "github_simulator").is_dir():
        raise UsageProblem(
            "`assay demo` needs Assay's repository (the simulator and the examples); clone it and run scripts/demo."
        )
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    try:
        return importlib.import_module("tests.github_simulator")
    except ModuleNotFoundError as missing:
        raise UsageProblem(
            f"`assay demo` needs the package {missing.name}; run scripts/demo, or pip install -e '.[all,demo]'."
        ) from None


def _make_room(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise UsageProblem(f"{folder} holds something that the demo did not make; name another folder with --out.")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).write_text("Made by `assay demo`, which will make this folder anew.\n", encoding="utf-8")


def _open_pull(module: Any, simulator: Any, repository: DemoRepository) -> None:
    files = importlib.import_module("tests.github_simulator.from_git").changed_files(
        repository.path, repository.base, repository.head
    )
    simulator.state.add_pull(
        module.PullRequest(NUMBER, repository.head, repository.base, base_ref=repository.base_branch, files=files)
    )


def _payload(name: str, repository: DemoRepository) -> dict[str, Any]:
    owner = {"full_name": name}
    return {
        "action": "opened",
        "number": NUMBER,
        "pull_request": {
            "head": {"sha": repository.head, "ref": repository.head_branch, "repo": owner},
            "base": {"sha": repository.base, "ref": repository.base_branch, "repo": owner},
        },
        "repository": owner,
    }
