"""Changed Python files that build models, from a real commit to the review: traced, nothing of them runs."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.configuration.config import Config
from analyzer.running import local
from analyzer.selecting.changed_sources import MOST_FILES, MOST_IMPORTERS, builds_models, changed_sources
from tests.action.flows import second_stage
from tests.action.harness import Ran, Workbench

NET = dedent(
    """\
    import torch
    import torch.nn as nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 16, 3, padding=1)
            self.pool = nn.MaxPool2d(2)
            self.head = nn.Linear(16 * 16 * 16, 10)

        def forward(self, x):
            x = self.pool(torch.relu(self.conv(x)))
            return self.head(torch.flatten(x, 1))


    print(Net()(torch.zeros(8, 3, 32, 32)).shape)
    """
)
BROKEN = NET.replace("nn.Linear(16 * 16 * 16, 10)", "nn.Linear(4000, 10)")
RUNS = "import pathlib\npathlib.Path('{marker}').write_text('ran')\n"


@pytest.fixture
def traced(bench: Workbench) -> Workbench:
    """A repository without configured targets, its head analysed by the real pipeline."""
    bench.analyse = local.review
    bench.base = bench.head = bench.commit({".assay.yml": None, "models/vae.onnx": None, "models/big.onnx": None})
    return bench


def start_from(bench: Workbench, files: dict[str, str]) -> None:
    bench.base = bench.head = bench.commit(files)


def comments(bench: Workbench) -> list[tuple[str | None, int | None]]:
    return [(c.path, c.line) for c in bench.simulator.state.review_comments.values()]


def summary_of(bench: Workbench) -> str:
    (comment,) = bench.simulator.state.issue_comments.values()
    return comment.body


def opened(bench: Workbench, files: dict[str, str | bytes | None], **options: str) -> Ran:
    bench.open_pull(files)
    return bench.run(payload=bench.payload("opened"), inputs={"output": "out", **options})


def test_a_broken_change_blocks_on_its_line_with_the_change_to_apply(traced: Workbench) -> None:
    start_from(traced, {"net.py": NET})
    ran = opened(traced, {"net.py": BROKEN})
    assert ran.code == 1, ran.log
    assert comments(traced) == [("net.py", 10)]
    (comment,) = traced.simulator.state.review_comments.values()
    assert "tracing/incompatible-shape" in comment.body
    assert "4096" in comment.body
    assert "```suggestion\n        self.head = nn.Linear(4096, 10)\n```" in comment.body
    assert "(no error when analysed again)" in comment.body, "a trace proves no operator safe"
    assert "1 new problem in 1 of 1 Python file" in summary_of(traced)


def test_a_new_file_is_traced(traced: Workbench) -> None:
    assert opened(traced, {"src/net.py": BROKEN}).code == 1
    assert comments(traced) == [("src/net.py", 10)]


@pytest.mark.parametrize(
    "change",
    [
        BROKEN.replace("class Net", "# The network of the paper.\nclass Net"),
        BROKEN.replace("import torch\n", "import torch  # noqa\n"),
        BROKEN + "\n\n",
    ],
)
def test_a_change_of_comments_adds_nothing(traced: Workbench, change: str) -> None:
    start_from(traced, {"net.py": BROKEN})
    ran = opened(traced, {"net.py": change})
    assert ran.code == 0, ran.log
    assert comments(traced) == []
    assert "no model changed" in ran.summary


def test_what_was_there_before_does_not_block(traced: Workbench) -> None:
    start_from(traced, {"net.py": BROKEN})
    ran = opened(traced, {"net.py": BROKEN.replace("zeros(8,", "zeros(16,")})
    assert ran.code == 0, ran.log
    assert comments(traced) == []
    assert "1 known" in summary_of(traced)


@pytest.mark.type_checkers
def test_python_bugs_are_reported_on_the_lines_that_changed(traced: Workbench) -> None:
    old = "def before():\n    return undefined_before\n\n\n"
    start_from(traced, {"net.py": old + NET, "requirements.txt": "torch==2.2.2\n"})
    ran = opened(traced, {"net.py": old + NET.replace("nn.MaxPool2d", "nn.MaxPool2D").replace("Net()(", "Nett()(")})
    assert ran.code == 1, ran.log
    assert sorted(comments(traced), key=str) == [("net.py", 13), ("net.py", 21)]
    bodies = " ".join(c.body for c in traced.simulator.state.review_comments.values())
    assert "python/undefined-name" in bodies
    assert "python/missing-attribute" in bodies
    assert "undefined_before" not in bodies


@pytest.mark.type_checkers
def test_a_fork_is_traced_and_nothing_of_it_runs(traced: Workbench, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    hostile = RUNS.format(marker=marker)
    start_from(traced, {"net.py": NET})
    traced.open_pull(
        {
            "net.py": hostile + BROKEN,
            "torch.py": hostile,
            "conftest.py": hostile,
            "sitecustomize.py": hostile,
            "plugin.py": hostile + "def plugin(version):\n    return None\n",
            "mypy.ini": "[mypy]\nplugins = plugin.py\npython_executable = ./python\n",
            "python": f"#!/bin/sh\ntouch {marker}\n",
            "pyproject.toml": "[tool.mypy]\nplugins = ['plugin.py']\n[tool.ruff]\nextend = '/etc/passwd'\n",
            "ruff.toml": "extend = 'missing.toml'\n",
            "pyrightconfig.json": '{"venvPath": ".", "venv": "venv", "pythonPath": "./python"}',
        }
    )
    ran = traced.run(payload=traced.payload("opened", "mallory/models"), inputs={"output": "out"})
    assert ran.code == 1, ran.log
    assert "tracing/incompatible-shape" in (traced.workspace / "out" / "assay-relay.json").read_text()
    assert not marker.exists()
    second_stage(traced, traced.run_id)
    assert comments(traced) == [("net.py", 12)]
    (comment,) = traced.simulator.state.review_comments.values()
    assert "```suggestion\n        self.head = nn.Linear(4096, 10)\n```" in comment.body


def test_files_without_models_are_left_alone(traced: Workbench) -> None:
    ran = opened(
        traced, {"tool.py": "print(undefined)\n", "setup.py": "import torch\n", "old.py": "import torch\nprint 1\n"}
    )
    assert ran.code == 0, ran.log
    assert "no model changed" in ran.summary


def test_a_file_that_no_longer_parses_is_said(traced: Workbench) -> None:
    start_from(traced, {"net.py": NET})
    ran = opened(traced, {"net.py": NET + "def f(:\n"})
    assert ran.code == 0, ran.log
    assert "1 of 1 Python file could not be analysed" in summary_of(traced)
    assert "invalid syntax" in summary_of(traced)


def test_excluded_files_and_targets_are_not_traced_again(traced: Workbench) -> None:
    config = "version: 1\nexclude: ['notes/**']\ntargets:\n  - {id: net, path: net.py}\n"
    start_from(traced, {".assay.yml": config, "net.py": NET, "notes/a.py": NET})
    ran = opened(traced, {"net.py": BROKEN, "notes/a.py": BROKEN, "train.py": BROKEN})
    assert ran.code == 1, ran.log
    assert sorted(comments(traced), key=str) == [("net.py", 10), ("train.py", 10)]


MODEL = NET.replace("\n\nprint(Net()(torch.zeros(8, 3, 32, 32)).shape)\n", "\n")
TRAIN = dedent(
    """\
    import torch

    from models import Net

    net = Net()
    scores = net(torch.zeros(8, 3, 32, 32))
    loss = torch.nn.functional.mse_loss(scores, torch.zeros(8, 10))
    loss.backward()
    """
)


def test_an_unchanged_script_that_the_change_breaks_blocks_on_its_line(traced: Workbench) -> None:
    start_from(traced, {"models/__init__.py": "from .net import Net\n", "models/net.py": MODEL, "train.py": TRAIN})
    ran = opened(traced, {"models/net.py": MODEL.replace("16 * 16 * 16, 10", "16 * 16 * 16, 12")})
    assert ran.code == 1, ran.log
    assert "train.py:7" in summary_of(traced)
    assert "Unchanged files that import what changed are traced too: train.py." in summary_of(traced)


def test_what_the_change_brings_and_what_the_script_had_are_told_apart(traced: Workbench) -> None:
    wrong = TRAIN.replace("torch.zeros(8, 10)", "torch.zeros(8, 11)")
    start_from(traced, {"models.py": MODEL, "train.py": TRAIN, "old.py": wrong})
    ran = opened(traced, {"models.py": MODEL.replace("nn.MaxPool2d(2)", "nn.MaxPool2d((2, 2))")})
    assert ran.code == 0, ran.log
    assert comments(traced) == []
    assert "1 known" in summary_of(traced)


def test_one_problem_that_several_files_reach_is_one_finding(traced: Workbench) -> None:
    start_from(traced, {"models.py": MODEL, "train.py": TRAIN, "evaluate.py": TRAIN})
    ran = opened(traced, {"models.py": BROKEN.replace("print(", "# print(")})
    assert ran.code == 1, ran.log
    assert comments(traced) == [("models.py", 10)]
    assert "1 new problem in" in summary_of(traced)


def test_the_file_of_an_entry_point_is_traced_as_a_script_too(traced: Workbench) -> None:
    config = "version: 1\nonly: [tracing]\ntargets:\n  - {entry: net.py:build}\n"
    build = "\n\ndef build():\n    return Net(), (torch.zeros(8, 3, 32, 32),)\n\n\n"
    script = "scores = Net()(torch.zeros(8, 3, 32, 32))\nloss = nn.MSELoss()(scores, torch.zeros(8, {}))\n"
    start_from(traced, {".assay.yml": config, "net.py": MODEL + build + script.format(10)})
    ran = opened(traced, {"net.py": MODEL + build + script.format(11)})
    assert ran.code == 1, ran.log
    assert comments(traced) == [("net.py", 23)]


def test_what_entry_point_and_script_share_is_one_finding(traced: Workbench) -> None:
    config = "version: 1\nonly: [tracing]\ntargets:\n  - {entry: net.py:build}\n"
    build = "\n\ndef build():\n    return Net(), (torch.zeros(8, 3, 32, 32),)\n"
    start_from(traced, {".assay.yml": config, "net.py": NET + build})
    ran = opened(traced, {"net.py": BROKEN + build})
    assert ran.code == 1, ran.log
    assert comments(traced) == [("net.py", 10)]
    assert "1 new problem in" in summary_of(traced)


def test_importers_are_found_step_by_step_and_bounded(tmp_path: Path) -> None:
    head, base = tmp_path / "head", tmp_path / "base"
    files = {
        "src/app/__init__.py": "",
        "src/app/size.py": "SIDE = 32\n",
        "src/app/net.py": MODEL.replace("import torch\n", "import torch\nfrom .size import SIDE\n", 1),
        "src/app/wrap.py": "from . import net\n\n\ndef make():\n    return net.Net()\n",
        "scripts/run.py": "from app.wrap import make\n\nprint(make())\n",
        "scripts/late.py": "def main():\n    import app.net as n\n    return n.Net()\n",
        "scripts/names.py": "from app.wrap import make\n\n__all__ = ['make']\n",
        "other.py": "import torch\n\nnet = torch.nn.Linear(3, 3)  # not app\n",
        "notes/draft.py": "from app.net import Net\n\nNet()\n",
    }
    for tree in (head, base):
        for name, text in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
    (head / "src/app/size.py").write_text("SIDE = 28\n")
    config = Config(exclude=("notes/**",))
    chosen = changed_sources(head, base, config, ())
    assert [t.id for t in chosen.targets] == ["src/app/net.py", "scripts/late.py", "src/app/wrap.py", "scripts/run.py"]
    for number in range(MOST_IMPORTERS + 5):
        (head / f"run{number:02}.py").write_text("from app.net import Net\n\nNet()\n")
        (base / f"run{number:02}.py").write_text("from app.net import Net\n\nNet()\n")
    chosen = changed_sources(head, base, config, ())
    assert len(chosen.targets) == MOST_IMPORTERS
    assert "the nearest 20 were traced" in chosen.notes[0]


def test_tracing_can_be_off(traced: Workbench) -> None:
    start_from(traced, {"net.py": NET})
    assert opened(traced, {"net.py": BROKEN}, only="numerical").code == 0


def test_many_files_are_capped_and_said(tmp_path: Path) -> None:
    head, base = tmp_path / "head", tmp_path / "base"
    base.mkdir()
    head.mkdir()
    for number in range(MOST_FILES + 5):
        (head / f"net{number:03}.py").write_text(NET)
    chosen = changed_sources(head, base, Config(), ())
    assert len(chosen.targets) == MOST_FILES
    assert chosen.notes == (f"{MOST_FILES + 5} changed Python files build models; the first {MOST_FILES} were traced.",)


@pytest.mark.parametrize(
    ("source", "builds"),
    [
        ("import torch\nx = torch.zeros(3)", True),
        ("import tensorflow.keras as k\nm = k.Sequential()", True),
        ("from keras import layers\nm = layers.Dense(3)", True),
        ("from torch import nn\nclass A(nn.Module): pass", True),
        ("def f():\n    import torch.nn.functional as F\n    return F.relu(x)", True),
        ("import torch\nprint(torch.__version__)", False),
        ("import numpy as np\nx = np.zeros(3)", False),
        ("from . import torch\nx = torch.zeros(3)", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\ndef f(x: torch.Tensor): ...", False),
    ],
)  # fmt: skip
def test_what_builds_models(source: str, builds: bool) -> None:
    assert builds_models(ast.parse(source)) is builds
