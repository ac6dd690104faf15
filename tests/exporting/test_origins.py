"""A model that raises at one line because of another: the lines that its values come from are known."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from action.diff import Changes
from action.placing import caused_by
from analyzer.configuration.config import Config, TargetConfig
from analyzer.exporting.origins import MOST, origins_of
from analyzer.findings import Location
from analyzer.running.local import review
from analyzer.walls.process import ProcessSandbox
from tests.exporting.conftest import Project

NET = """
import torch
from torch import nn

HIDDEN = 8
SIZES = {
    "in": 8,
    "out": 4,
}
OTHER = 3


class Net(nn.Module):
    def __init__(self, width, depth=OTHER):
        super().__init__()
        self.first = nn.Linear(SIZES["in"], 8)
        self.second = nn.Linear(
            width,
            SIZES["out"],
        )
        self.unused = depth

    def forward(self, x):
        h = self.first(x)
        return self.second(h)


def build():
    return Net(HIDDEN), (torch.rand(2, 8),)
"""


def written(root: Path, text: str) -> Path:
    root.mkdir(exist_ok=True)
    (root / "m.py").write_text(text.lstrip("\n"))
    return root


def lines_of(root: Path, text: str, at: str) -> list[str]:
    """The texts of the lines behind the line `at`."""
    lines = text.lstrip("\n").splitlines()
    found = origins_of(Location("m.py", next(n for n, line in enumerate(lines, 1) if at in line)), written(root, text))
    assert {path for path, _ in found} <= {"m.py"}
    return [lines[number - 1].strip() for _, number in found]


def test_a_constant_at_the_top_is_behind_a_line_that_raises(tmp_path: Path) -> None:
    """On the real torch: only the constant is changed, and the problem is told there."""
    sides = {side: Project(tmp_path / side) for side in ("base", "head")}
    sides["base"].write("m.py", NET)
    sides["head"].write("m.py", NET.replace("HIDDEN = 8", "HIDDEN = 64"))
    report = review(
        sides["head"].root, sides["base"].root, Config(only=("validity",)), [TargetConfig("net", entry="m.py:build")],
        output=tmp_path / "out", base_name="b", sandbox=ProcessSandbox(),
    )  # fmt: skip
    (finding,) = report.blocking
    assert finding.rule == "validity/model-raises"
    assert finding.location is not None
    assert finding.location.line == sides["head"].line_of("m.py", "self.second(h)")
    changed = sides["head"].line_of("m.py", "HIDDEN = 64")
    changes = Changes(frozenset({"m.py"}), {"m.py": (range(1, 8),)}, {"m.py": {changed}})
    assert caused_by(finding, changes) == Location("m.py", changed)


def test_nearest_first_and_what_has_no_part_is_left_out(tmp_path: Path) -> None:
    found = lines_of(tmp_path / "r", NET, "return self.second(h)")
    assert found.index("h = self.first(x)") < found.index("HIDDEN = 8")
    assert {
        "self.second = nn.Linear(",
        "width,",
        'SIZES["out"],',
        '"out": 4,',
        "return Net(HIDDEN), (torch.rand(2, 8),)",
    } <= {*found}
    assert not {"OTHER = 3", "self.unused = depth", "return self.second(h)"} & {*found}


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("A = 1\ndef f(n=A):\n    return g(n)\n", "g(n)", {"def f(n=A):", "A = 1"}),
        ("A = 1\ndef f(*, n):\n    return g(n)\nf(n=A)\n", "g(n)", {"f(n=A)", "A = 1"}),
        ("A = 1\nB = A + 1\nx = g(B)\n", "g(B)", {"A = 1", "B = A + 1"}),
        ("A = 1\ndef f():\n    A = 2\n    return g(A)\n", "g(A)", {"A = 2"}),
        ("def f():\n    a = 1\n    b = g(a)\n    a = 2\n", "g(a)", {"a = 1"}),
        ("A = B = 1\nA = B\nB = A\nx = g(A)\n", "g(A)", {"A = B = 1", "A = B", "B = A"}),
        ("class C:\n    n = 3\n    m = g(n)\n", "g(n)", {"n = 3"}),
        ("N = 2\nfor i in range(N):\n    g(i)\n", "g(i)", {"for i in range(N):", "N = 2"}),
        ("N = 2\nif N:\n    g(1)\n", "g(1)", set()),
        ("def f(*rest):\n    return g(rest)\nf(*[1])\n", "g(rest)", set()),
        ("lonely()\n", "lonely", set()),
    ],
)
def test_where_values_come_from(tmp_path: Path, text: str, at: str, expected: set[str]) -> None:
    assert set(lines_of(tmp_path / "r", text, at)) == expected


def test_what_is_no_source_of_the_tree_has_none(tmp_path: Path) -> None:
    root = written(tmp_path / "r", "A = 1\ng(A)\n")
    assert origins_of(Location("m.py", 2), root) == (("m.py", 1),)
    (tmp_path / "outside.py").write_text("A = 1\ng(A)\n")
    os.symlink(tmp_path / "outside.py", root / "link.py")
    (root / "broken.py").write_text("def f(:\n")
    (root / "deep.py").write_text("x = " + "(" * 5000 + "1" + ")" * 5000)
    (root / "bytes.py").write_bytes(b"\0\xff")
    for name in ("../outside.py", "link.py", "broken.py", "deep.py", "bytes.py", "none.py"):
        assert origins_of(Location(name, 2), root) == ()
    assert origins_of(Location("m.py", 99), root) == ()


def test_many_lines_are_bounded(tmp_path: Path) -> None:
    chain = "".join(f"a{n + 1} = a{n}\n" for n in range(500))
    root = written(tmp_path / "r", f"a0 = 1\n{chain}g(a500)\n")
    assert [line for _, line in origins_of(Location("m.py", 502), root)] == [*range(501, 501 - MOST, -1)]
