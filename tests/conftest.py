"""For all tests: the Hypothesis profiles, and which tests this machine can run.

A property test has no deadline, because a loaded machine is no failure, and prints how to repeat what failed. A test
that needs a container engine is skipped with the reason where none answers. Under ``CI=true`` a skipped test is a
failed one, because it means that a tool is missing.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import docker
import pytest
from docker.errors import DockerException
from hypothesis import settings

from analyzer.tracing.checkers import type_checkers

ROOT = Path(__file__).parent
# Files of more than ten seconds and tests of more than two, all parameters together (`--durations=0`).
SLOW = frozenset((ROOT / "slow.txt").read_text().split())

# A property is tried on as many examples as find a mistake within minutes of writing it; each week on many more.
settings.register_profile("assay", deadline=None, print_blob=True, max_examples=40)
settings.register_profile("study", settings.get_profile("assay"), max_examples=1000)
settings.load_profile("assay")


@functools.cache
def _why_no_engine() -> str | None:
    """The reason for which no container engine answers, None where one does."""
    try:
        client = docker.from_env(timeout=30)
        client.ping()
        client.close()
    except DockerException as error:
        return f"no container engine answers: {error}"
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        file = item.path.relative_to(ROOT).as_posix()
        if file in SLOW or f"{file}::{item.originalname if isinstance(item, pytest.Function) else item.name}" in SLOW:
            item.add_marker("slow")


def pytest_collection_finish() -> None:
    """What was imported is no garbage: Keras's `clear_session` would look through it after each test, for a second."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("docker") is None:
        return
    why = _why_no_engine()
    if why is not None and os.environ.get("ASSAY_TEST_DOCKER") == "1":
        pytest.fail(f"ASSAY_TEST_DOCKER=1 asks for a container engine: {why}", pytrace=False)
    if why is not None:
        pytest.skip(why)


@pytest.fixture(autouse=True)
def _type_checkers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting mypy and pyright takes three seconds: in a test that is not about them, they have nothing to say."""
    if request.node.get_closest_marker("type_checkers") is None:
        monkeypatch.setattr(type_checkers, "_answers", lambda _tool, files: {key: [] for key in files})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    if report.skipped and os.environ.get("CI") == "true" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and in CI nothing may be missing: {report.longrepr}"
    return report
