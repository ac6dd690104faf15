"""Hostile model files through the command line: no mark outside of the folder, no crash, none of them green."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from analyzer.commands.cli import main
from tests.walls.hostile_files import write_all

SPACE = """
model: model.onnx
parameters:
  channels: {values: [1, 2]}
"""
SECRET = "s3cret-of-the-environment"


@dataclass(frozen=True)
class Attack:
    files: dict[str, Path]
    marks: Path  # an empty folder: what anything hostile would write to


@pytest.fixture(scope="module")
def attack(tmp_path_factory: pytest.TempPathFactory) -> Attack:
    root = tmp_path_factory.mktemp("attack")
    marks = tmp_path_factory.mktemp("marks")
    return Attack(write_all(root / "models", marks / "mark"), marks)


@pytest.fixture(scope="module")
def report(attack: Attack) -> dict[str, Any]:
    """One `assay check` over all files."""
    root = next(iter(attack.files.values())).parents[1]
    names = [path.relative_to(root).as_posix() for path in attack.files.values()]
    done = subprocess.run(
        [sys.executable, "-m", "analyzer", "check", *names, "--jobs", "2", "--out", "report"],
        cwd=root, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "AWS_SECRET_ACCESS_KEY": SECRET},
    )  # fmt: skip
    assert done.returncode in (1, 3), done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    return json.loads((root / "report" / "report.json").read_text())


def names() -> list[str]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return list(write_all(Path(folder, "models"), Path(folder, "mark")))


def test_there_are_sixty_and_more() -> None:
    assert len(names()) >= 60


@pytest.mark.parametrize("name", names())
def test_check_is_not_green_and_leaves_no_mark(name: str, attack: Attack, report: dict[str, Any]) -> None:
    assert not list(attack.marks.iterdir())
    root = next(iter(attack.files.values())).parents[1]
    place = attack.files[name].relative_to(root).as_posix()
    # A link is told by what it names.
    names_of_it = {place, "/etc/passwd"} if attack.files[name].is_symlink() else {place}
    (target,) = [t for t in report["targets"] if t["id"] in names_of_it]
    assert target["status"] != "analysed", target
    assert not target.get("backends"), "no engine ran"
    assert "internal error" not in (target.get("error") or "")


@pytest.mark.parametrize("command", ["diff", "checkpoint", "space"])
def test_other_commands_are_not_green_and_leave_no_mark(
    command: str, attack: Attack, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.yml").write_text(SPACE)
    green = []
    for name, path in attack.files.items():
        arguments = {
            "diff": ["diff", str(path), "--out", str(tmp_path / "out")],
            "checkpoint": ["checkpoint", str(path)],
            "space": ["space", "space.yml", "--target", str(path)],
        }[command]
        try:
            code = main(arguments)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        if code not in (1, 2, 3):
            green.append((name, code))
    said = capfd.readouterr()
    assert not green
    assert "Traceback" not in said.out + said.err
    assert not list(attack.marks.iterdir())


def test_the_content_of_other_files_reaches_no_report(report: dict[str, Any]) -> None:
    text = json.dumps(report)
    assert "root:x:0:0" not in text
    assert SECRET not in text
