"""Where a run keeps its files is not shown; other paths stay whole."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from analyzer.configuration.config import Config
from analyzer.findings import Status, TargetReport
from analyzer.running.outcome import Surroundings, TargetOutcome
from analyzer.running.target_run import without_local_paths


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("no file {root}/net.onnx", "no file net.onnx"),
        ("no file {tmp}/assay-x1/net.onnx", "no file net.onnx"),
        ("could not load /home/me{tmp}/job/env/lib/a.so", "could not load /home/me{tmp}/job/env/lib/a.so"),
        ("no such file: '{tmp}/tmp/7/0/assay-x1y_2/box/project/data/a.txt'", "no such file: 'data/a.txt'"),
        ("no such file: '/box/project/a.txt'", "no such file: 'a.txt'"),
        ("no such file: '/box/projects/a.txt'", "no such file: '/box/projects/a.txt'"),
        ("could not load /mnt{root}/lib/a.so", "could not load /mnt{root}/lib/a.so"),
    ],
)
def test_only_whole_paths_are_shortened(said: str, shown: str, tmp_path: Path) -> None:
    paths = {"root": tmp_path.parent / "tree", "tmp": tempfile.gettempdir()}
    where = Surroundings(tmp_path.parent / "tree", tmp_path / "out", Config())
    report = TargetReport("net", "net.onnx", Status.FAILED, error=said.format(**paths))
    assert without_local_paths(TargetOutcome(report), where).target.error == shown.format(**paths)
