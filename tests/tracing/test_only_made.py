"""Models that a main part makes and does not call: they are traced as what nothing calls, and by other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

BASE = """import torch.nn as nn
class Base(nn.Module):
    def __init__(self, *parts):
        super().__init__()
        self.parts = nn.Sequential(*parts)
    def forward(self, x):
        return self.parts(x)
"""
INHERITED = """import torch.nn as nn
from base import Base
class Stem(Base):
    def __init__(self):
        super().__init__(nn.Conv2d(3, {}, 3), nn.Conv2d(32, 8, 1))
if __name__ == "__main__":
    stem = Stem()
    print(stem)
"""
OWN = """import torch.nn as nn
class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, {}, 3), nn.Conv2d(32, 8, 1)
    def forward(self, x):
        return self.b(self.a(x))
if __name__ == "__main__":
    print(Stem())
"""
PART = """import torch.nn as nn
class Part(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, kernel = config
        self.conv = nn.Conv2d(3, width, kernel{})
    def forward(self, x):
        return self.conv(x)
if __name__ == "__main__":
    print((3, 5))
"""
USER = """import torch
from package.part import Part
if __name__ == "__main__":
    print(Part((8, (3, 1)))(torch.randn(2, 3, 16, 16)))
"""


def errors(folder: Path, path: str) -> list[tuple[str, int]]:
    _, tree = read_source(folder / path, folder)
    problems = explore(folder, path, tree, Versions()).problems.values()
    return [(p.site.path, p.site.line) for p in problems if p.level == "error"]


@pytest.mark.parametrize("width", [31, 32])
@pytest.mark.parametrize("text", [INHERITED, OWN])
def test_a_model_that_is_made_and_not_called(tmp_path: Path, text: str, width: int) -> None:
    (tmp_path / "base.py").write_text(BASE)
    (tmp_path / "stem.py").write_text(text.format(width))
    assert bool(errors(tmp_path, "stem.py")) == (width != 32)


def test_a_main_part_that_calls_nothing_leaves_the_file_to_other_programs(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "user.py").write_text(USER)
    for added, found in ((" + 1", [("package/part.py", 6)]), ("", [])):
        (tmp_path / "package" / "part.py").write_text(PART.format(added))
        assert errors(tmp_path, "package/part.py") == found
