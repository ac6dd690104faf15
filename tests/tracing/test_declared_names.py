"""Names of libraries that tracing declares: each has one rule, and PyTorch has those that stand under `torch`."""

from __future__ import annotations

import importlib
from collections import Counter

import pytest
import torch

from analyzer.operators.declaration import WIDEST
from analyzer.tracing.operators.table import declared, names_with, rules


def test_a_name_has_one_rule() -> None:
    assert [name for name, count in Counter(name for name, _ in declared()).items() if count > 1] == []


@pytest.mark.parametrize("home", ["torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special"])
def test_pytorch_has_the_functions(home: str) -> None:
    module = importlib.import_module(home)
    names = [name.rpartition(".")[2] for name in rules() if name.rpartition(".")[0] == home]
    assert [name for name in names if not hasattr(module, name)] == []


def test_a_method_has_one_name() -> None:
    """`Tensor.add` is of every framework, `torch.Tensor.add` of one: two of the same rule say it twice."""
    table = rules()
    twice = [n for n in table if n.startswith("torch.Tensor.") and table.get(n.removeprefix("torch.")) == table[n]]
    assert twice == []
    assert [n for n in table if n.startswith("torch.Tensor.") and not hasattr(torch.Tensor, n[13:])] == []


def test_the_widest_type_is_a_trait_of_what_joins() -> None:
    """A name says it by its declaration, here or in `analyzer.operators`, whichever library it is called in."""
    joining = names_with(WIDEST)
    assert {"cat", "stack", "concatenate", "vstack", "maximum", "fmin", "kron", "append", "block"} <= joining
    assert not {"add", "where", "matmul", "floor_divide", "split"} & joining
