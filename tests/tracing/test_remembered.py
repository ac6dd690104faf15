"""What is kept between the texts of a file gives what a trace from the start gives, after any edits."""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path
from typing import Any

import pytest
from torch.nn.modules import activation

from analyzer.tracing.checkers.type_checkers import Said, carried, digest
from analyzer.tracing.paths.remembered import Memory
from analyzer.tracing.tracing import trace_with_hints

CORPUS = Path(__file__).parent / "corpus"
LIBRARY = """\
import torch
from torch import nn
from helper import width


class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(width(), 8)
        self.b = nn.Linear(8, 4)

    def forward(self, x):
        y = self.a(torch.zeros(2, 3))
        return self.b(y)


class Second(nn.Module):
    def forward(self, x):
        z = torch.zeros(2, 3)
        return z.view(7)
"""


def seen(path: Path, text: str, memory: Memory | None) -> Any:
    result, hints = trace_with_hints(
        path, path.parent, target="net", text=text, types={digest(text): {}}, memory=memory
    )
    return result.findings, hints, result.notes


def edited(text: str, rng: random.Random) -> str:
    """A number of a function changed, a statement put in or taken out, or an empty line anywhere."""
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    while True:
        lines = text.split("\n")
        statement = rng.choice(rng.choice(functions).body)
        kind = rng.choice(("number", "insert", "delete", "empty"))
        numbers = [n for n in ast.walk(statement) if isinstance(n, ast.Constant) and type(n.value) is int]
        if kind == "number" and numbers:
            number = rng.choice(numbers)
            line = lines[number.lineno - 1]
            changed = str(number.value + rng.choice((1, 2)))  # type: ignore[operator]
            lines[number.lineno - 1] = line[: number.col_offset] + changed + line[number.end_col_offset :]
        elif kind == "insert":
            space = re.match(r"\s*", lines[statement.lineno - 1])
            lines.insert(statement.lineno - 1, f"{space[0] if space else ''}given = {rng.randrange(99)}  # (b, 3)")
        elif kind == "delete":
            del lines[statement.lineno - 1 : statement.end_lineno]
        else:
            lines.insert(rng.randrange(len(lines)), "")
        made = "\n".join(lines)
        try:
            ast.parse(made)
        except SyntaxError:
            continue
        return made


@pytest.mark.parametrize("name", ["torch-attention-heads", "keras-subclass-weight", "library"])
def test_after_any_edits_as_from_the_start(name: str, tmp_path: Path) -> None:
    text = Path(activation.__file__).read_text() if name == "library" else (CORPUS / name / "broken.py").read_text()
    rng, memory, path = random.Random(name), Memory(), tmp_path / "net.py"
    seen(path, text, memory)
    for _ in range(2 if name == "library" else 5):
        text = edited(text, rng)
        assert seen(path, text, memory) == seen(path, text, None)


def test_only_what_reaches_the_change_is_traced_again(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def width():\n    return 3\n")
    memory, path = Memory(), tmp_path / "net.py"
    (found,) = seen(path, LIBRARY, memory)[0]
    before = dict(memory.kept)
    moved = LIBRARY.replace("        y = self.a", "\n        y = self.a")
    (again,) = seen(path, moved, memory)[0]
    assert again.location.line == found.location.line + 1
    kept = [key for key, piece in memory.kept.items() if piece is before.get(key)]
    assert sorted(key.partition(":")[2] for key in kept if key != "script") == ["1000017"]  # `Second`
    broken = moved.replace("zeros(2, 3))", "zeros(2, 5))")
    assert len(seen(path, broken, memory)[0]) == 2


EXAMPLE = '''\
import torch
from torch import nn


class Net(nn.Module):
    """A layer.

    >>> net = Net(3)
    >>> net(torch.zeros(2, 4))
    """

    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 8)

    def forward(self, x):
        return self.layer(x)
'''


def test_an_example_of_a_docstring_is_followed_beside_edits(tmp_path: Path) -> None:
    memory, path = Memory(), tmp_path / "net.py"
    longer = EXAMPLE.replace("        return self", "        given = 3\n        return self")
    for text, count in (
        (EXAMPLE, 1),
        (longer, 1),
        ("\n" + longer, 1),
        (longer.replace("zeros(2, 4)", "zeros(2, 3)"), 0),
        (longer.replace("zeros(2, 4)", "zeros(3, 5)"), 1),
    ):
        path.write_text(text)
        found = seen(path, text, memory)
        assert found == seen(path, text, None)
        assert len(found[0]) == count


def test_another_file_that_changes_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def width():\n    return 3\n")
    memory, path = Memory(), tmp_path / "net.py"
    assert len(seen(path, LIBRARY, memory)[0]) == 1
    (tmp_path / "helper.py").write_text("def width():\n    return 55\n")
    assert len(seen(path, LIBRARY, memory)[0]) == 2


def test_what_checkers_said_stays_beside_an_edit() -> None:
    said: Said = {"mypy": [(1, 0, "a", "x"), (2, 0, "b", "x"), (3, 0, "c", "x")], "pyright": "is absent"}
    assert carried(said, "a\nb\nc\n", "a\nB\n\nc\n") == {
        "mypy": [(1, 0, "a", "x"), (4, 0, "c", "x")],
        "pyright": "is absent",
    }
