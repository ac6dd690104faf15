"""What an abstract mapping changes, and what libraries give under names and as texts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

TABLE = """
from collections.abc import {kind}
import numpy as np

class Table({kind}):
    def __init__(self, **given): self.held = dict(given)
    def __getitem__(self, key): return self.held[key]
    def __setitem__(self, key, value): self.held[key] = np.asarray(value)
    def __delitem__(self, key): del self.held[key]
    def __iter__(self): return iter(self.held)
    def __len__(self): return len(self.held)

def unread():
    return {{f"k{{i}}": np.ones(3) for i in range(int(input()))}}

table = Table(a=np.ones(2))
table["b"] = [1, 2, 3]
"""
CHANGED = (
    ("table.update(c=[[1]])\nx = table['c']", (1, 1)),
    ("table.update({'c': [1, 2]}, d=[3])\nx = np.concatenate(list(table.values()))", (8,)),
    ("table.update([('b', [1])])\nx = table['b']", (1,)),
    ("x = table.setdefault('b', [1])", (3,)),
    ("table.setdefault('c', [1])\nx = table['c']", (1,)),
    ("x = table.pop('a')", (2,)),
    ("table.pop('a')\nx = np.ones(len(table))", (1,)),
    ("x = table.pop('z', np.ones(7))", (7,)),
    ("x = table.popitem()[1]", (2,)),
    ("table.popitem()\nx = np.ones(sum(v.size for v in table.values()))", (3,)),
    ("table.clear()\nx = np.ones(len(table) + 4)", (4,)),
)


def errors(root: Path, text: str) -> list[int]:
    (root / "program.py").write_text(text)
    shared = explore(root, "program.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize(("change", "shape"), CHANGED)
def test_what_a_mapping_holds_after_a_change(tmp_path: Path, change: str, shape: tuple[int, ...]) -> None:
    text = TABLE.format(kind="MutableMapping") + change
    scope: dict[str, object] = {}
    exec(f"{text}\nassert x.shape == {shape}", scope)
    assert errors(tmp_path, f"{text}\nassert x.shape == {shape}\n") == []
    wrong = f"{text}\nassert x.shape == {(*shape, 9)}\n"
    assert errors(tmp_path, wrong) == [wrong.count("\n")]


def test_what_is_put_in_from_outside_is_not_known(tmp_path: Path) -> None:
    text = TABLE.format(kind="MutableMapping") + "table.update(unread())\nassert len(table) == 9 and np.ones(1).shape\n"
    assert errors(tmp_path, text) == []


@pytest.mark.parametrize(("size", "lines"), [(2, []), (3, [3])])
def test_the_largest_elements_have_names(tmp_path: Path, size: int, lines: list[int]) -> None:
    text = "from keras import ops\nlargest = ops.top_k(ops.ones((4, 6)), 2)\n"
    text += f"assert largest.indices.shape == (4, {size}) and largest.values.shape == (4, 2)\n"
    assert errors(tmp_path, text) == lines


@pytest.mark.parametrize(("shape", "lines"), [("()", []), ("(1,)", [8])])
def test_a_session_gives_texts_as_bytes(tmp_path: Path, shape: str, lines: list[int]) -> None:
    text = "import numpy as np\nimport tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\nloss = tf.constant(1.0)\n"
    text += "tf.summary.scalar('loss', loss)\nwith tf.Session() as session:\n"
    text += "    a, b = session.run([loss, tf.summary.merge_all()])\n"
    assert errors(tmp_path, f"{text}    assert np.shape(a) == {shape} and isinstance(b, bytes)\n") == lines
