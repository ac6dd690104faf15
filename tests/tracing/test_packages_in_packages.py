"""The packages that hold a module are imported before it, as Python does, and see one another half done."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

FILES = {
    "net/__init__.py": "from net.model import Model\n",
    "net/model.py": "from net.parts.branch import Branch\n\n\nclass Model(Branch):\n    pass\n",
    "net/parts/__init__.py": "from .shifts import shifted\nfrom .branch import Branch\n",
    "net/parts/shifts.py": "def shifted(x):\n    return x + 1\n",
    "net/parts/branch.py": (
        "from torch import nn\n"
        "from net.parts import shifted\n\n\n"
        "class Branch(nn.Sequential):\n"
        "    def __init__(self, size):\n"
        "        super().__init__(nn.Linear(size, 3))\n\n"
        "    def forward(self, x):\n"
        "        return super().forward(shifted(x))\n"
    ),
}


@pytest.mark.parametrize("size", [4, 5])
@pytest.mark.parametrize("line", ["from net.parts import Branch", "from net.model import Model as Branch"])
def test_modules_that_import_one_another(size: int, line: str, tmp_path: Path) -> None:
    text = f"import torch\n{line}\n\nBranch(4)(torch.randn(2, {size}))\n"
    for path, source in (FILES | {"run.py": text}).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(source)
    shared = explore(tmp_path, "run.py", ast.parse(text), Versions())
    assert [p.level for p in shared.problems.values()] == ["error"] * (size == 5)
    assert not shared.unknown_calls
    real = subprocess.run([sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True)
    assert (real.returncode != 0) is (size == 5), real.stderr
