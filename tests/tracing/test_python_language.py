"""Python's semantics, held against Python: each program computes a size `n`, as it runs and as it is traced."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

TEXT = (Path(__file__).parent / "python_language.txt").read_text(encoding="utf-8")
PROGRAMS = {p.partition("\n")[0]: p.partition("\n")[2] for p in TEXT.removeprefix("### ").split("\n### ")}

# The size is unknown to the tracer there, which claims nothing.
NOT_FOLLOWED = frozenset(
    ("single dispatch", "pi", "replaced fields that no constructor takes",
     "while True that is left by a break has no else",
     "deep recursion", "generator send", "dict subclass", "list subclass", "metaclass",
     "long loop", "rare round", "rare append", "dictionary that no followed round fills",
     "list that no followed round fills", "path", "locals",
     "version of Python that may be any", "groups of what is not known",
     "append to one of some lists", "append to one list of a list", "append to a list of one of some lists",
     "item of one of some dictionaries", "unknown key of a dictionary with defaults",
     "unknown key that is set by default", "unknown key that is taken out", "unknown place of a list that is set",
     "one append in each of many rounds but some", "one append in each of many rounds and one that is taken back")
)  # fmt: skip

HEAD = "import torch\nfrom torch import nn\n"


def truth(program: str) -> int:
    scope: dict[str, object] = {"__name__": "__main__"}
    exec(compile(HEAD + program, "program", "exec"), scope)
    value = scope["n"]
    assert isinstance(value, int)
    assert value > 2
    return value


def errors(tmp_path: Path, program: str, size: int) -> list[str]:
    text = f"{HEAD}{textwrap.dedent(program)}\nnn.Linear({size}, 2)(torch.zeros(3, n))\n"
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    shared = explore(tmp_path, "program.py", tree, Versions())
    return [p.message for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_size_is_what_python_computes(name: str, tmp_path: Path) -> None:
    size = truth(PROGRAMS[name])
    assert errors(tmp_path, PROGRAMS[name], size) == []
    if name not in NOT_FOLLOWED:
        assert errors(tmp_path, PROGRAMS[name], size + 1), f"{size + 1} for {size} is not told"
