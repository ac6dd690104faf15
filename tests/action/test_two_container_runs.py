"""One commit, reviewed twice in containers: the same files and conversation, byte for byte but for the times."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

from tests.action.harness import Workbench
from tests.action.test_image import image, model, run_as_github_does
from tests.github_simulator import Simulator
from tests.pipeline.models import UNORDERED

__all__ = ["image"]
pytestmark = pytest.mark.docker

CONFIG = """version: 1
targets:
  - {id: loss, path: loss.onnx, inputs: {x: {range: [0, 1]}}}
  - {id: net, entry: "net.py:build", backends: [onnxruntime]}
"""
_TIME = re.compile(rb'("seconds": )[0-9.e-]+|(<td class="n">)\d+\.\d|\b\d+(?:\.\d+)? (?:min|ms|s)\b')
_STAGES = re.compile(rb'"seconds": \{[^{}]*\}')


def without_times(content: bytes) -> bytes:
    """Numbers of seconds, in JSON and in sentences, replaced by one and the same word."""
    return _TIME.sub(rb"\1\2TIME", _STAGES.sub(rb'"seconds": {}', content))


def _difference(one: bytes, other: bytes) -> list[str]:
    """The lines that differ, of the first and of the second."""
    lines = difflib.unified_diff(*(text.decode(errors="replace").splitlines() for text in (one, other)), n=0)
    return [line[:300] for line in lines][:20]


@pytest.mark.study
def test_two_runs_of_one_commit_are_the_same(image: str, tmp_path: Path, simulator: Simulator) -> None:
    bench = Workbench(tmp_path, simulator)
    bench.base = bench.commit({".assay.yml": CONFIG, "loss.onnx": model(safe=True), "net.py": "def build(): ...\n"})
    bench.open_pull({"loss.onnx": model(safe=False), "net.py": UNORDERED})
    files, conversations = [], []
    for turn in ("first", "second"):
        done = run_as_github_does(bench, image, tmp_path / turn, output=f"out-{turn}", project_code="sandbox")
        assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
        out = bench.workspace / f"out-{turn}"
        found = {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}
        files.append({name: without_times(content) for name, content in found.items()})
        conversations.append(without_times(repr(simulator.state.snapshot()).encode()))
    first, second = files
    statuses = set(re.findall(rb'"status": "(\w+)"', first["report.json"]))
    assert statuses == {b"analysed"}
    assert sorted(first) == sorted(second)
    assert {name: _difference(first[name], second[name]) for name in first if first[name] != second[name]} == {}
    assert conversations[0] == conversations[1]
