"""Types that are compared, and members of enumerations that are texts or numbers too."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
from enum import Enum
import torch
class Text(str, Enum):
    A = "x"
    B = "y"
class Plain(Enum):
    A = "x"
    B = "y"
class Own:
    pass
"""
TRUE = [
    "type('a') == str", "type(3) != str", "type(True) != int", "type(3) == int", "not type(2.0) == int",
    "type('a') != Own", "type(Own()) == Own", "type(Own()) != str", "type('a') in (int, str)",
    "type(3) not in (float, str)", "Text.B in ('y',)", "Text.A in ['x', 'z']", "'x' in (Text.A, Text.B)",
    "Text.A not in ('q',)", "Text.A in {'x': 1}", "Plain.B not in ('y',)", "Plain.A in (Plain.A, Plain.B)",
    "'a'.__class__.__name__ == 'str'", "None.__class__.__name__ != 'str'",
    "torch.nn.Linear(2, 3).__class__.__name__ == 'Linear'",
    "type(torch.nn.ReLU()).__name__ == 'ReLU'", "torch.nn.Conv2d(1, 2, 3).__class__.__name__.find('Conv') != -1",
    "type(torch.zeros(2)).__name__ == 'Tensor'",
    "Plain('x') in [Plain.A]", "Plain['B'] is Plain.B", "[e.value for e in Plain] == ['x', 'y']", "Text('y') == 'y'",
]  # fmt: skip


@pytest.mark.parametrize("test", TRUE)
def test_what_holds_is_no_failure(tmp_path: Path, test: str) -> None:
    scope: dict[str, object] = {}
    exec(HEAD, scope)
    assert eval(test, scope)
    text = f"{HEAD}assert {test}\nif not ({test}):\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    found = [p for p in problems if p.level == "error"]
    assert not [p for p in found if p.proved]
    assert not found or test.startswith(("Text", "'x'", "type(torch.zeros"))
    assert not [p for p in found if "AssertionError" in p.message]


PACKED = """
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence
class Own(nn.Module):
    pass
plain = nn.Embedding(9, 4)(torch.zeros(2, 3).long())
packed = pack_padded_sequence(plain, [3, 2], batch_first=True)
further, _ = nn.LSTM(4, 6, batch_first=True)(packed)
filled, _ = pad_packed_sequence(further, batch_first=True)
moved = packed.to("cpu")
weight = nn.Parameter(torch.zeros(2))
"""
OF_TENSORS = [
    "type(plain) is not PackedSequence", "type(plain) != PackedSequence", "not isinstance(plain, PackedSequence)",
    "isinstance(packed, PackedSequence)", "isinstance(further, PackedSequence)", "not isinstance(packed, torch.Tensor)",
    "not isinstance(filled, PackedSequence)", "type(further.data) is not PackedSequence",
    "type(packed) is PackedSequence", "isinstance(moved, PackedSequence)", "type(plain) is not Own",
    "type(plain) is not nn.Linear", "type(weight) is nn.Parameter", "isinstance(plain, torch.Tensor)",
    "isinstance(filled, torch.Tensor)", "not type(plain) == Own",
]  # fmt: skip
NOT_TOLD = ("isinstance(moved", "type(weight)")


@pytest.mark.parametrize("test", OF_TENSORS)
def test_tensors_and_packed_sequences_are_told_apart(tmp_path: Path, test: str) -> None:
    scope: dict[str, object] = {}
    exec(PACKED, scope)
    assert eval(test, scope)
    for branch, reached in ((f"if not ({test}):", False), (f"if {test}:", True)):
        text = f"{PACKED}{branch}\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
        problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
        found = [p.proved for p in problems if p.level == "error"]
        assert True not in found if not reached or test.startswith(NOT_TOLD) else found == [True]


def test_what_a_deep_network_gives_is_a_tensor(tmp_path: Path) -> None:
    """However many steps it was computed in: a test of its class is no question that is left open."""
    text = "import torch\nx = torch.zeros(2, 3)\n" + "x = torch.relu(x + torch.ones(3))\n" * 150
    for test in ("isinstance(x, torch.Tensor)", "not isinstance(x, tuple)"):
        (tmp_path / "net.py").write_text(text)
        told = f"{text}if {test}:\n    x @ torch.zeros(4, 5)\n"
        problems = explore(tmp_path, "net.py", ast.parse(told), Versions()).problems.values()
        assert [p.proved for p in problems if p.level == "error"] == [True]
