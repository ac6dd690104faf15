"""Names of libraries that stand for several types, or for nobody knows which, are no type that a text is not of."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

ARRAYS = """
import numpy as np, tensorflow as tf, torch
from tensorflow.keras.preprocessing.image import NumpyArrayIterator
images = np.zeros((28, 28))
if isinstance({}):
    a, b = images
"""


@pytest.mark.parametrize(
    ("asked", "reached"),
    [
        ("images, NumpyArrayIterator", False),
        ("images, tf.keras.utils.Sequence", False),
        ("torch.zeros(2), torch.utils.data.DataLoader", False),
        ("images, np.ndarray", True),
    ],
)
def test_an_array_is_no_object_of_a_library(asked: str, reached: bool, tmp_path: Path) -> None:
    shared = explore(tmp_path, "main.py", ast.parse(ARRAYS.format(asked)), Versions())
    assert any(p.level == "error" for p in shared.problems.values()) is reached


PROGRAM = """
import six, torch, tensorflow as tf, somelib, pathlib
if not isinstance({}):
    torch.zeros(3) + torch.zeros(4)
"""


@pytest.mark.parametrize(
    ("asked", "refused"),
    [
        ("'a', six.string_types", False),
        ("1, six.integer_types", False),
        ("'a', tf.compat.bytes_or_text_types", False),
        ("1, tf.compat.integral_types", False),
        ("'a', torch._six.string_classes", False),
        ("'a', somelib.TEXT_TYPES", False),
        ("1, torch.types.Number", False),
        ("'a', torch.device", True),
        ("1, torch.optim.Optimizer", True),
        ("'a', pathlib.Path", True),
        ("None, torch.dtype", True),
    ],
)
def test_only_a_class_refuses_plain_values(asked: str, refused: bool, tmp_path: Path) -> None:
    shared = explore(tmp_path, "main.py", ast.parse(PROGRAM.format(asked)), Versions())
    told = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    assert told == ([4] if refused else [])
