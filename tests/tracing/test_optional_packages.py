"""A program that can do without a package is followed with it and without it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

NONE_BEFORE = "pairs = None\ntry: from {package} import pairs\nexcept: pass\n"
NONE_AFTER = "try:\n    from {package} import pairs\nexcept ImportError:\n    pairs = None\n"
WHOLE = "try:\n    import {package} as pairs\nexcept ImportError:\n    pairs = None\n"
FLAG = "try:\n    import {package}\n    HAS = True\nexcept ImportError:\n    HAS = False\n"
FLAG_BEFORE = "HAS = False\ntry:\n    from {package} import pairs\n    HAS = True\nexcept Exception:\n    pass\n"
FLAG_ELSE = "try:\n    import {package}\nexcept ImportError:\n    HAS = False\nelse:\n    HAS = True\n"
MANNERS = [
    *((m, "pairs is not None") for m in (NONE_BEFORE, NONE_AFTER, WHOLE)),
    *((m, "HAS") for m in (FLAG, FLAG_BEFORE, FLAG_ELSE)),
]
USE = """
import torch

def halved(x):
    if {test}:
        return {with_it}
    return {without}

halved(torch.zeros({size}))
"""


def told(root: Path, text: str) -> list[tuple[int, bool]]:
    shared = explore(root, "program.py", ast.parse(text), Versions())
    return sorted({(p.site.line, p.proved) for p in shared.problems.values() if p.level == "error"})


@pytest.mark.parametrize(("tries", "test"), MANNERS)
@pytest.mark.parametrize("size", [4, 5])
@pytest.mark.parametrize("swapped", [False, True])
def test_each_side_is_followed(tmp_path: Path, tries: str, test: str, size: int, swapped: bool) -> None:
    sides = {"with_it": "x.view(-1, 2)", "without": "x + 1"}
    if swapped:
        sides = {"with_it": "x + 1", "without": "x.view(-1, 2)"}
    text = tries.format(package="compiled_pairs") + USE.format(test=test, size=size, **sides)
    line = text.splitlines().index(f"    {'    ' * (not swapped)}return x.view(-1, 2)") + 1
    assert told(tmp_path, text) == [(line, True)] * (size == 5)


@pytest.mark.parametrize(("tries", "test"), MANNERS)
def test_two_questions_have_one_answer(tmp_path: Path, tries: str, test: str) -> None:
    text = f"import torch\n{tries.format(package='compiled_pairs')}x = torch.zeros(5)\nif {test}:\n    x = x[:4]\n"
    text += f"y = torch.zeros(5 if not ({test}) else 4)\nx + y\n"
    assert told(tmp_path, text) == []


@pytest.mark.parametrize(("tries", "test"), MANNERS)
def test_a_package_that_is_there_is_used(tmp_path: Path, tries: str, test: str) -> None:
    sides = {"with_it": "x + 1", "without": "x.view(-1, 2)"}
    tries = tries.format(package="torch").replace("import pairs", "import relu as pairs")
    assert told(tmp_path, tries + USE.format(test=test, size=5, **sides)) == []


@pytest.mark.parametrize("size", [4, 5])
def test_a_module_tries_and_notes_it(tmp_path: Path, size: int) -> None:
    (tmp_path / "tried.py").write_text(FLAG.format(package="compiled_pairs") + "pairs = None\n")
    text = f"import torch\nfrom tried import HAS\nx = torch.zeros({size})\nif not HAS:\n    x.view(-1, 2)\n"
    text += "if HAS:\n    x = x[:2]\nif not HAS:\n    x = x[:2]\nx + torch.zeros(2)\n"
    assert told(tmp_path, text) == [(5, True)] * (size == 5)


def test_what_is_set_otherwise_stays(tmp_path: Path) -> None:
    text = FLAG.format(package="compiled_pairs").replace("HAS = False", "HAS = True")
    text += "import torch\nif not HAS:\n    torch.zeros(2) + torch.zeros(3)\n"
    assert told(tmp_path, text) == []


@pytest.mark.parametrize("size", [2, 3])
def test_a_framework_that_a_program_imports_is_there(tmp_path: Path, size: int) -> None:
    text = "import tensorflow as tf\nx = tf.ones(2)\nassert x.shape == (2,) and tf.sparse.mask is not None\n"
    text += f"x + tf.ones({size})\n"
    assert told(tmp_path, text) == [(4, True)] * (size == 3)
