"""An export is reused by content; `assay export` makes what a run without a sandbox uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.commands.cli import main
from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.exporting.export import MANIFEST, export, key_of
from analyzer.exporting.manifest import ExportProblem
from analyzer.walls.process import ProcessSandbox

SOURCE = """
    import tensorflow as tf
    from parts import width


    def build():
        return tf.function(lambda x: tf.nn.softmax(x * width.VALUE)), (tf.ones((2, 3)),)
"""


class Counting(ProcessSandbox):
    """A process sandbox that remembers how often it ran."""

    runs: list[int] = []  # noqa: RUF012 - shared on purpose, cleared by the test

    def run(self, *args, **kwargs):
        self.runs.append(1)
        return super().run(*args, **kwargs)


def test_unchanged_sources_are_exported_once(project, tmp_path):
    pytest.importorskip("tensorflow")
    project.write("m.py", SOURCE)
    project.write("parts/width.py", "VALUE = 2.0\n")
    project.write("unrelated.py", "1\n")
    cache = tmp_path / "cache"
    sandbox = Counting()
    sandbox.runs.clear()

    def go():
        target = TargetConfig(id="m", entry="m.py:build")
        return export("m.py:build", project.root, target=target, sandbox=sandbox, cache_dir=cache)

    first = go()
    project.write("unrelated.py", "2\n")
    second = go()
    assert len(sandbox.runs) == 1
    assert [n.op_type for n in first.nodes()] == [n.op_type for n in second.nodes()]
    assert first.versions == second.versions
    project.write("parts/width.py", "VALUE = 3.0\n")
    go()
    assert len(sandbox.runs) == 2

    target = TargetConfig(id="m", entry="m.py:build")
    without = export("m.py:build", project.root, target=target, sandbox=None, cache_dir=cache)
    assert len(without) == len(second)
    (cache / key_of("m.py:build", project.root, target) / MANIFEST).write_text('{"ok": tru')
    with pytest.raises(ExportProblem, match="no export of its present sources was found"):
        export("m.py:build", project.root, target=target, sandbox=None, cache_dir=cache)
    go()
    assert len(sandbox.runs) == 3  # a damaged entry is made anew


def test_the_key_follows_sources_mentioned_files_and_configuration(project):
    project.write("m.py", "import numpy\nweights = 'w.npz'\ndef build(): return 1\n")
    (project.root / "w.npz").write_bytes(b"1")
    target = TargetConfig(id="m", entry="m.py:build")
    key = key_of("m.py:build", project.root, target)
    assert key == key_of("m.py:build", project.root, TargetConfig(id="other", entry="m.py:build", backends=()))
    (project.root / "w.npz").write_bytes(b"2")
    changed = key_of("m.py:build", project.root, target)
    assert changed != key
    assert (
        key_of("m.py:build", project.root, TargetConfig(id="m", entry="m.py:build", symbols={"b": (1, 2)})) != changed
    )


def test_assay_export_makes_what_a_run_without_a_sandbox_uses(project, tmp_path, monkeypatch, capfd):
    pytest.importorskip("tensorflow")
    project.write("m.py", SOURCE)
    project.write("parts/width.py", "VALUE = 2.0\n")
    project.write("broken.py", "def build(): raise ValueError('no')\n")
    project.write(
        ".assay.yml",
        """
        version: 1
        targets:
          - id: good
            entry: m.py:build
            inputs: {x: {shape: [rows, 3], range: [0, 1]}}
          - id: bad
            entry: broken.py:build
    """,
    )
    monkeypatch.chdir(project.root)
    out = tmp_path / "exports"
    assert main(["export", "--out", str(out)]) == 3
    printed = capfd.readouterr().out
    assert "✓ good: " in printed
    assert "✗ broken.py:build: calling build() failed with ValueError: no (broken.py:1)" in " ".join(printed.split())
    assert "1 of 2 exported" in printed
    target = TargetConfig(id="good", entry="m.py:build", inputs={"x": InputSpec(shape=("rows", 3))})
    with pytest.raises(ExportProblem):
        export("m.py:build", project.root, target=target, sandbox=None, cache_dir=Path(tmp_path / "empty"))
    assert main(["export", "good", "--out", str(out)]) == 0
    assert main(["export", "neither", "--out", str(out)]) == 2
    assert main(["export", "m.py:build", "--out", str(out), "--timeout", "-1"]) == 2


def test_a_file_that_only_the_run_can_name_is_recorded_and_followed(project, tmp_path):
    """Opened and imported under computed names: no reading of the source finds them, the kept export has them."""
    project.write(
        "m.py",
        """
        import importlib
        import json
        import torch
        from pathlib import Path

        LATE = importlib.import_module("".join(["pl", "ugin"]))


        def build():
            size = json.loads((Path(__file__).parent / ("si" + "ze.json")).read_text())
            return torch.nn.Linear(LATE.WIDTH, size), (torch.zeros(1, LATE.WIDTH),)
    """,
    )
    (project.root / "size.json").write_text("3")
    project.write("plugin.py", "WIDTH = 2\n")
    project.write("unrelated.json", "1")
    cache, sandbox = tmp_path / "cache", Counting()
    sandbox.runs.clear()
    target = TargetConfig(id="m", entry="m.py:build")

    def runs() -> int:
        before = len(sandbox.runs)
        export("m.py:build", project.root, target=target, sandbox=sandbox, cache_dir=cache)
        return len(sandbox.runs) - before

    first = runs()
    assert first > 0
    assert runs() == 0
    (project.root / "unrelated.json").write_text("2")
    assert runs() == 0
    (project.root / "size.json").write_text("4")
    assert runs() == first
    project.write("plugin.py", "WIDTH = 5\n")
    assert runs() == first
