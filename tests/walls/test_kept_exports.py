"""Exports that are kept between runs: a taken-over analysis leaves none for another target or other sources."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper

from analyzer.commands.cli import main
from analyzer.configuration.config import Environment, TargetConfig
from analyzer.exporting.export import MANIFEST, key_of
from analyzer.exporting.manifest import read_manifest
from analyzer.graph import Graph
from analyzer.loading.reading import load
from analyzer.running.exports import kept_in
from analyzer.walls import launch

walled = pytest.mark.skipif(launch.standing() is not None, reason=str(launch.standing()))
CONFIGURATION = "version: 1\ntargets: [{id: mine, entry: a.py:build}, {id: theirs, entry: b.py:build}]\n"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / ".assay.yml").write_text(CONFIGURATION)
    for name in ("a.py", "b.py"):
        (folder / name).write_text("def build():\n    return None\n")
    monkeypatch.chdir(folder)
    return folder


def write_export(folder: Path) -> None:
    """What the exporter leaves of a model with one Relu."""
    folder.mkdir(parents=True, exist_ok=True)
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    (folder / "model.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    (folder / MANIFEST).write_text(json.dumps({"ok": True, "format": "onnx", "framework": "torch"}))


def key(name: str, root: Path) -> str:
    entry = f"{name}.py:build"
    return key_of(entry, root, TargetConfig(id="any", entry=entry, environment=Environment()))


def attempts(exports: Path, root: Path, own: Path | None, outside: Path) -> dict[str, Callable[[], Any]]:
    """What a taken-over analysis of `mine` would leave; `own` is where it may put its exports."""
    theirs = key("b", root)
    tries: dict[str, Callable[[], Any]] = {
        "in the shared folder": lambda: write_export(exports / theirs),
        "in the other target's folder": lambda: write_export(kept_in(exports, "theirs") / theirs),
        "other sources of its own": lambda: write_export(kept_in(exports, "mine") / ("0" * 40)),
        "itself, directly": lambda: write_export(kept_in(exports, "mine") / key("a", root)),
    }
    if own is not None:
        tries |= {
            "through its own folder": lambda: write_export(own / theirs),
            "above its own folder": lambda: write_export(own / ".." / theirs),
            "a link to a file outside": lambda: (
                write_export(own / key("a", root)),
                (own / key("a", root) / "stolen").symlink_to(outside),
            ),
            "a pipe": lambda: os.mkfifo(own / key("a", root) / "pipe"),
        }
    return tries


@walled
@pytest.mark.parametrize("command", ["check", "export"])
def test_a_taken_over_analysis_leaves_no_export_but_its_own(
    command: str, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports, outside = tmp_path / "exports", tmp_path / "secret"
    outside.write_text("topsecret")
    exports.mkdir()

    write_export(work / "model")

    def attack(entry: str, root: Path, **given: Any) -> Graph:
        if given["target"].id == "mine":
            for act in attempts(exports, root, given.get("made"), outside).values():
                try:
                    act()
                except OSError:
                    continue
        return load(root / "model" / "model.onnx")

    place = {"check": "analyzer.running.ahead.export", "export": "analyzer.commands.export.export"}[command]
    monkeypatch.setattr(place, attack)
    line = {
        "check": ["check", "--exports", str(exports), "--no-report", "--sandbox", "process", "--only", "numerical"],
        "export": ["export", "--out", str(exports)],
    }[command]
    assert main(line) == 0
    own = kept_in(exports, "mine") / key("a", work)
    assert sorted(exports.rglob("*")) == sorted([own.parent, own, own / MANIFEST, own / "model.onnx"])
    assert not any(path.is_symlink() for path in exports.rglob("*"))


@pytest.mark.parametrize("command", ["check", "export"])
def test_its_own_export_is_kept_and_used(
    command: str, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports = tmp_path / "exports"

    def export_it(entry: str, root: Path, target: TargetConfig, sandbox: Any, folder: Path, limits: Any) -> Any:
        write_export(folder)
        manifest = json.loads((folder / MANIFEST).read_text())
        (folder / MANIFEST).write_text(json.dumps({**manifest, "identity": sandbox.identity}))
        return read_manifest(folder / MANIFEST, entry)

    monkeypatch.setattr(importlib.import_module("analyzer.exporting.export"), "run_exporter", export_it)
    line = ["check", "--exports", str(exports), "--no-report", "--only", "numerical"]
    made = {"check": [*line, "--sandbox", "process"], "export": ["export", "--out", str(exports)]}
    assert main(made[command]) == 0
    mine, theirs = (kept_in(exports, name) / key(file, work) for name, file in (("mine", "a"), ("theirs", "b")))
    assert sorted(path.name for path in mine.iterdir()) == [MANIFEST, "model.onnx"]
    assert (theirs / MANIFEST).is_file()
    assert main([*line, "--sandbox", "none"]) == 0, "without running anything"
    (work / "b.py").write_text("def build():\n    return 1\n")
    assert main([*line, "--sandbox", "none"]) == 3, "other sources"
