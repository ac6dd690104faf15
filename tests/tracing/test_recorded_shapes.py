"""Shapes that a dry run has recorded: hints and annotations where the source cannot be followed."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from rich.console import Console

from analyzer.commands import trace as command
from analyzer.commands.lsp import analysed
from analyzer.tracing.inside.shapes import ShapeRecorder
from analyzer.tracing.paths.remembered import Memory

SCRIPT = """
    import pickle
    import torch
    import model

    class Head(torch.nn.Module):
        def __init__(self, classes):
            super().__init__()
            self.classes = classes
            self.layer = torch.nn.Linear(6, classes)

        @torch.no_grad()
        def probe(self, x):
            return self.layer(x)

    make = pickle.loads(pickle.dumps(model.make))  # which nobody can follow
    head = Head(5)
    for rows in (4, 7):
        features = make(rows)
        scores = head.probe(features)
    """
MODEL = """
    import torch

    def make(n):
        out = torch.zeros(n, 6)
        return out
    """


def _run(folder: Path, *arguments: str) -> str:
    import argparse

    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    script = folder / "train.py"
    console = Console(width=200, force_terminal=False)
    with console.capture() as captured:
        command.run(parser.parse_args(["--run", "--root", str(folder), str(script), *arguments]), console)
    return captured.get()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_SUMMARIES", str(tmp_path / "kept"))
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "train.py").write_text(dedent(SCRIPT))
    (folder / "model.py").write_text(dedent(MODEL))
    return folder


def test_annotations_are_proposed_from_what_a_run_has_seen(project: Path) -> None:
    assert 'probe(x: Float[Tensor, "b 6"]) -> Float[Tensor, "b classes"]' in _run(project, "--annotate")


def test_an_editor_shows_what_a_run_has_seen_until_a_file_changes(project: Path) -> None:
    script = project / "train.py"
    text = script.read_text()

    def shown() -> dict[int, str]:
        return {h.line: h.shape for h in analysed(script, text, Memory(), {}).hints}

    line = 1 + next(i for i, written in enumerate(text.splitlines()) if "features =" in written)
    assert line not in shown()
    _run(project)
    assert shown()[line] == "[7, 6]"
    (project / "model.py").write_text(dedent(MODEL).replace("6", "8"))
    assert line not in shown()


def test_names_beyond_many_others_are_recorded_too(tmp_path: Path) -> None:
    names = "\n".join(f"n{i} = {i}" for i in range(100))
    path = tmp_path / "train.py"
    path.write_text(f"import numpy\n{names}\nlate = numpy.zeros((2, 3))\ndef f(given):\n    return given\nf(late)\n")
    recorder = ShapeRecorder(str(tmp_path))
    code = compile(path.read_text(), str(path), "exec")
    recorder.start()
    try:
        exec(code, {})
    finally:
        recorder.stop()
    assert recorder.shapes["train.py"]["102"] == {"late": [2, 3]}
    assert recorder.shapes["train.py"]["103"] == {"given": [2, 3]}
