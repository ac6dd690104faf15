"""Arrays of a class that adds to NumPy's, numbers that are one object everywhere, and arrays of objects."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
import numpy as np
class Own(np.ndarray):
    pass
class Wrapped:
    def __array__(self, dtype=None, copy=None):
        return np.zeros(3)
    def __array_wrap__(self, array, context=None, return_scalar=False):
        return self
class Plain:
    pass
x = np.arange(6.0)
own = x.view(Own)
matrix = np.matrix([[1, 2], [3, 4]])
masked = np.ma.array([1.0, 2.0], mask=[0, 1])
texts = np.array(["a", "b"], dtype=object)
counts = np.array([-1])
"""


def proved(statements: str, condition: str, tmp_path: Path) -> bool:
    """Whether it is proved that the condition holds."""
    program = f"{HEAD}\n{dedent(statements)}\nif {condition}:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    shared = explore(tmp_path, "net.py", ast.parse(program), Versions())
    errors = [p for p in shared.problems.values() if p.level == "error" and p.proved]
    return any(not any(s.startswith("The path is taken") for s in p.sentences) for p in errors)


TRUE = [  # conditions that hold where the program is run
    "type(own[:3]) is Own",
    "isinstance(np.insert(own, 0, [0]), Own)",
    "isinstance(np.abs(Wrapped()), Wrapped)",
    "type(np.zeros_like(matrix)) is np.matrix",
    "np.bool_(0) is np.bool_(False)",
    "np.isclose(np.inf, -np.inf) is np.False_",
    "masked[1] is np.ma.masked",
    "np.dtype('<i4') != np.dtype('>i4')",
    "np.zeros(2, '>i4').dtype != np.int32",
    "np.sum(texts) == 'ab'",
    "texts[0] == 'a'",
    "isinstance(np.trim_zeros([0, 1, 0]), list)",
]
FALSE = [  # and the same of what is known: these are told
    "type(x[:3]) is Plain",
    "isinstance(np.abs(x), Plain)",
    "isinstance(x[:3], torch.nn.Module)",
    "x[:3] is None",
    "np.dtype('<i4') != np.dtype('int32')",
    "np.zeros(2, '<i4').dtype != np.int32",
    "x == 'a'",
]


@pytest.mark.parametrize("condition", TRUE)
def test_what_holds_is_not_denied(condition: str, tmp_path: Path) -> None:
    assert not proved("", f"not ({condition})", tmp_path)


@pytest.mark.parametrize("condition", FALSE)
def test_what_never_holds_is_denied(condition: str, tmp_path: Path) -> None:
    assert proved("", f"not ({condition})", tmp_path)


@pytest.mark.parametrize(("written", "known"), [("np.equal.at(counts, [0], [0])", False), ("pass", True)])
def test_functions_that_write_at_places(written: str, known: bool, tmp_path: Path) -> None:
    assert proved(written, "counts[0] == -1", tmp_path) is known
