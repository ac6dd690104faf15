"""A package that Assay cannot use ends in one sentence; where all fits, a defect stays a defect."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from analyzer import installation
from analyzer.installation import misfits
from analyzer.walls import launch

ROOT = Path(__file__).parents[2]


def distribution(folder: Path, name: str, version: str, *requires: str) -> metadata.Distribution:
    """Installed into `folder`, as far as its metadata go."""
    place = folder / f"{name}-{version}.dist-info"
    place.mkdir(parents=True)
    lines = [f"Requires-Dist: {each}" for each in requires]
    (place / "METADATA").write_text(
        "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *lines])
    )
    return metadata.Distribution.at(place)


def start(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
    )


@pytest.fixture
def old_protobuf(tmp_path: Path) -> Path:
    """What `pip install protobuf==3.20.3` leaves, as far as ONNX looks before it gives up."""
    distribution(tmp_path, "protobuf", "3.20.3")
    (tmp_path / "google" / "protobuf").mkdir(parents=True)
    (tmp_path / "google" / "protobuf" / "__init__.py").write_text("__version__ = '3.20.3'\n")
    (tmp_path / "x.onnx").write_text(
        '<ir_version: 8, opset_import: ["": 17]> g (float[1] x) => (float[1] y) { y = Log(x) }'
    )
    return tmp_path


@pytest.mark.parametrize("command", ["check x.onnx", "diff x.onnx", "checkpoint a b", "space x.yml"])
def test_an_old_protobuf_is_one_sentence(old_protobuf: Path, command: str) -> None:
    done = start(old_protobuf, "analyzer", *command.split())
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    wanted = next(r for r in metadata.requires("assay-action") or () if r.startswith("protobuf"))
    assert line.startswith(f"assay: protobuf 3.20.3 is installed in {old_protobuf}, but Assay needs {wanted}; ")
    assert f"-m pip install '{wanted}'` mends it" in line


def test_what_does_not_need_it_still_answers(old_protobuf: Path) -> None:
    done = start(old_protobuf, "analyzer", "--version")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("raised", ["ImportError('no C loader')", "AttributeError('cython_sources')", "TypeError('x')"])
@pytest.mark.parametrize("program", ["action", "action.last_resort"])
def test_the_action_says_it_as_a_command_of_the_runner(tmp_path: Path, raised: str, program: str) -> None:
    distribution(tmp_path, "PyYAML", "5.4.1")
    (tmp_path / "yaml").mkdir()
    (tmp_path / "yaml" / "__init__.py").write_text(f"raise {raised}\n")
    done = start(tmp_path, program)
    assert (done.returncode, done.stderr) == (2, "")
    (line,) = done.stdout.splitlines()
    assert line.startswith(f"::error title=Assay::pyyaml 5.4.1 is installed in {tmp_path}, but Assay needs pyyaml"), (
        line
    )


def test_a_package_that_fits_and_is_damaged_is_named_with_what_it_said(tmp_path: Path) -> None:
    (tmp_path / "jinja2").mkdir()
    (tmp_path / "jinja2" / "__init__.py").write_text("raise OSError('libbroken.so: cannot open')\n")
    done = start(tmp_path, "action")
    assert (done.returncode, done.stderr) == (2, "")
    assert "jinja2, which Assay uses" in done.stdout
    assert "OSError: libbroken.so: cannot open" in done.stdout
    assert "--force-reinstall assay-action" in done.stdout


def test_a_child_behind_the_wall_says_it_too(old_protobuf: Path) -> None:
    module = "analyzer.loading.__main__"
    done = subprocess.run(
        launch.command(module, "0", "0", "x.onnx", rules=None, path=[old_protobuf, ROOT]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"protobuf 3.20.3 is installed in {old_protobuf}, but Assay needs protobuf")


def test_requirements_are_followed_and_named_once(tmp_path: Path) -> None:
    installed = {
        "assay-action": distribution(
            tmp_path, "assay-action", "1", "onnx>=1.21", "numpy<3,>=2", "old; python_version<'3'", "x; extra == 'y'"
        ),
        "onnx": distribution(tmp_path, "onnx", "1.22", "protobuf>=6", "numpy>=3", "not a requirement", "assay-action"),
        "numpy": distribution(tmp_path, "numpy", "1.26.4"),
    }

    def look(name: str) -> metadata.Distribution:
        try:
            return installed[name]
        except KeyError:
            raise metadata.PackageNotFoundError(name) from None

    found = [(m.name, m.found, m.needed, m.by) for m in misfits(found=look)]
    assert found == [
        ("numpy", "1.26.4", "numpy<3,>=2", "assay-action"),
        ("protobuf", None, "protobuf>=6", "onnx"),
    ]
    assert list(map(str, misfits(found=look)))[1] == (
        "protobuf is not installed, but onnx, which Assay uses, needs protobuf>=6"
    )


def test_a_defect_is_no_matter_of_the_installation() -> None:
    with pytest.raises(ValueError) as caught:
        int("x")
    assert installation.explained(caught.value) is None


def test_what_assay_needs_is_here() -> None:
    assert list(misfits()) == []
