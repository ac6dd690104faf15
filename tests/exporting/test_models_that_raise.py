"""A model that its own framework refuses is a finding; an export or surroundings that fail are not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.configuration.config import Config, TargetConfig
from analyzer.exporting.manifest import ExportProblem
from analyzer.findings import Confidence, Level, Status, Verdict
from analyzer.graph import Graph
from analyzer.running.local import review
from analyzer.walls.process import ProcessSandbox
from tests.exporting.conftest import Project

MISFIT = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, {middle}), nn.Linear(8, 4)

    def forward(self, x):
        return self.second(self.first(x))

def build():
    return Net(), (torch.rand(2, 8),)
"""

KERAS = """
import keras

def build():
    first = keras.Input((8,))
    second = keras.layers.Dense(4)(first)
    return keras.Model(first, keras.layers.Add()([first, second]))
"""

DEFECTS = {
    "layers that do not follow one another": (MISFIT.format(middle=16), "running", "self.second(self.first(x))"),
    "layers that do not fit in Keras": (KERAS, "building", "keras.layers.Add()"),
}

NO_DEFECTS = {
    "the project's own check": "def build():\n    raise ValueError('width must be even')\n",
    "an assertion": "def build():\n    assert 1 == 2, 'shape mismatch'\n",
    "a missing file": "import numpy\ndef build():\n    return numpy.load('weights.npy')\n",
    "a package that cannot be imported here": (
        "LIBRARY = 'import torch; torch.library.register_fake(\"no::such\")(print)'\n"
        "def build():\n    exec(compile(LIBRARY, '/site-packages/vision/__init__.py', 'exec'), {})\n"
    ),
    "no accelerator": "import torch\ndef build():\n    return torch.nn.Linear(2, 2).to('cuda'), (torch.rand(1, 2),)\n",
}


@pytest.mark.parametrize("name", DEFECTS)
def test_the_model_is_at_fault(name: str, project: Project, export_entry: Callable[..., Graph]) -> None:
    source, defect, fragment = DEFECTS[name]
    project.write("m.py", source)
    with pytest.raises(ExportProblem) as caught:
        export_entry("m.py:build")
    assert caught.value.defect == defect
    assert caught.value.location is not None
    assert caught.value.location.line == project.line_of("m.py", fragment)


@pytest.mark.parametrize("name", NO_DEFECTS)
def test_the_model_is_not_at_fault(name: str, project: Project, export_entry: Callable[..., Graph]) -> None:
    project.write("m.py", NO_DEFECTS[name])
    with pytest.raises(ExportProblem) as caught:
        export_entry("m.py:build")
    assert caught.value.defect == ""


def test_the_finding_blocks_where_base_ran_and_its_script_reproduces_it(tmp_path: Path) -> None:
    trees = {}
    for side, middle in (("base", 8), ("head", 16)):
        trees[side] = Project(tmp_path / side)
        trees[side].write("m.py", MISFIT.format(middle=middle))
    target = TargetConfig(id="net", entry="m.py:build")

    def run(base: str, head: str) -> tuple[Verdict, list[tuple[str, bool]], Status]:
        report = review(
            trees[head].root, trees[base].root, Config(only=("validity",)), [target],
            output=tmp_path / f"{base}-{head}", base_name="b", sandbox=ProcessSandbox(),
        )  # fmt: skip
        for finding in report.findings:
            assert (finding.level, finding.confidence) == (Level.ERROR, Confidence.CONFIRMED)
        return report.verdict, [(f.rule, f.new) for f in report.findings], report.targets[0].status

    assert run("base", "head") == (Verdict.FAIL, [("validity/model-raises", True)], Status.FAILED)
    assert run("head", "head") == (Verdict.INCOMPLETE, [("validity/model-raises", False)], Status.FAILED)
    assert run("head", "base") == (Verdict.PASS, [], Status.ANALYSED)
    (script,) = (tmp_path / "base-head").rglob("model_raises.py")
    failing = subprocess.run(
        [sys.executable, script], cwd=trees["head"].root, capture_output=True, text=True, check=False
    )
    sound = subprocess.run(
        [sys.executable, script], cwd=trees["base"].root, capture_output=True, text=True, check=False
    )
    assert (failing.returncode, sound.returncode) == (1, 0), sound.stderr
    assert "RuntimeError" in failing.stderr
