"""The settings of ``scripts/test --processor`` do what they say, in processes that compute and in no others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.walls import launch

SETTINGS = Path(__file__).parents[1] / "processors" / "engines.py"
SHOW = """
import os, threading

def show(small=2.5e-308):
    print(os.environ.get("OMP_NUM_THREADS"), small / 4)

thread = threading.Thread(target=show)
thread.start()
thread.join()
"""


def shown(folder: Path, argument: str, call: str) -> list[str]:
    """What a thread of a process with this argument sees after `call`: its variable, and a denormal."""
    program = folder / "program.py"
    program.write_text(f"{SETTINGS.read_text()}\n{call}\n{SHOW}")
    command = [sys.executable, "-I", "-S", str(program), argument]  # without the packages, and what they start with
    return subprocess.run(command, capture_output=True, text=True, check=True, env={}).stdout.split()


@pytest.mark.parametrize("argument", ['{"imports": ["torch"]}', '{"module": "analyzer.differential.worker"}'])
def test_what_computes_flushes_and_has_its_threads(tmp_path: Path, argument: str) -> None:
    assert shown(tmp_path, argument, 'settle("4", True)') == ["4", "0.0"]
    assert shown(tmp_path, argument, 'settle("", False)') == ["None", "6.25e-309"]


def test_what_does_not_compute_is_left_alone(tmp_path: Path) -> None:
    assert shown(tmp_path, '{"module": "analyzer.validity.z3_child"}', 'settle("4", True)') == ["None", "6.25e-309"]


def test_engines_get_the_instruction_sets_that_somebody_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "avx2")
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    told = launch.environment(tmp_path)
    assert told["ATEN_CPU_CAPABILITY"] == "avx2"
    assert "GITHUB_TOKEN" not in told
