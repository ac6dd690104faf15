"""`six`: what code for both Pythons takes from it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import abc
import six
from six.moves import map, range, reduce, xrange, zip
import torch
@six.add_metaclass(abc.ABCMeta)
class Own(object):
    width = 3
sizes = {"a": 1, "b": 2}
torch.ones(VALUE) + torch.ones(3 + MORE)
"""


@pytest.mark.parametrize(
    "value",
    [
        "sum(xrange(3))", "len([a for a, b in zip(range(3), range(4))])", "sum(map(int, range(3)))",
        "sum(v for _, v in six.iteritems(sizes))", "sum(six.itervalues(sizes))", "len(list(six.iterkeys(sizes))) + 1",
        "reduce(lambda a, b: a + b, [1, 2])", "Own.width", "Own().width",
    ],
)  # fmt: skip
@pytest.mark.parametrize("more", [0, 1])
def test_names_of_six_are_those_of_python(tmp_path: Path, value: str, more: int) -> None:
    text = PROGRAM.replace("VALUE", value).replace("MORE", str(2 * more))
    told = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.proved for p in told if p.level == "error"] == [True] * more
