"""The element types of NumPy's arrays: what is told of one is never another than NumPy's."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import numpy as np
a = np.array([4, 5, 6])
f = np.array([1.0, 2.0, 3.0], dtype=np.float64)
b = np.array([True, False, True])
m = np.array([[1, 2, 3], [4, 5, 7], [1, 0, 2]])
u = np.array([1, 2, 3], dtype=np.uint8)
x = np.zeros((3,), dtype=np.float32)
"""
KNOWN = [
    ("a", "int64"), ("b", "bool"), ("m[0]", "int64"), ("a[1]", "int64"), ("np.array((1, True))", "int64"),
    ("a + f", "float64"), ("x * a", "float64"), ("u + a", "int64"), ("a * b", "int64"), ("x + x", "float32"),
    ("np.concatenate([x, x])", "float32"), ("np.concatenate([x, a], dtype=np.float32)", "float32"),
    ("np.where(b, x, a)", "float64"), ("np.where(b, x, 1.0)", "float32"), ("np.tensordot(x, a, 0)", "float64"),
    ("u.sum()", "uint64"), ("np.linalg.matrix_power(np.eye(3), 2)", "float64"),
]  # fmt: skip
OPEN = [
    "a / 2", "a // 2", "a * 2.0", "a ** 0.5", "u / 2", "u * 2.0", "m @ f", "a.mean()", "np.sqrt(a)", "np.mean(b)",
    "np.linalg.inv(m)", "np.linalg.det(m)", "np.linalg.solve(m, f)", "np.linalg.qr(m)[0]", "np.array([a, f])",
    "np.array([np.float32(1), np.float32(2)])", "x * np.int64(2)", "u + np.int64(2)",
    "np.array([1, 2.5])", "np.array([1, 2j])", "np.concatenate([x, a])", "np.stack([x, a])", "np.hstack([u, x, a])",
    "np.column_stack([x, f])", "np.append(x, a)", "np.kron(x, a)", "np.trace(m.astype(np.int32))", "np.cov(x)",
    "np.corrcoef(x)", "u.prod()", "u.sum(0)", "np.where(b, x, np.sqrt(2))", "x * np.sqrt(2)", "np.block([x, a])",
    "np.where(b, 1, 0)", "np.full((2,), 3)", "np.dot(m, f)",
]  # fmt: skip


def told(tmp_path: Path, expression: str) -> str | None:
    text = f"{HEAD}y = {expression}\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not shared.problems
    found = [tensors for (_, line, _), tensors in shared.assigned.items() if line == text.count("\n")]
    return found[0][0].dtype if found else None


@pytest.mark.parametrize(("expression", "kind"), KNOWN)
def test_a_type_that_is_known(expression: str, kind: str, tmp_path: Path) -> None:
    names: dict[str, np.ndarray] = {}
    exec(f"{HEAD}y = {expression}\n", names)
    assert told(tmp_path, expression) == kind == str(names["y"].dtype)


@pytest.mark.parametrize("expression", OPEN)
def test_no_other_type_is_told(expression: str, tmp_path: Path) -> None:
    names: dict[str, np.ndarray] = {}
    exec(f"{HEAD}y = {expression}\n", names)
    assert told(tmp_path, expression) in (None, str(names["y"].dtype))
