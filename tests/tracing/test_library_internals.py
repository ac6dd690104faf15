"""What is inside large libraries: packages that they do without, templates, overloads, names through many modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.imports import libraries, library_index
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.tracing import explore, read_source

FILES = {
    "__init__.py": """
from typing import TYPE_CHECKING
from .zoo import *
if TYPE_CHECKING:
    try:
        if not present():
            raise ImportError
    except ImportError:
        from .placeholders import *
    else:
        from .models import Net, Private, Overloaded, Optional
""",
    "placeholders.py": "class Net:\n    pass\n",
    "zoo/__init__.py": "from .first import *\n",
    "zoo/first.py": "from .second import *\n",
    "zoo/second.py": "import torch.nn as nn\ndef twice_defined():\n    return nn.Linear(8, 6)\n",
    "plain.py": "def alone():\n    return 1\n",
    "elsewhere.py": "def twice_defined():\n    return None\n",
    "models.py": """
import importlib.util
import torch
import torch.nn as nn
import warnings
try:
    import package_that_is_nowhere
    WIDTH = 3
except ImportError:
    WIDTH = 6
FOUND = importlib.util.find_spec("package_that_is_nowhere") is not None

def register(init):
    def inner(self, *args, **kwargs):
        if not hasattr(self, "_kept"):
            self._kept = dict(kwargs)
        init(self, *args, **kwargs)
    return inner

class Asking(nn.Module):
    def __getattr__(self, name):
        if "_kept" in self.__dict__ and name in self.__dict__["_kept"]:
            return self.__dict__["_kept"][name]
        return super().__getattr__(name)

class Net(Asking):
    @register
    def __init__(self, width=4):
        super().__init__()
        self.last = nn.Linear(8, width)
    def forward(self, x):
        return self.last(x)[:, : self.width]

class Private(nn.Module):
    def __init__(self):
        super().__init__()
        self.__width = 6
        self.last = nn.Linear(8, self._Private__width)
    def forward(self, x):
        if hasattr(self, "__width"):
            return x
        return self.last(x)

@torch.jit._overload
def widened(x):
    pass

def widened(x):
    return nn.functional.pad(x, (0, 6 - x.shape[-1]))

def flag(function):
    torch.jit.ignore(function)
    return function

class Overloaded(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        if torch.jit.is_scripting():
            return x
        return widened(x[:, :2])

class Optional(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(8, 6 if not FOUND and WIDTH == 6 else 2)
    def forward(self, x):
        kind = unknown_kind(x)
        if kind == "narrow":
            x = x[:, :1]
        return self.last(x)

def unknown_kind(x):
    return warnings.describe(x)

def pooled(x):
    if x.dim() == 1:
        return x.sum()
    return x.sum(0)

def by_name(name):
    import biglib.plain as kinds
    found = [kind for kind in vars(kinds).values() if isinstance(kind, type)]
    return Private() if not found else nn.Linear(8, 2)

class Heads(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        size = width // heads
        if size * heads != width:
            raise ValueError(f"{width} is no multiple of {heads}")
        self.last = nn.Linear(8, width)
    def forward(self, x):
        return self.last(x)
""",
}

PROGRAM = """
import torch
from torch import nn
import biglib
y = biglib.{}(torch.zeros(2, 8))
print(nn.Linear({}, 3)(y))
"""


@pytest.fixture
def traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    folder = tmp_path / "installed" / "biglib"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for number in range(libraries.MOST_FILES):
        (folder / f"other_{number}.py").write_text("import torch\n")
    monkeypatch.syspath_prepend(str(folder.parent))
    cached = (libraries._library, libraries._is_small, libraries.is_installed, library_index.index_of)
    for function in cached:
        function.cache_clear()

    def run(source: str) -> Shared:
        root = tmp_path / "repository"
        root.mkdir(exist_ok=True)
        (root / "net.py").write_text(source)
        _, tree = read_source(root / "net.py", root)
        return explore(root, "net.py", tree, Versions())

    yield run
    for function in cached:
        function.cache_clear()


def lines(shared: Shared) -> list[int]:
    return [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize(
    "made",
    [
        "Net(width=6)",
        "Private()",
        "Overloaded()",
        "Optional()",
        "models.Heads(6, 3)",
        "twice_defined()",
        "models.by_name('a')",
    ],
)
def test_what_a_library_gives_is_known(traced, made: str) -> None:  # type: ignore[no-untyped-def]
    assert lines(traced(PROGRAM.format(made, 5))) == [6]
    assert lines(traced(PROGRAM.format(made, 6))) == []


def test_a_library_refuses_sizes(traced) -> None:  # type: ignore[no-untyped-def]
    shared = traced(PROGRAM.format("models.Heads(6, 4)", 6))
    assert lines(shared) == [5]
    assert "6 is no multiple of 4" in next(iter(shared.problems.values())).message


def test_a_rank_that_nobody_knows_tells_nothing_behind_it(traced) -> None:  # type: ignore[no-untyped-def]
    source = """
import torch
from biglib.models import pooled
x = torch.load("x.pt")
print(pooled(x * torch.ones(1)) @ torch.zeros(3, 2))
"""
    assert lines(traced(source)) == []


def test_names_of_another_library_are_not_those_of_the_own(traced, tmp_path):  # type: ignore[no-untyped-def]
    """A module that takes over all names of another library has its `Holder`, whatever the own library defines."""
    installed = tmp_path / "installed"
    (installed / "biglib" / "shared").mkdir(parents=True, exist_ok=True)
    (installed / "biglib" / "shared" / "__init__.py").write_text("from smalllib import *\n")
    (installed / "biglib" / "holder.py").write_text("class Holder:\n    def __init__(self):\n        pass\n")
    (installed / "smalllib").mkdir()
    (installed / "smalllib" / "__init__.py").write_text("from smalllib._core import Holder\n\n__all__ = ['Holder']\n")
    (installed / "smalllib" / "_core.py").write_text(
        "class Holder:\n    def __init__(self, value, *, kind=None):\n        pass\n"
    )
    assert lines(traced("from biglib import shared\n\nshared.Holder(3, kind=1)\n")) == []
    assert lines(traced("from biglib.holder import Holder\n\nHolder(3)\n")) == [3]
