"""NumPy's whole numbers are none of Python's, and numbers drawn with a type that is not known lie in their range."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.language.builtins.kinds import is_a
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Native, Unknown, Value
from analyzer.tracing.samples.sampler import Sampler
from analyzer.tracing.tracing import explore

HEAD = "import numpy as np\nimport torch\nfrom somelib import kind\nrng = np.random.default_rng(0)\n"
NUMBERS = [
    "np.int64(3)", "np.int32(3)", "np.array([1, 2])[0]", "np.arange(3)[1]", "np.array([1, 2]).sum()", "len([1])",
    "int(np.int64(3))", "np.int64(3) + 1", "np.array([True, False])[0]", "np.array([1, 2]).max()",
]  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("kind", ["int", "(int, np.integer)", "bool", "(int, float)"])
def test_what_a_number_is_of(tmp_path: Path, number: str, kind: str) -> None:
    truth = eval(f"isinstance({number}, {kind})", {"np": np})
    text = f"{HEAD}n = {number}\nif isinstance(n, {kind}):\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    for source, line in ((text, 7), (text.replace("isinstance(n", "not isinstance(n"), 7)):
        problems = explore(tmp_path, "net.py", ast.parse(source), Versions()).problems.values()
        proved = [p.site.line for p in problems if p.level == "error" and p.proved]
        assert proved in ([], [line] if truth is ("not" not in source) else [])


@pytest.mark.parametrize("function", ["randint", "integers"])
@pytest.mark.parametrize("kind", [None, Unknown("a type"), Api("numpy.int64")])
def test_numbers_drawn_with_a_type_lie_in_their_range(function: str, kind: Value) -> None:
    sampler, named = Sampler(), {} if kind is None else {"dtype": kind}
    name = f"numpy.random.{function}"
    drawn = Tensor((40,), "int64", "numpy")
    assert sampler.call(name, (3, 6, 40), named, drawn) is drawn
    assert {*sampler.of(drawn).tolist()} == {3, 4, 5}
    number = sampler.call(name, (3, 6), named, Unknown("a number", "data", pytype="int"))
    assert sampler.scalar(number) in (3, 4, 5) if function == "integers" else number in (3, 4, 5)
    assert is_a(number, Native("int", lambda _: None)) is (function == "randint")  # as NumPy's generators give it


SCALARS = [*NUMBERS, "np.array(3)", "np.array(3) - 1", "np.array(3) - np.array(2)", "np.array(3) == 3",
           "np.ones((2, 2))[0]",           "-np.array(3)", "np.array([1., 2.])[1]", "np.zeros(())",
           "np.asarray(np.array([1, 2])[0])", "np.ones(2)",
           "np.array([1, 2])[..., 0]", "np.array(2).reshape(())", "np.add(np.array(3), 1)",
           "np.array(3).copy()"]  # fmt: skip
KINDS = ["np.ndarray", "Iterable", "Sized", "Collection", "Hashable", "Container"]


@pytest.mark.parametrize("number", SCALARS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("in_place", ["", "n += 1", "n = n.item()"])
def test_a_number_of_numpy_is_no_array(tmp_path: Path, number: str, kind: str, in_place: str) -> None:
    names = "Collection, Container, Hashable, Iterable, Sized"
    head = f"from collections.abc import {names}\n{HEAD}n = {number}\n{in_place or 'pass'}\n"
    head = head.replace("from somelib import kind\n", "")
    found: dict[str, object] = {}
    try:
        exec(f"{head}truth = isinstance(n, {kind})", found)
    except (AttributeError, ValueError, TypeError):
        return
    for told, question in ((found["truth"], ""), (not found["truth"], "not ")):
        text = f"{head}if {question}isinstance(n, {kind}):\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
        problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
        assert told or not [p for p in problems if p.proved]
        if number in ("np.array(3) - np.array(2)", "np.array([1, 2])[0]", "np.ones(2)") and not in_place:
            assert [p.proved for p in problems] == [True] * bool(told)


SUMS = ("np.cumsum((0, 3, 4))", "np.cumsum([3, 4])", "np.array([3, 4]).cumsum()", "torch.tensor([3, 4]).cumsum(0)",
        "np.cumprod([3, 2])", "torch.cumsum(torch.tensor([3, 4]), dim=0)", "np.array([True, True, True]).cumsum()",
        "np.cumsum(np.array([3, 4]), axis=0)")  # fmt: skip


@pytest.mark.parametrize("made", SUMS)
def test_running_sums_of_known_numbers(tmp_path: Path, made: str) -> None:
    size = int(eval(made, {"np": np, "torch": torch})[-1])
    for rows, told in ((size, []), (size + 1, [True])):
        text = f"{HEAD}torch.zeros(2, int({made}[-1])) @ torch.zeros({rows}, 5)\n"
        problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
        assert [p.proved for p in problems] == told


@pytest.mark.parametrize("rows", ["[1, 2, 3, 4]", "(1, 2, 3, 4)", "'abcd'"])
def test_a_slice_between_running_sums(tmp_path: Path, rows: str) -> None:
    for size, told in ((2, []), (3, [True])):
        text = f"{HEAD}ends = np.cumsum([1, 2])\nrows = {rows}[ends[0]:ends[1]]\n"
        text += f"torch.zeros(2, len(rows)) @ torch.zeros({size}, 5)\n"
        problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
        assert [p.proved for p in problems] == told


def test_sums_of_unknown_numbers_tell_nothing(tmp_path: Path) -> None:
    for made in ("np.cumsum(np.load('a'))", "np.cumsum([1, 2], dtype=kind)"):
        text = f"{HEAD}torch.zeros(2, int({made}[1])) @ torch.zeros(7, 5)\n"
        problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
        assert not any(p.proved for p in problems)
