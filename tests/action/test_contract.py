"""`action.yml`, settings, documentation, image and workflows say the same."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from action.settings import input_names

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / "docs" / "workflows").glob("*.yml"))


def action_yml() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return loaded


def test_every_input_is_known_and_every_setting_is_an_input() -> None:
    assert set(action_yml()["inputs"]) == set(input_names())


def test_every_input_is_described_and_every_default_is_text() -> None:
    for name, data in action_yml()["inputs"].items():
        assert data["description"].endswith("."), name
        assert isinstance(data["default"], str), name


def test_the_defaults_are_those_of_the_settings() -> None:
    from action.settings import Settings, from_environ

    runner = {
        "GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": "/e", "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "a" * 40,
        "GITHUB_WORKSPACE": "/w",
    }  # fmt: skip
    given = {f"INPUT_{n.upper()}": d["default"] for n, d in action_yml()["inputs"].items() if n != "token"}
    assert from_environ({**runner, **given}) == from_environ(runner)
    assert isinstance(from_environ(runner), Settings)


def test_every_input_and_output_is_documented() -> None:
    page = (ROOT / "docs" / "action.md").read_text(encoding="utf-8")
    for name in (*action_yml()["inputs"], *action_yml()["outputs"]):
        assert f"| `{name}` |" in page, name
    rows = re.findall(r"^\| `([a-z-]+)` \|", page[page.index("## Inputs") :], re.MULTILINE)
    assert set(rows) <= {*action_yml()["inputs"], *action_yml()["outputs"]}


def test_outputs_are_those_that_are_written() -> None:
    source = (ROOT / "action" / "finish.py").read_text(encoding="utf-8")
    written = source[source.index("write_outputs(\n") :]
    assert set(re.findall(r'^ +"([a-z-]+)": ', written, re.MULTILINE)) == set(action_yml()["outputs"])


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda p: p.stem)
def test_workflows_use_inputs_that_exist_and_grant_nothing_by_default(workflow: Path) -> None:
    data = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert data["permissions"] == {}
    inputs, outputs, used = action_yml()["inputs"], action_yml()["outputs"], False
    for job in data["jobs"].values():
        assert job["permissions"], "a job says what it needs"
        for step in job["steps"]:
            if step["uses"].startswith("assay-action/assay@"):
                used = True
                assert set(step.get("with", {})) <= set(inputs)
            else:
                assert re.fullmatch(r"[\w/.-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
    assert used
    named = re.findall(r"steps\.assay\.outputs\.([a-z-]+)", workflow.read_text(encoding="utf-8"))
    assert set(named) <= set(outputs)


def test_workflows_name_this_version() -> None:
    from analyzer import __version__

    for workflow in WORKFLOWS:
        for tag in re.findall(r"assay-action/assay@(\S+)", workflow.read_text(encoding="utf-8")):
            assert tag == f"v{__version__}"


def test_zizmor_finds_nothing() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("zizmor"), "--offline", "--quiet", "--config", ".github/zizmor.yml",
         "action.yml", *WORKFLOWS],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.node
def test_the_published_schema_accepts_action_and_workflows() -> None:
    validator = ROOT / "tests" / "node" / "node_modules" / ".bin" / "action-validator"
    command = [str(validator)] if validator.exists() else [shutil.which("action-validator") or ""]
    if not command[0]:
        pytest.skip("npm packages are not installed: cd tests/node && npm ci --ignore-scripts")
    for file in (ROOT / "action.yml", *WORKFLOWS):
        done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{file.name}: {done.stdout}{done.stderr}"


def test_the_image_holds_pinned_versions_that_the_project_allows() -> None:
    from packaging.requirements import Requirement

    pins = {}
    files = (ROOT / f"requirements-{name}.txt" for name in ("slim", "engines", "cuda", "torch"))
    for line in "".join(file.read_text(encoding="utf-8") for file in files).splitlines():
        if line and not line.startswith(("#", "    --hash=sha256:")):
            assert line.endswith(" \\"), f"no hash: {line}"
            name, _, version = line.removesuffix(" \\").partition("==")
            assert version, line
            pins[re.sub(r"[-_.]+", "-", name).lower()] = version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for text in (*project["dependencies"], *extras["torch"], *extras["backends"], extras["tensorflow"][0]):
        wanted = Requirement(text)
        version = pins.get(re.sub(r"[-_.]+", "-", wanted.name).lower())
        assert version, f"{wanted.name} is not in the image"
        assert wanted.specifier.contains(version), f"{wanted} against {version}"


def test_the_image_is_started_isolated_and_by_an_absolute_path() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert 'ENTRYPOINT ["/usr/local/bin/python", "-I", "-m", "action.start"]' in text
    assert not re.search(r"^(USER|WORKDIR)\b", text, re.MULTILINE)
    last = "/usr/local/bin/assay-last-resort"
    runs = {"using": "docker", "image": "Dockerfile", "post-entrypoint": last, "post-if": "always()"}
    assert action_yml()["runs"] == runs
    assert f"-I -m action.last_resort\\n' > {last}" in text
