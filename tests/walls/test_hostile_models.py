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
from onnx import TensorProto, helper

from analyzer.commands.cli import main
from tests.action.test_image import ENGINES, image
from tests.walls.hostile_files import odd_places, write_all

__all__ = ["image"]

SPACE = """
version: 1
hyperparameters:
  rows: [1, 2]
bind:
  x.shape[0]: rows
"""
SECRET = "s3cret-of-the-environment"


@dataclass(frozen=True)
class Attack:
    files: dict[str, Path]
    marks: Path  # an empty folder: what anything hostile would write to


def _every(folder: Path, mark: Path) -> dict[str, Path]:
    return {**write_all(folder, mark), **odd_places(folder)}


@pytest.fixture(scope="module")
def attack(tmp_path_factory: pytest.TempPathFactory) -> Attack:
    root = tmp_path_factory.mktemp("attack")
    marks = tmp_path_factory.mktemp("marks")
    return Attack(_every(root / "models", marks / "mark"), marks)


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
        return list(_every(Path(folder, "models"), Path(folder, "mark")))


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


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.study)])
@pytest.mark.parametrize("command", ["diff", "checkpoint", "space"])
def test_other_commands_are_not_green_and_leave_no_mark(
    command: str,
    every: int,
    attack: Attack,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.yml").write_text(SPACE)
    green = []
    for name, path in list(attack.files.items())[::every]:
        arguments = {
            "diff": ["diff", str(path), "--out", str(tmp_path / "out")],
            "checkpoint": ["checkpoint", str(path)],
            "space": ["space", "space.yml", "--target", str(path)],
        }[command]
        try:
            code = main(arguments)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        if code not in (1, 3):
            green.append((name, code))
    healthy = tmp_path / "healthy.onnx"
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    healthy.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    own = {
        "diff": ["diff", str(healthy), "--out", str(tmp_path / "out")],
        "checkpoint": ["checkpoint", str(healthy)],
        "space": ["space", "space.yml", "--target", str(healthy)],
    }
    assert main(own[command]) == 0, "what is not hostile is green"
    said = capfd.readouterr()
    assert not green
    assert "Traceback" not in said.out + said.err
    assert not list(attack.marks.iterdir())


def test_the_content_of_other_files_reaches_no_report(report: dict[str, Any]) -> None:
    text = json.dumps(report)
    assert "root:x:0:0" not in text
    assert SECRET not in text


# One of each family: a container a target, as the action runs them.
FAMILIES = (
    "tf WriteFile", "tf SavedModel", "pickle npz", "archive sample.pt2", "archive guard.pt2", "archive file.pt2",
    "keras lambda", "hdf5 external link", "onnx data at /etc/passwd", "onnx custom operator", "onnx that is a link",
    "onnx that is a pipe", "pipe.pt that is a pipe", "SavedModel that is a link",
)  # fmt: skip


@pytest.fixture(scope="module")
def engines(image: str) -> str:
    """The image with Assay and the engines: the one built beside `image`, or ASSAY_TEST_ENGINES_IMAGE."""
    return os.environ.get("ASSAY_TEST_ENGINES_IMAGE") or ENGINES


@pytest.mark.docker
class TestContainers:
    """The same files behind the container engine's wall."""

    def test_all_of_them_in_one_container(self, attack: Attack, tmp_path: Path, engines: str) -> None:
        """`assay check` over all files inside a container: 64 processes, no network, nobody, a read-only root."""
        from analyzer.walls import PYTHON, ResourceLimits
        from analyzer.walls.docker import DockerSandbox

        folder = next(iter(attack.files.values())).parent
        plain = {n: p for n, p in attack.files.items() if not p.is_symlink() and (p.is_file() or p.is_dir())}
        plain = {n: p for n, p in plain.items() if not p.is_dir() or not any(c.is_symlink() for c in p.iterdir())}
        names = [path.relative_to(folder.parent).as_posix() for path in plain.values()]
        files: dict[str, bytes | Path] = {
            f"models/{path.relative_to(folder).as_posix()}": path
            for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
        }  # fmt: skip
        done = DockerSandbox(engines).run(
            [PYTHON, "-I", "-m", "analyzer", "check", *names, "--jobs", "2", "--no-report", "--format", "json"],
            files=files, output=tmp_path,
            limits=ResourceLimits(seconds=1500, memory=6 << 30, log=64 << 20, scratch=2 << 30),
        )  # fmt: skip
        assert done.exit_code in (1, 3), done.log[-3000:]
        assert "Traceback" not in done.log
        told = json.loads(done.log[done.log.index("{") : done.log.rindex("}") + 1])
        assert {t["id"] for t in told["targets"]} == set(names)
        assert not [t["id"] for t in told["targets"] if t["status"] == "analysed"]
        assert SECRET not in done.log
        assert not list(attack.marks.iterdir())

    def test_a_container_a_target(self, attack: Attack, tmp_path: Path, engines: str) -> None:
        from analyzer.configuration.config import Config, TargetConfig
        from analyzer.running.containers import containers
        from analyzer.running.local import review
        from analyzer.running.pipeline import RunOptions
        from analyzer.walls.docker import DockerSandbox

        root = next(iter(attack.files.values())).parents[1]
        chosen = {name: attack.files[name].relative_to(root).as_posix() for name in FAMILIES}
        targets = [TargetConfig(id=path, path=path) for path in chosen.values()]
        with containers(DockerSandbox(engines), {"head": root}, None) as contained:
            report = review(
                root, None, Config(), targets, output=tmp_path / "out", contained=contained,
                options=RunOptions(parallel=2), keys={},
            )  # fmt: skip
        assert not [t.id for t in report.targets if t.status == "analysed"]
        assert not [t.error for t in report.targets if "internal error" in (t.error or "")]
        absent = [
            t.error or "" for t in report.targets if Path(t.path).name in ("pipe.onnx", "pipe.pt", "linked_model")
        ]
        assert len(absent) == 3
        assert all("is no file of its own" in error for error in absent), "pipes are not carried, and this is said"
        assert not list(attack.marks.iterdir())
