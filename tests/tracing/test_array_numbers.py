"""NumPy's whole numbers are none of Python's, and numbers drawn with a type that is not known lie in their range."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

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
