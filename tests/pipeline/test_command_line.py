"""`assay check` as a user meets it: exit codes, the files it leaves, its words on mistakes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import jsonschema
import pytest

from analyzer.commands.cli import main
from analyzer.configuration.schemas import schema
from tests.pipeline import models

CONFIG = """\
version: 1
targets:
  - {path: broken.onnx, inputs: {x: {range: [-50, 50]}}}
  - {path: good.onnx, inputs: {x: {range: [-50, 50]}}}
only: [numerical]
"""


def assay(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "analyzer", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "120"},
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    models.unsafe(tmp_path / "broken.onnx")
    models.safe(tmp_path / "good.onnx")
    (tmp_path / ".assay.yml").write_text(CONFIG)
    return tmp_path


def test_what_it_wrote_before_is_no_target(tmp_path: Path) -> None:
    """A reproducer's files are models too: a second run with the same folders analyses what the first did."""
    models.unsafe(tmp_path / "broken.onnx")
    (tmp_path / ".assay.yml").write_text("version: 1\nonly: [numerical]\n")
    folders = ("--out", "out [1]", "--cache", "kept/results", "--exports", str(tmp_path / "graphs"))
    for _ in range(2):
        done = assay(tmp_path, "check", *folders)
        assert done.returncode == 1, done.stdout + done.stderr
        report = json.loads((tmp_path / "out [1]" / "report.json").read_text())
        assert [t["id"] for t in report["targets"]] == ["broken.onnx"]
        for folder in ("kept/results", "graphs"):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            models.safe(tmp_path / folder / "made.onnx")
    assert list((tmp_path / "out [1]").rglob("*.npz"))


def test_blocking_findings_exit_with_1_and_leave_every_form_of_the_report(folder: Path) -> None:
    done = assay(folder, "check")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "log-of-nonpositive" in done.stdout
    assert "blocked by 1 finding" in done.stdout
    report = json.loads((folder / "assay-report" / "report.json").read_text())
    jsonschema.Draft202012Validator(schema("report")).validate(report)
    assert report["verdict"] == "fail"
    assert [t["unsafe_operators"] for t in report["targets"]] == [{"checked": 1, "safe": 0}, {"checked": 1, "safe": 1}]
    assert "log_rest" in (folder / "assay-report" / "report.md").read_text()
    assert (folder / "assay-report" / "report.html").read_text().startswith("<!doctype html>")
    assert json.loads((folder / "assay-report" / "report.sarif").read_text())["version"] == "2.1.0"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check", "good.onnx"), 0),
        (("check", "--fail-on", "never"), 0),
        (("check", "missing.onnx"), 2),
        (("check", "--only", "everything"), 2),
        (("check", "--config", "none.yml"), 2),
        (("check", "--base", "HEAD"), 2),
        (("check", "good.onnx", "cut.onnx"), 3),
        (("explain", "numerical/no-such-rule"), 2),
        (("frobnicate",), 2),
    ],
)
def test_exit_codes(folder: Path, arguments: tuple[str, ...], code: int) -> None:
    if "cut.onnx" in arguments:  # what lies here is found and checked, also without being named
        (folder / "cut.onnx").write_bytes((folder / "good.onnx").read_bytes()[:50])
    done = assay(folder, *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    if code == 2:
        assert done.stderr.strip()


def test_models_are_found_by_content_without_a_configuration(folder: Path) -> None:
    (folder / ".assay.yml").unlink()
    (folder / "broken.onnx").rename(folder / "renamed.model")
    (folder / "noise.onnx").write_bytes(b"not a model")
    done = assay(folder, "check", "--only", "numerical", "--out", "out")
    report = json.loads((folder / "out" / "report.json").read_text())
    assert {"good.onnx", "renamed.model"} <= {t["id"] for t in report["targets"]}, done.stdout


def test_only_what_is_new_against_a_revision_counts(folder: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-b", "main")
    git("add", "-A")
    git("commit", "-m", "base")
    assert assay(folder, "check", "--base", "main").returncode == 0
    models.unsafe(folder / "good.onnx")
    done = assay(folder, "check", "--base", "main")
    assert done.returncode == 1
    report = json.loads((folder / "assay-report" / "report.json").read_text())
    assert {f["target"]: f["new"] for f in report["findings"]} == {"good.onnx": True, "broken.onnx": False}


PROBE = """
import sys
from analyzer.commands.cli import main
try:
    main({arguments})
except SystemExit:
    pass
heavy = {{"torch", "tensorflow", "jax", "keras", "z3", "onnxruntime", "openvino", "transformers"}}
print("LOADED", sorted(heavy & set(sys.modules)))
"""


@pytest.mark.parametrize("arguments", [["--help"], ["check", "good.onnx"], ["explain"]])
def test_no_framework_is_imported(folder: Path, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(arguments=arguments)],
        cwd=folder, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert "LOADED []" in done.stdout, done.stdout + done.stderr


def test_the_version_names_the_engines_found(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("assay ")
    assert f"torch {metadata.version('torch')}" in second


SPACE = """\
version: 1
model:
  framework: torch
  inputs: {x: {shape: [2, 8]}}
  layers: [{name: fc, op: Linear, in_features: 8, out_features: units}]
hyperparameters: {units: {min: 1, max: 9}}
"""


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    """As in `assay space space.yml | head -0`."""
    (tmp_path / "space.yml").write_text(SPACE)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "analyzer", "space", "space.yml"],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    os.close(writing)
    assert "an error of Assay's own" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode != 0  # nobody was told a verdict


def test_without_git_a_base_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    assert main(["check", "--base", "main", "--no-report"]) == 2
    assert "git is not installed here" in capsys.readouterr().err
