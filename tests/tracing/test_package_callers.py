"""Other modules of the package that use a file: what fails in them with its parts is told of the file, as possible."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore

CONVOLUTION = """import torch.nn as nn
import torch.nn.functional as F
class Causal(nn.Module):
    def __init__(self, width, planes, kernel):
        super().__init__()
        self.kernel = kernel
        self.conv = nn.Conv1d(width, {}, kernel)
    def forward(self, x):
        return self.conv(F.pad(x, ({}, 0)))
"""
GATED = """import torch, torch.nn as nn
from {} import {}
class Gated(nn.Module):
    def __init__(self, width, kernel):
        super().__init__()
        self.causal = {}(width, width, kernel)
        self.norm = nn.BatchNorm1d(width)
    def forward(self, x):
        return x + self.norm(self.causal(x))
class Broken(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.other = nn.Linear(width, 4 * width), nn.Linear(width, width)
    def forward(self, x):
        return self.other(self.one(x))
"""


def problems(folder: Path, planes: str, padding: str, imported: tuple[str, str, str]) -> list[Diagnostic]:
    package = folder / "package"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("from .causal import Causal\n")
    (package / "causal.py").write_text(CONVOLUTION.format(planes, padding))
    (package / "gated.py").write_text(GATED.format(*imported))
    tree = ast.parse((package / "causal.py").read_text())
    return list(explore(folder, "package/causal.py", tree, Versions()).problems.values())


IMPORTS = [
    (".causal", "Causal", "Causal"), ("package.causal", "Causal as C", "C"), ("package", "Causal", "Causal"),
    (".", "causal", "causal.Causal"), (".causal", "*", "Causal"),
]  # fmt: skip


@pytest.mark.parametrize("imported", IMPORTS)
def test_what_a_module_of_the_package_makes_of_a_part_fails(imported: tuple[str, str, str], tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "planes", "self.kernel", imported)
    assert (found.site.path, found.proved) == ("package/gated.py", False)
    assert "`Gated` in package/gated.py" in found.tier
    (found,) = problems(tmp_path, "2 * planes", "self.kernel - 1", imported)
    assert (found.site.path, found.proved) == ("package/gated.py", False)


@pytest.mark.parametrize("imported", IMPORTS)
def test_what_fits_and_what_concerns_the_other_module_alone_is_not_told(
    imported: tuple[str, str, str], tmp_path: Path
) -> None:
    assert problems(tmp_path, "planes", "self.kernel - 1", imported) == []
