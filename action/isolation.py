"""Where the project's own code may run during this run of the action, or why it may not."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from action.plan import Plan, ReviewPullRequest
from action.settings import ProjectCode, Settings
from analyzer.problem import TargetProblem

if TYPE_CHECKING:
    from analyzer.walls import Sandbox
    from analyzer.walls.engines import EnginesImage


def choose_sandbox(
    settings: Settings, plan: Plan, base: Path | None, engines: EnginesImage | None = None
) -> tuple[Sandbox | None, str | None]:
    """A sandbox, or None with a sentence that says why entry points are not exported.

    `base` is the base's tree: for a fork, what is installed in the sandbox is read from there.
    """
    fork = isinstance(plan, ReviewPullRequest) and plan.fork
    if settings.project_code is ProjectCode.NEVER:
        return None, "Entry points were not exported: `project-code` is `never`."
    if fork and settings.self_hosted and not settings.forks_on_self_hosted:
        return None, (
            "Entry points were not exported: this is a fork's code on a self-hosted runner. "
            "Use a GitHub-hosted runner, or set `forks-on-self-hosted` if the runner is thrown away after each job."
        )
    if fork and base is None:
        return None, "Entry points were not exported: a fork's code runs only under what a base revision allows."
    if settings.project_code is ProjectCode.PROCESS:
        if fork:
            return None, "Entry points were not exported: `project-code: process` is no boundary for a fork's code."
        from analyzer.walls.process import ProcessSandbox

        if engines is not None and not engines.is_own:
            return None, (
                "Entry points were not exported: the image that the action starts in has no framework, so "
                "`project-code: process` has nothing to run them with. Leave it at `sandbox`, which runs them in a "
                "container of the image that has."
            )
        return ProcessSandbox(), None
    try:
        return _container(settings.gpus and not fork, base if fork else None, engines), None
    except TargetProblem as problem:
        return None, f"Entry points were not exported: {str(problem).rstrip('.')}."


def _container(gpus: bool, requirements_from: Path | None, engines: EnginesImage | None) -> Sandbox:
    """Containers of Assay's own image with the frameworks, which comes when the first of them is started."""
    from analyzer.walls.docker import DockerSandbox
    from analyzer.walls.docker_engine import connect
    from analyzer.walls.engines import EnginesImage, EnginesSandbox

    engines = engines or EnginesImage()
    with contextlib.closing(connect()) as client:
        engines.own(client)
    return EnginesSandbox(engines, DockerSandbox(gpus=gpus, requirements_from=requirements_from))
