"""What an export depends on: the files that it names and opens; and that two exports of one commit are the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from analyzer.configuration.config import Config, TargetConfig
from analyzer.exporting.named_files import named_files
from analyzer.running.keys import key_of

ENTRY = """import json
import random
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
FIRST = (random.random(), np.random.rand())


def build():
    size = json.loads((HERE / "configs" / "model.json").read_text())["size"]
    raise SystemExit(f"{FIRST} {random.random()} {np.random.rand()} {size}")
"""
ASK = """import sys, json
from analyzer.exporting.inside import entry
try:
    entry.build("net.py:build", sys.argv[1])
except BaseException as error:
    print(json.dumps(str(error)))
"""


def project(folder: Path) -> Path:
    (folder / "configs").mkdir(parents=True)
    (folder / "configs" / "model.json").write_text('{"size": 4}')
    (folder / "other.json").write_text("{}")
    (folder / "net.py").write_text(ENTRY)
    return folder


def test_a_file_that_an_entry_names_is_a_dependency(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert named_files(root / "net.py", root) == (root / "configs" / "model.json",)
    target = TargetConfig("net", entry="net.py:build")
    before = key_of(target, Config(), root)
    (root / "other.json").write_text("[]")
    assert key_of(target, Config(), root) == before
    (root / "configs" / "model.json").write_text('{"size": 5}')
    assert key_of(target, Config(), root) != before


def test_names_that_lead_outside_are_none(tmp_path: Path) -> None:
    root = tmp_path / "inside"
    root.mkdir()
    (tmp_path / "secret").write_text("x")
    (root / "net.py").write_text('A, B, C = "../secret", "/etc/passwd", "\\0"\n')
    assert named_files(root / "net.py", root) == ()


def test_seeds_are_fixed_before_the_entry_is_imported_and_before_it_is_called(tmp_path: Path) -> None:
    root = project(tmp_path)
    said = [
        json.loads(subprocess.run([sys.executable, "-c", ASK, str(root)], capture_output=True, check=True).stdout)
        for _ in range(2)
    ]
    assert said[0] == said[1]
    assert "4" in said[0]
