"""The half of the action that holds the token: what it imports, and what it takes from the selection."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from action.base_policy import Judged
from action.containment import chosen_of, require_kernel_wall
from action.plan import ReviewPullRequest
from action.settings import Settings
from analyzer.configuration.config import Config, Environment, TargetConfig
from analyzer.problem import Problem, UsageProblem

ROOT = Path(__file__).parents[2]
READERS = (
    "numpy", "onnx", "onnx_ir", "onnxruntime", "h5py", "google.protobuf", "ml_dtypes", "torch", "tensorflow", "keras",
    "jax", "openvino", "z3", "picklescan", "analyzer.numerical", "analyzer.loading.formats", "analyzer.tracing",
)  # fmt: skip


def test_the_front_imports_no_framework_and_no_reader_of_models() -> None:
    modules = (
        "action.__main__", "action.run", "action.containment", "action.question", "action.isolation",
        "analyzer.running.containers", "analyzer.running.pipeline", "analyzer.walls.serving", "analyzer.walls.volume",
        "analyzer.walls.docker_session", "analyzer.rendering.files", "analyzer.rendering.markdown",
        "analyzer.rendering.page", "analyzer.rendering.sarif", "analyzer.rendering.deviation_graph",
    )  # fmt: skip
    program = f"import sys, {', '.join(modules)}\nprint(*(m for m in {READERS!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def settings(**changes: Any) -> Settings:
    needed: dict[str, Any] = {
        "event_name": "pull_request",
        "event_path": Path("/event"),
        "repository": "octo/models",
        "sha": "a" * 40,
        "workspace": Path("/workspace"),
    }
    return Settings(**needed, **changes)


PLAN = ReviewPullRequest(7, "a" * 40, "b" * 40, "main", fork=True, read_only=True)
TRUSTED = TargetConfig(id="vae", entry="vae.py:build", environment=Environment(image="trusted"))
JUDGED = Judged(Config(targets=(TRUSTED,)))


def answer(**changes: Any) -> dict[str, Any]:
    return {"targets": [], "skipped": [], "notes": [], "total": 0, "keys": [], **changes}


def test_names_get_the_configuration_that_the_front_has_read() -> None:
    found = [
        {"id": "vae", "path": None, "entry": "vae.py:build", "environment": {"image": "evil"}},
        {"id": "b.onnx", "path": "models/b.onnx", "entry": None},
    ]
    chosen = chosen_of(answer(targets=found, total=2), PLAN, settings(backends=("torch",)), JUDGED)
    assert [t.environment for t in chosen.targets] == [Environment(image="trusted"), None]
    assert {t.backends for t in chosen.targets} == {("torch",)}
    assert chosen.config is JUDGED.config


def target(**changes: Any) -> dict[str, Any]:
    return {"id": "x", "path": "x.onnx", "entry": None, **changes}


@pytest.mark.parametrize(
    "forged",
    [
        [],
        None,
        {},
        answer(targets=[target(path="../x.onnx")]),
        answer(targets=[target(path="/etc/passwd")]),
        answer(targets=[target(path="a/../../x")]),
        answer(targets=[target(path=None)]),
        answer(targets=[target(entry="x.py:build")]),
        answer(targets=[target(path=None, entry="../x.py:build")]),
        answer(targets=[target(id="vae")]),  # a configured name for another file
        answer(targets=[target(), target()]),
        answer(targets=[target(id=3)]),
        answer(targets=[target()] * 5_001),
        answer(targets={"x": 1}),
        answer(notes=["x" * 9_000]),
        answer(notes="note"),
        answer(keys=[["head", "x", "../../outcome", None]]),
        answer(keys=[["head", "x"]]),
        answer(skipped=[{"id": "x"}]),
        answer(total="many"),
        answer(problem=7),
    ],
)
def test_a_forged_selection_is_no_answer(forged: Any) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        chosen_of(forged, PLAN, settings(), JUDGED)


def test_a_mistake_in_the_configuration_is_told_as_one() -> None:
    with pytest.raises(UsageProblem, match="names nothing"):
        chosen_of({"problem": "it names nothing"}, PLAN, settings(), JUDGED)


def test_without_any_wall_nothing_is_analysed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("action.containment.standing", lambda: "the kernel is too old")
    with pytest.raises(Problem, match=r"no engine.*the kernel is too old"):
        require_kernel_wall("no engine")
