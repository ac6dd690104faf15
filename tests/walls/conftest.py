"""Sandboxes to test: a process always, containers where an engine answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON, Completed, ResourceLimits, Sandbox
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.docker_engine import connect, image_id
from analyzer.walls.process import ProcessSandbox

IMAGE = os.environ.get("ASSAY_TEST_IMAGE", "python:3.11-slim-bookworm")

Run = Callable[..., Completed]


@pytest.fixture(scope="session")
def docker_sandbox() -> DockerSandbox:
    """Fails instead of skipping where ASSAY_TEST_DOCKER=1 promises an engine with the base image."""
    try:
        client = connect()
        image_id(client, IMAGE)
        client.close()
    except TargetProblem as problem:
        if os.environ.get("ASSAY_TEST_DOCKER") == "1":
            pytest.fail(str(problem))
        pytest.skip(str(problem))
    return DockerSandbox(IMAGE)


@pytest.fixture(params=["process", pytest.param("docker", marks=pytest.mark.docker)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "process":
        return ProcessSandbox()
    found: DockerSandbox = request.getfixturevalue("docker_sandbox")
    return found


@pytest.fixture
def run(sandbox: Sandbox, tmp_path: Path) -> Run:
    """Run Python source in the sandbox; what comes back lies in ``tmp_path / "back"``."""
    return runner(sandbox, tmp_path)


def runner(sandbox: Sandbox, tmp_path: Path) -> Run:
    back = tmp_path / "back"
    back.mkdir()

    def go(code: str, files: dict[str, bytes | Path] | None = None, **limits: object) -> Completed:
        contents: dict[str, bytes | Path] = {"main.py": code.encode(), **(files or {})}
        return sandbox.run([PYTHON, "main.py"], files=contents, output=back, limits=ResourceLimits(**limits))  # type: ignore[arg-type]

    return go


@pytest.fixture
def probe(docker_sandbox: DockerSandbox, tmp_path: Path) -> Run:
    """Like `run`, always in a container."""
    return runner(docker_sandbox, tmp_path)
