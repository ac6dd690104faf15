"""Files of the repository that hold a configuration are read in the default run; hostile ones end soon."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import DEFAULT_RUN, Diagnostic
from analyzer.tracing.tracing import explore, read_source

READERS = {
    "json": """
        with open("conf/model.json") as f:
            conf = json.load(f)
        """,
    "json text": """
        conf = json.loads(open("conf/model.json").read())
        """,
    "yaml": """
        conf = yaml.safe_load(open("conf/model.yaml", "r"))
        """,
    "yaml with a loader": """
        with open("conf/model.yaml") as f:
            conf = yaml.load(f, Loader=yaml.FullLoader)
        """,
    "a flag names the file": """
        parser = argparse.ArgumentParser()
        parser.add_argument("--config", default="conf/model.yaml")
        with open(parser.parse_args().config) as f:
            conf = yaml.safe_load(f)
        """,
    "omegaconf": """
        conf = OmegaConf.load("conf/model.yaml")
        """,
}
USE = """
model = torch.nn.Linear(conf["net"]["width"], 2)
model(torch.zeros(4, 32))
"""


def problems(tmp_path: Path, reading: str, width: object) -> list[Diagnostic]:
    (tmp_path / "conf").mkdir(exist_ok=True)
    (tmp_path / "conf" / "model.json").write_text(json.dumps({"net": {"width": width}}))
    (tmp_path / "conf" / "model.yaml").write_text(f"net:\n  width: {json.dumps(width)}\n")
    file = tmp_path / "train.py"
    head = "import argparse, json, torch, yaml\nfrom omegaconf import OmegaConf\n"
    file.write_text(head + dedent(reading) + USE)
    _, tree = read_source(file, tmp_path)
    return list(explore(tmp_path, "train.py", tree, Versions()).problems.values())


@pytest.mark.parametrize("name", READERS)
def test_the_default_run_reads_them(tmp_path: Path, name: str) -> None:
    assert problems(tmp_path, READERS[name], 32) == []
    (error,) = problems(tmp_path, READERS[name], 48)
    assert (error.rule, error.level, error.tier) == ("tracing/incompatible-shape", "error", DEFAULT_RUN)
    assert "48" in error.message


def test_yaml_of_a_text_is_what_pyyaml_makes_of_it(tmp_path: Path) -> None:
    (error,) = problems(tmp_path, 'conf = yaml.safe_load("net: {width: 16}")\n', 32)
    assert "16" in error.message
    assert problems(tmp_path, 'conf = yaml.safe_load("net: {width: 32}")\n', 16) == []


@pytest.mark.parametrize(
    "reading",
    [
        'conf = yaml.safe_load(open("../outside.yaml"))\n',  # another file than those under review
        'json.dump(made(), open("conf/model.json", "w"))\nconf = json.load(open("conf/model.json"))\n',
        "import sys\nconf = yaml.safe_load(open(sys.argv[1]))\n",
        'conf = yaml.safe_load(open("absent.yaml"))\n',
    ],
)
def test_what_another_run_may_read_is_not_known(tmp_path: Path, reading: str) -> None:
    (tmp_path.parent / "outside.yaml").write_text("net: {width: 48}\n")
    assert [p for p in problems(tmp_path, reading, 48) if p.rule == "tracing/incompatible-shape"] == []


BOMB = "a0: &a0 [1, 1]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
CIRCLE = "net: [" + ", ".join(['"${net}"'] * 40) + "]\n"


@pytest.mark.parametrize("content", [BOMB, CIRCLE, "net: &n {width: *n}\n", "[" * 100_000, "net: 2026-01-01"])
@pytest.mark.parametrize("name", ["yaml", "omegaconf"])
def test_hostile_files_end_soon(tmp_path: Path, content: str, name: str) -> None:
    """Each would take all memory or time if its aliases and interpolations were written out."""
    problems(tmp_path, READERS[name], 32)
    (tmp_path / "conf" / "model.yaml").write_text(content)
    _, tree = read_source(tmp_path / "train.py", tmp_path)
    found = explore(tmp_path, "train.py", tree, Versions()).problems.values()
    assert [p for p in found if p.rule == "tracing/incompatible-shape"] == []
