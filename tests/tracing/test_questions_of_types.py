"""Questions that programs ask of element types, answered as PyTorch, NumPy and TensorFlow answer them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """from pathlib import Path
import numpy as np
import tensorflow as tf
import torch
a = np.zeros((2, 3), dtype="float32")
x = torch.zeros(2, 3)
y = tf.zeros((2, 3))
"""
QUESTIONS = [
    "y.dtype == 'float32'", "y.dtype in ('float32', 'float64')", "y.dtype in ('int32', 'int64')", "y.dtype != 'int32'",
    "tf.as_dtype('float32') == y.dtype", "tf.dtypes.as_dtype(y.dtype) == tf.float32", "y.dtype == np.float32",
    "tf.as_dtype('int64').is_floating", "y.dtype == np.int32", "x.dtype == np.float32",
    "y.dtype.name == 'float32'", "y.dtype.as_numpy_dtype == np.float32", "y.dtype.base_dtype == tf.float32",
    "y.dtype.size == 4", "y.shape.is_fully_defined()", "tf.is_tensor(y)", "tf.is_tensor(a)", "tf.is_tensor([1])",
    "tf.compat.dimension_value(y.shape[1]) == 3", "tf.get_static_value(tf.constant(3)) == 3",
    "a.dtype == 'int64'", "a.dtype.name == 'float32'", "a.itemsize == 4", "a.nbytes == 24", "a.dtype.itemsize == 8",
    "np.issubdtype(a.dtype, np.floating)", "np.issubdtype(a.dtype, np.integer)", "np.isscalar(3)", "np.isscalar(a)",
    "np.finfo(a.dtype).eps > 1e-8", "np.iinfo(np.uint8).max == 255", "torch.finfo(x.dtype).bits == 32",
    "torch.finfo(torch.float16).max > 65504", "torch.iinfo(torch.int64).max > 2 ** 62", "x.element_size() == 4",
    "x.dtype == 'float32'", "x.dtype.itemsize == 4", "x.dtype in ('float32', torch.float32)",
    "isinstance(torch.device('cpu'), str)", "isinstance(Path('a'), (str, tuple))",
    "isinstance(x.device, (int, str))", "torch.nan > 0",
]  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer(question: str, tmp_path: Path) -> None:
    names: dict[str, bool] = {}
    exec(f"{HEAD}answer = bool({question})\n", names)
    text = f"{HEAD}if {question}:\n    x @ x\nelse:\n    y @ y\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.site.line, p.proved) for p in problems] == [(9 if names["answer"] else 11, True)]


OPEN = ["np.float32 == kind", "a.dtype == kind", "tf.as_dtype(kind).is_floating", "np.issubdtype(kind, np.floating)",
        "y.dtype == 'float'", "torch.finfo(kind).max > 70000"]  # fmt: skip


@pytest.mark.parametrize("question", OPEN)
def test_what_is_not_known_has_two_sides(question: str, tmp_path: Path) -> None:
    text = f"{HEAD}from somewhere import kind\nif {question}:\n    x @ x\nelse:\n    y @ y\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert sorted(p.site.line for p in problems) == [10, 12]


KINDS = {"torch.nn.Conv2d": False, "(int, str)": False, "(torch.nn.Conv2d, type(None))": True, "object": True}


@pytest.mark.parametrize("kinds", KINDS)
def test_what_is_of_a_class_is_not_none(kinds: str, tmp_path: Path) -> None:
    text = f"{HEAD}def find(part):\n    if isinstance(part, {kinds}) and part is None:\n        x @ x\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert bool(problems) is KINDS[kinds]
