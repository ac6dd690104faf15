"""Whole numbers that are known of a tensor are known of its lists, rows, sums and comparisons; each program runs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import numpy as np
import torch
t = torch.tensor([0, 3, 8])
m = torch.tensor([[1, 2], [3, 4]])
n = np.array([[1, 2], [3, 4]])
"""
SIZES = [
    "t.tolist()[1]", "m.tolist()[1][0]", "n.tolist()[1][1]", "torch.tensor(tuple(t.tolist()))[2].item()",
    "(t[1:] - t[:-1]).max().item()", "m[0][1].item()", "m[1, 0].item()", "m[:, 1].tolist()[1]", "m[-1].sum().item()",
    "(m + 1).tolist()[1][1]", "(m + torch.tensor([10, 20])).tolist()[1][0]",
    "(m * torch.tensor([[2], [3]])).tolist()[1][1]", "int((n * 2)[1, 1])", "(m - m[0])[1].sum().item()",
]  # fmt: skip
TRUTHS = [
    "torch.any(t[1:] <= t[:-1])", "(t >= 0).all()", "torch.all(t > 0)", "(m == m).all()", "((t > 2) & (t < 5)).any()",
    "(m > 3).any()", "torch.equal(t, t)", "((t > 2) ^ (t > 2)).any()",
]  # fmt: skip


@pytest.mark.parametrize("size", SIZES)
def test_a_size_that_is_computed(tmp_path: Path, size: str) -> None:
    scope: dict[str, object] = {}
    exec(f"{HEAD}found = {size}", scope)
    number = scope["found"]
    assert isinstance(number, int)
    for rows, wrong in ((number, False), (number + 1, True)):
        text = f"{HEAD}torch.zeros(2, {size}) @ torch.zeros({rows}, 3)\n"
        shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
        assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True] * wrong


@pytest.mark.parametrize("asked", TRUTHS)
def test_an_answer_of_the_elements(tmp_path: Path, asked: str) -> None:
    scope: dict[str, object] = {}
    exec(f"{HEAD}found = bool({asked})", scope)
    for said in (True, False):
        text = f"{HEAD}if bool({asked}) is {said}:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
        shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
        told = [p.proved for p in shared.problems.values() if p.level == "error"]
        assert True not in told or scope["found"] is said
        assert told == [True] * (scope["found"] is said) or asked == "torch.equal(t, t)"


@pytest.mark.parametrize(
    "changed", ["t = t / 2", "t[0] = 7", "t = torch.randint(9, (3,))", "t = t.to(torch.uint8) + 250", "t = t.float()"]
)
def test_what_is_not_known_stays_open(tmp_path: Path, changed: str) -> None:
    """A size that is not the one that was written, or no number of that kind any more."""
    text = f"{HEAD}{changed}\nfor size in t.tolist():\n    torch.zeros(2, 1 + abs(int(size))) @ torch.zeros(9, 3)\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error" and p.proved]


ADDRESSES = """
import torch
class Scene:
    def __init__(self, points):
        self.points = points
    @property
    def parts(self):
        return (self.points, )
scene = Scene(torch.ones(2))
known = tuple(map(id, scene.parts))
{changed}
if id(scene.points) {sign} known[0]:
    torch.zeros(2, 3) @ torch.zeros(4, 5)
"""


@pytest.mark.parametrize(
    ("changed", "sign", "told"),
    [("", "==", [True]), ("", "!=", []), ("scene.points = torch.zeros(2)", "==", [False])],
)
def test_the_address_of_one_tensor(tmp_path: Path, changed: str, sign: str, told: list[bool]) -> None:
    text = ADDRESSES.format(changed=changed, sign=sign)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == told


UNKNOWN = "import pickle\nimport numpy as np\nimport tensorflow as tf\nimport torch\nv = pickle.load(open('v', 'rb'))\n"


@pytest.mark.parametrize(
    ("reshaped", "wrong"),
    [
        ("torch.as_tensor(v).view(0, -1)", True),
        ("torch.as_tensor(v).view(0, 1)", False),
        ("np.asarray(v).reshape(-1, 0)", True),
        ("np.asarray(v).reshape(2, -2)", False),
        ("np.asarray(v).reshape(-1, -1)", True),
        ("tf.reshape(tf.convert_to_tensor(v), (0, -1))", True),
        ("tf.reshape(tf.convert_to_tensor(v), (0, 3))", False),
    ],
)
def test_a_size_to_infer_beside_none(tmp_path: Path, reshaped: str, wrong: bool) -> None:
    shared = explore(tmp_path, "net.py", ast.parse(f"{UNKNOWN}{reshaped}\n"), Versions())
    assert len([p for p in shared.problems.values() if p.level == "error"]) == wrong
