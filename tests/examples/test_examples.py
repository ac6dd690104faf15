"""The examples: twins that differ in one place, small, configured, rebuilt by their own scripts, and told apart."""

from __future__ import annotations

import difflib
import subprocess
import sys
from pathlib import Path

import pytest

from action.demo.repository import HEAD_BRANCH, MENDED, build_repository, example_names
from analyzer.configuration.reader import read_config
from analyzer.problem import UsageProblem

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = example_names(EXAMPLES)
TEXT = {".py", ".yml", ".md"}


def files(twin: Path) -> set[str]:
    return {p.relative_to(twin).as_posix() for p in twin.rglob("*") if p.is_file() and "__pycache__" not in p.parts}


def test_there_are_enough_and_they_are_small():
    assert len(NAMES) >= 8
    size = sum(p.stat().st_size for p in EXAMPLES.rglob("*") if p.is_file())
    assert size < 2 << 20
    readme = (EXAMPLES / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_twins_differ_in_one_place(name):
    fixed, broken = EXAMPLES / name / "fixed", EXAMPLES / name / "broken"
    assert files(fixed) == files(broken)
    different = [f for f in sorted(files(fixed)) if (fixed / f).read_bytes() != (broken / f).read_bytes()]
    assert different
    for file in different:
        if Path(file).suffix in TEXT:
            old, new = ((twin / file).read_text().splitlines() for twin in (fixed, broken))
            changed = [line for line in difflib.ndiff(old, new) if line[0] in "+-"]
            assert 1 <= len(changed) <= 7, changed


def test_the_configuration_names_every_example():
    config = read_config(EXAMPLES / ".assay.yml")
    paths = {(t.path or t.entry or "").split(":")[0] for t in config.targets}
    assert {path.split("/")[0] for path in paths} == set(NAMES)
    for path in paths:
        name, _, rest = path.partition("/")
        assert (EXAMPLES / name / "fixed" / rest).is_file()


@pytest.mark.parametrize("twin", ["fixed", "broken"])
def test_the_onnx_file_is_what_its_script_writes(tmp_path, twin):
    source = EXAMPLES / "detector" / twin
    script = tmp_path / "make_model.py"
    script.write_bytes((source / "make_model.py").read_bytes())
    subprocess.run([sys.executable, str(script)], check=True, capture_output=True)
    assert (tmp_path / "detector.onnx").read_bytes() == (source / "detector.onnx").read_bytes()


def test_the_repository_has_two_branches_and_is_the_same_every_time(tmp_path):
    first = build_repository(EXAMPLES, tmp_path / "one")
    second = build_repository(EXAMPLES, tmp_path / "two")
    assert (first.base, first.head) == (second.base, second.head)

    def git(*arguments: str) -> str:
        ran = subprocess.run(["git", "-C", str(first.path), *arguments], capture_output=True, text=True, check=True)
        return ran.stdout

    assert git("rev-parse", "main", HEAD_BRANCH).split() == [first.base, first.head]
    assert git("status", "--porcelain") == ""
    changed = set(git("diff", "--name-only", "main", HEAD_BRANCH).split())
    assert {path.split("/")[0] for path in changed} == set(NAMES)
    for name in NAMES:
        on_base = "broken" if name in MENDED else "fixed"
        for file in files(EXAMPLES / name / on_base):
            if Path(file).suffix in TEXT:
                assert git("show", f"main:{name}/{file}") == (EXAMPLES / name / on_base / file).read_text()


def test_the_repository_needs_an_empty_folder_and_examples(tmp_path):
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "file").write_text("")
    with pytest.raises(UsageProblem, match="not empty"):
        build_repository(EXAMPLES, tmp_path / "used")
    with pytest.raises(UsageProblem, match="no examples"):
        build_repository(tmp_path, tmp_path / "new")
