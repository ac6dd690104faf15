"""All hostile files in one fork's pull request through the action: in containers, and with the kernel's wall alone."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from analyzer.walls import launch
from tests.action.conftest import simulator
from tests.action.harness import Workbench, git
from tests.action.test_hostile_image import containers, image_alone
from tests.action.test_image import image, run_as_github_does
from tests.github_simulator import Simulator
from tests.github_simulator.server import TOKEN
from tests.walls.hostile_files import write_all
from tests.walls.test_hostile_models import FAMILIES

__all__ = ["image", "image_alone", "simulator"]
ROOT = Path(__file__).parents[2]


def pull_request(
    tmp_path: Path, simulator: Simulator, mark: Path, names: Collection[str]
) -> tuple[Workbench, list[str]]:
    """A fork's pull request that brings the hostile files of `names`, and the paths of those that git can hold.

    The base's configuration names them, so that none is passed over for not looking like a model.
    """
    bench = Workbench(tmp_path, simulator)
    folder = tmp_path / "made"
    made = write_all(folder, mark)
    chosen = [path for name, path in made.items() if not names or name in names]
    chosen = [path for path in chosen if path.is_symlink() or not stat.S_ISFIFO(path.lstat().st_mode)]
    paths = [f"models/{path.relative_to(folder).as_posix()}" for path in chosen]
    brought = {path.relative_to(folder).parts[0] for path in chosen}  # what no target names would be found too
    targets = "".join(f"  - {json.dumps({'id': path, 'path': path})}\n" for path in paths)
    old: dict[str, str | bytes | None] = {"models/vae.onnx": None, "models/big.onnx": None}
    bench.base = bench.commit({**old, ".assay.yml": f"version: 1\ntargets:\n{targets}", "README.md": "models\n"})
    for file in folder.rglob("*"):
        if file.relative_to(folder).parts[0] in brought and (file.is_symlink() or file.is_file()):
            place = bench.workspace / "models" / file.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, place, follow_symlinks=False)
    bench.open_pull({"README.md": "more models\n"}, head_repository="mallory/models")
    held = set(git(bench.workspace, "ls-files").splitlines())
    assert all(path in held or any(name.startswith(f"{path}/") for name in held) for path in paths)
    return bench, paths


def held_off(bench: Workbench, paths: list[str], done: subprocess.CompletedProcess[str], summary: str) -> None:
    """No target is green, each is in the report, nothing was touched, and no secret was told."""
    log = done.stdout + done.stderr
    assert done.returncode == 1, log[-5_000:]
    assert "Traceback" not in log
    report: dict[str, Any] = json.loads((bench.workspace / "report" / "report.json").read_text(encoding="utf-8"))
    assert {t["id"] for t in report["targets"]} == set(paths)
    assert not [t["id"] for t in report["targets"] if t["status"] == "analysed"]
    assert not [t["error"] for t in report["targets"] if "internal error" in (t["error"] or "")]
    assert not [t["id"] for t in report["targets"] if t.get("backends")], "no engine ran"
    said = log.replace(f"::add-mask::{TOKEN}", "") + summary + json.dumps(report)
    for secret in (TOKEN, "runtime-secret", "root:x:0:0"):
        assert secret not in said
    changed = git(bench.workspace, "status", "--porcelain", "--ignored").splitlines()
    assert changed == ["?? report/"]


@pytest.mark.skipif(launch.standing() is not None, reason=str(launch.standing()))
def test_behind_the_kernels_wall_alone(tmp_path: Path, simulator: Simulator) -> None:
    marks, box = tmp_path / "marks", tmp_path / "box"
    marks.mkdir()
    (box / "temp").mkdir(parents=True)
    bench, paths = pull_request(tmp_path, simulator, marks / "mark", ())
    assert len(paths) >= 90
    (box / "event.json").write_text(json.dumps(bench.payload(head_repository="mallory/models")))
    variables = {
        "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(box / "event.json"), "GITHUB_SHA": bench.head,
        "GITHUB_REPOSITORY": simulator.state.repository, "GITHUB_API_URL": simulator.url, "GITHUB_RUN_ID": "77",
        "GITHUB_GRAPHQL_URL": simulator.graphql_url, "GITHUB_SERVER_URL": simulator.site, "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_WORKSPACE": str(bench.workspace), "GITHUB_STEP_SUMMARY": str(box / "summary"),
        "GITHUB_OUTPUT": str(box / "output"), "GITHUB_ACTOR": "octocat", "RUNNER_TEMP": str(box / "temp"),
        "RUNNER_ENVIRONMENT": "github-hosted", "INPUT_TOKEN": TOKEN, "ACTIONS_RUNTIME_TOKEN": "runtime-secret",
        "INPUT_OUTPUT": "report", "PATH": os.environ["PATH"], "HOME": str(box),
        "DOCKER_HOST": f"unix://{box}/no-engine",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-m", "action.start"], cwd=bench.workspace, capture_output=True, text=True, check=False,
        env={**variables, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    held_off(bench, paths, done, (box / "summary").read_text(encoding="utf-8"))
    assert "not analysed in containers" in (box / "summary").read_text(encoding="utf-8")
    assert not list(marks.iterdir())


@pytest.mark.docker
def test_in_containers(image_alone: str, tmp_path: Path, simulator: Simulator) -> None:
    """The mark is in the workspace, which is mounted where the front runs.

    One of each family, for each target takes a container; ASSAY_TEST_ALL_HOSTILE=1: all of them.
    """
    names = () if os.environ.get("ASSAY_TEST_ALL_HOSTILE") == "1" else FAMILIES
    bench, paths = pull_request(tmp_path, simulator, Path("/github/workspace/caught"), names)
    payload = bench.payload(head_repository="mallory/models")
    done = run_as_github_does(bench, image_alone, tmp_path / "box", payload, output="report")
    held_off(bench, paths, done, (tmp_path / "box" / "file_commands" / "summary").read_text(encoding="utf-8"))
    assert {path.name for path in (tmp_path / "box" / "file_commands").iterdir()} == {"output", "summary"}
    assert not containers(image_alone), "a container was left behind"
