"""scipy.sparse: what is told of its matrices is what a run gives, and a twin that does not fit."""

from __future__ import annotations

import ast
import functools
import math
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

pytest.importorskip("scipy")

HEAD = """import numpy as np
import scipy.sparse as sp
x = np.ones((4, 6))
s = sp.csr_matrix(x)
values, places = np.ones(3), np.array([0, 1, 2])
"""
CASES = [
    "s.toarray()",
    "np.asarray(s.todense())",
    "s @ np.ones((6, 3))",
    "s * np.ones((6, 3))",
    "s.dot(np.ones((6, 3)))",
    "s.dot(np.ones(6))",
    "s @ np.ones(6)",
    "sp.csr_array(x) @ np.ones(6)",
    "np.ones((3, 4)) @ s",
    "sp.coo_matrix((values, (places, places)), shape=(4, 5)).toarray()",
    "sp.csr_matrix((values, (places, places)), (4, 5)).toarray()",
    "sp.coo_matrix(x).tocsr().toarray()",
    "sp.csr_matrix((4, 5)).toarray()",
    "sp.lil_matrix((4, 5), dtype=np.float32).toarray()",
    "sp.eye(5).toarray()",
    "sp.eye(5, 6).tocsr().toarray()",
    "sp.identity(5).toarray()",
    "s[:2].toarray()",
    "s[1].toarray()",
    "s[:, 1].toarray()",
    "s[1:, ::2].toarray()",
    "s[places].toarray()",
    "s[np.array([True, False, True, True])].toarray()",
    "sp.lil_matrix((4, 5))[1, 2:].toarray()",
    "s[:, [0, 3]].toarray()",
    "sp.diags(np.ones(5)).toarray()",
    "sp.diags(np.ones(4), 1).toarray()",
    "sp.diags([1.0, 2.0], [0, 1], shape=(4, 4)).toarray()",
    "(sp.eye(4) @ s).toarray()",
    "(sp.eye(4) * s).toarray()",
    "sp.eye(4).dot(s).dot(sp.eye(6)).toarray()",
    "(s * 2.0).toarray()",
    "s.T.toarray()",
    "s.transpose().tocoo().toarray()",
    "(s + s).toarray()",
    "np.asarray(s - x)",
    "sp.vstack([s, s]).toarray()",
    "sp.hstack([s, s.tocoo()]).toarray()",
    "np.asarray(s.sum(axis=1))",
    "np.asarray(s.sum(1)).flatten()",
    "np.asarray(s.sum(axis=0))",
    "sp.csr_array(x).sum(axis=1)",
    "s.astype(np.float32).toarray()",
    "sp.random(4, 5, density=0.5).toarray()",
    "sp.block_diag([s, sp.eye(2)]).toarray()",
    "sp.kron(s, sp.eye(2)).toarray()",
    "s.getrow(1).toarray()",
    "sp.tril(s).toarray()",
    "np.zeros(s.shape)",
]
WRONG = [
    "s @ np.ones((4, 3))",
    "s.dot(np.ones(5))",
    "sp.eye(5) @ s",
    "np.ones((3, 5)) @ s",
    "s * np.ones((4, 6))",
    "sp.vstack([s, sp.eye(4)])",
    "sp.hstack([s, sp.eye(5)])",
]
RIGHT = [  # what NumPy's arrays would refuse or make otherwise, and what is not known
    "sp.csr_matrix((values, (places, places))).toarray() @ np.ones((3, 2))",
    "sp.csr_array(x) * np.ones((4, 6))",
    "s.multiply(np.ones((4, 6))).toarray() + x",
    "s.multiply(np.ones((4, 1))).toarray() + x",
    "np.zeros(s.data.shape) + s.data",
    "s[0].toarray() + np.ones((1, 6))",
    "s[:, 0].toarray() + np.ones((4, 1))",
    "(s / s.sum(1)).shape",
    "s.power(2).sum() + np.ones(3)",
    "x[s.tocoo().row, s.tocoo().col]",
    "np.ones(1 if isinstance(s, sp.csr_matrix) else 0).reshape(1)",
    "np.ones(1 if sp.issparse(s) else 0).reshape(1)",
    "np.ones(1 if hasattr(s, 'toarray') else 0).reshape(1)",
    "np.ones(0 if hasattr(s, 'numpy') else 1).reshape(1)",
    "np.ones(0 if isinstance(s, np.ndarray) else 1).reshape(1)",
]


def problems(tmp_path: Path, text: str) -> list[object]:
    found = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    return [p for p in found if p.level != "note"]


@functools.cache
def value_of(expression: str) -> object:
    names: dict[str, object] = {}
    exec(HEAD, names)
    return eval(expression, names)


@pytest.mark.parametrize("expression", CASES)
def test_the_result_has_the_shape_that_a_run_gives(expression: str, tmp_path: Path) -> None:
    shape = tuple(getattr(value_of(expression), "shape", ()))
    size = math.prod(shape)
    text = f"{HEAD}made = {expression}\n"
    assert not problems(tmp_path, f"{text}np.reshape(made, ({size},)) + np.zeros(({size},))\n")
    assert problems(tmp_path, f"{text}np.reshape(made, ({size + 1},))\n")
    assert problems(tmp_path, f"{text}made + np.zeros({tuple(size + 2 for size in shape)})\n")


@pytest.mark.parametrize("expression", WRONG)
def test_what_a_run_refuses_is_told(expression: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        value_of(expression)
    assert problems(tmp_path, f"{HEAD}{expression}\n")


@pytest.mark.parametrize("expression", RIGHT)
def test_what_a_run_accepts_is_not_told(expression: str, tmp_path: Path) -> None:
    value_of(expression)
    assert not problems(tmp_path, f"{HEAD}{expression}\n")
