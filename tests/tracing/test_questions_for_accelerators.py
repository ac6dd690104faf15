"""Branches on what accelerators a machine has: a program fails where it does on every machine."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

TENSORFLOW = """import tensorflow as tf
gpus = tf.config.list_physical_devices("GPU")
{}
tf.matmul(tf.zeros((2, units)), tf.zeros(({}, 3)))
"""
TORCH = """import torch
{}
torch.zeros(2, units) @ torch.zeros({}, 3)
"""
PROGRAMS = [
    (TENSORFLOW, "if len(gpus) > 0:\n    units = 4\nelse:\n    units = 4"),
    (
        TENSORFLOW,
        "units = 4\nif gpus:\n    for g in gpus:\n        tf.config.experimental.set_memory_growth(g, True)",
    ),
    (TENSORFLOW, "units = 4\nif len(tf.config.experimental.list_physical_devices('TPU')) == 0:\n    print('slow')"),
    (TORCH, "if torch.cuda.device_count() > 1:\n    units = 4\nelse:\n    units = 4"),
    (TORCH, "units = 4\nif torch.cuda.is_available() and torch.cuda.device_count() >= 2:\n    print('several')"),
]


@pytest.mark.parametrize(("program", "asked"), PROGRAMS)
@pytest.mark.parametrize("fits", [True, False])
def test_behind_a_question(program: str, asked: str, fits: bool, tmp_path: Path) -> None:
    text = program.format(asked, 4 if fits else 5)
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.level, p.proved) for p in problems] == ([] if fits else [("error", True)])


def test_the_answer_stays(tmp_path: Path) -> None:
    text = (
        "import tensorflow as tf\nif len(tf.config.list_physical_devices('GPU')) > 0:\n    a = tf.zeros((2, 3))\n"
        "else:\n    a = tf.zeros((2, 4))\n"
        "if len(tf.config.experimental.list_physical_devices('GPU')) > 0:\n    b = 3\nelse:\n    b = 4\n"
        "tf.matmul(a, tf.zeros((b, 5)))\n"
    )
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems


def test_a_size_made_of_their_number_is_not_proved(tmp_path: Path) -> None:
    text = (
        "import torch\nif 8 % torch.cuda.device_count() == 0:\n    units = 5\nelse:\n    units = 5\n"
        "torch.zeros(2, 4) @ torch.zeros(units, 3)\n"
    )
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.level for p in problems] == ["error"]
