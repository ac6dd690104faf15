"""What `more_itertools` gives, as its documentation says it, told by sizes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

SIZES = """
    mi.last(i for i in range(4))                      | 3
    mi.first([], 3)                                   | 3
    mi.first((5, 6))                                  | 5
    mi.one([4])                                       | 4
    mi.only([], 7)                                    | 7
    mi.nth(range(8), 5)                               | 5
    mi.ilen(i for i in range(8))                      | 8
    len(list(mi.windowed([1, 2, 3, 4], 3)))           | 2
    len(next(mi.batched(range(7), 3)))                | 3
    len(list(mi.batched(range(7), 3))[-1])            | 1
    len(list(mi.pairwise(range(7))))                  | 6
    len(list(mi.triplewise(range(7))))                | 5
    len(list(mi.divide(3, range(7))[0]))              | 3
    list(mi.distribute(3, range(7))[2])[1]            | 5
    len(list(mi.unique_everseen([1, 2, 1])))          | 2
    len(list(mi.collapse([1, (2, [3])])))             | 3
    list(mi.interleave_longest([1, 2, 3], [4]))[3]    | 3
    len(list(mi.interleave([1, 2, 3], [4])))          | 2
    len(mi.take(3, range(8)))                         | 3
    len(list(mi.zip_equal([1, 2], [3, 4])))           | 2
    len(list(mi.always_iterable("text")))             | 1
    5 if mi.all_equal([1, 1]) else 9                  | 5
    5 if mi.all_unique([1, 1]) else 9                 | 9
""".strip().splitlines()


def certain(folder: Path, body: str) -> list[bool]:
    text = f"import torch\nimport more_itertools as mi\n{body}\n"
    problems = explore(folder, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.certain for p in problems if p.level == "error"]


@pytest.mark.parametrize("line", SIZES)
def test_a_size_is_known(tmp_path: Path, line: str) -> None:
    size, told = (part.strip() for part in line.split("|"))
    assert certain(tmp_path, f"torch.zeros(2, {size}) @ torch.zeros({told}, 2)") == []
    assert certain(tmp_path, f"torch.zeros(2, {size}) @ torch.zeros({told} + 1, 2)") == [True]


@pytest.mark.parametrize("call", ["mi.one([1, 2])", "mi.first([])", "list(mi.zip_equal([1], [2, 3]))"])
def test_what_it_refuses_ends_the_block(tmp_path: Path, call: str) -> None:
    body = f"try:\n    {call}\n    n = 3\nexcept ValueError:\n    n = 4\ntorch.zeros(2, n) @ torch.zeros(4, 2)"
    assert certain(tmp_path, body) == []


TESTS = """
import pytest
import torch


def product(n):
    return torch.zeros(2, n) @ torch.zeros(4, 2)


with pytest.raises(RuntimeError) as told:
    product(3)
pytest.raises(RuntimeError, product, 5)
assert 3.0 == pytest.approx(float(product(4).sum()))
"""


def test_what_a_test_expects_to_be_refused_is_no_error(tmp_path: Path) -> None:
    assert certain(tmp_path, TESTS) == []
    assert certain(tmp_path, TESTS + "product(6)\n") == [True]
