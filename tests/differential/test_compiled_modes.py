"""What an eager mode refuses is asked of the compiled mode of the same engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.differential.backend import Backend, parse
from analyzer.differential.compare import Comparison, EngineResult
from analyzer.differential.compiled import accepting
from analyzer.differential.inputs import InputSet
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.scripts import ACCEPTS
from analyzer.differential.verdict import Failure, Kind, Outcome

OK = Outcome({"y": np.zeros(1, np.float32)})
KINDS = {"torch-entry": Artefact("torch-entry", {}), "onnx": Artefact("onnx", {})}


def crash() -> Outcome:
    return Outcome(failure=Failure(Kind.CRASH, "RuntimeError: mat1 and mat2 must have the same dtype"))


def runner(backend: Backend, outcome: Outcome) -> Runner:
    return cast(Runner, SimpleNamespace(backend=backend, name=backend.name, run=lambda *_, **__: outcome))


def asked(eager: Outcome, compiled: Outcome, backends: tuple[str, ...] | None = None, also: str = "onnxruntime") -> str:
    """The names of the engines that are added, where `also` crashes too."""
    results = [EngineResult(runner(parse("torch"), eager), (eager,)), EngineResult(runner(parse(also), OK), (crash(),))]
    comparison = Comparison((InputSet("made", {}),), tuple(results), None, "")
    pool = cast(Pool, SimpleNamespace(get=lambda backend, _: runner(backend, compiled)))
    target = TargetConfig("t", entry="m.py:t", backends=backends)
    return " ".join(r.name for r in accepting(comparison, KINDS, target, pool))


def test_a_compiled_mode_is_added_only_where_it_takes_what_the_eager_one_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    assert asked(crash(), OK) == "torch:mode=compile"
    assert asked(crash(), crash()) == ""
    assert asked(OK, OK) == ""
    assert asked(Outcome(failure=Failure(Kind.UNSUPPORTED, "no")), OK) == ""


def test_no_compiled_mode_is_added_where_engines_are_named_or_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    assert asked(crash(), OK, backends=("torch", "onnxruntime")) == ""
    assert asked(crash(), OK, also="torch:mode=compile") == ""
    monkeypatch.setattr("shutil.which", lambda _: None)  # Inductor has no C++ compiler
    assert asked(crash(), OK) == ""


@pytest.mark.parametrize(
    ("strict", "loose", "told"), [(1, 0, 1), (0, 0, 0), (2, 0, 2), (1, 1, 0), (1, 2, 2), (134, 0, 1)]
)
def test_the_script_of_an_acceptance_tells_by_its_exit_code(strict: int, loose: int, told: int, tmp_path: Path) -> None:
    ends = f"sys.exit({{'mode=eager': {strict}, 'mode=compile': {loose}}}[sys.argv[2]])"
    text = f"import os, subprocess, sys, tempfile\nif len(sys.argv) > 1:\n    {ends}\n"
    script = tmp_path / "accepts.py"
    script.write_text(text + ACCEPTS.format(first="mode=compile", second="mode=eager"))
    assert subprocess.run([sys.executable, "-S", script], capture_output=True, check=False).returncode == told
