"""`numpy.matrix`: of two axes, and so is what is made of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

BEGIN = """import numpy as np
import tensorflow as tf
import torch
m = np.matrix([[0.6, 0.1, 0.1], [0.0, 0.6, 0.9]])
"""


def told(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(BEGIN + text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("tf.matmul(tf.constant(m), tf.zeros((3, 1), tf.float64))", False),
        ("tf.matmul(tf.constant(m), tf.zeros((2, 1), tf.float64))", True),
        ("tf.convert_to_tensor(m)[:, 0] + tf.zeros(3, tf.float64)", True),
        ("torch.tensor(m) @ torch.zeros(3, 1).double()", False),
        ("torch.from_numpy(m) @ torch.zeros(2, 1).double()", True),
        ("np.asarray(m).reshape(6)", False),
        ("np.asarray(m).reshape(5)", True),
        ("np.array(m) @ np.zeros(2)", True),
        ("tf.constant(np.matrix([1.0, 2.0, 3.0]))[0] + tf.zeros(3)", False),
        ("tf.reshape(tf.constant(np.matrix([1.0, 2.0, 3.0])), (2,))", True),
    ],
)
def test_what_is_made_of_a_matrix(line: str, refused: bool, tmp_path: Path) -> None:
    assert told(tmp_path, line) == ([5] if refused else [])


@pytest.mark.parametrize(
    "line",
    [
        "m[0].shape[1], m[0, 1] + 1.0, m[:, 0], m[m > 0.5]",
        "m * m.T, m @ m.T, m.T * m, 2 * m, m * 2, m + 1, -m, m - m, m / 2, m == m, (m > 0).any()",
        "len(m), [row for row in m], list(m), float(m[0, 0]), bool((m == m).all())",
        "m.sum(axis=0)[0, 2], m.A1[5], m.A[1, 2], m.flatten()[0, 5], m.ravel()[0, 5], m.I, m.H, m.size, m.dtype",
        "np.dot(m, m.T)[0, 0], np.sum(m, 0)[0, 2], np.tensordot(m, np.zeros(3), axes=1), np.asanyarray(m)[0][0, 2]",
        "np.array(m, subok=True)[0][0, 2], np.linalg.pinv(m) * m, np.vstack([m, m])[0][0, 2], m.reshape(3, 2), m.shape",
        "np.matrix('1 2; 3 4')[1, 1], np.asmatrix(np.zeros((2, 2)))[1][0, 1], np.matrix(m)[0], m.tolist()[1][2]",
        "isinstance(m, np.ndarray) or m[5], isinstance(m, np.matrix) or m[5], np.array(m)[0][2]",
        "m[0, 0] = 2.0\nm *= 2\nm += m\nprint(m.astype('int64'), m.copy(), m.mean(), m.transpose())",
    ],
)
def test_what_a_matrix_answers(line: str, tmp_path: Path) -> None:
    exec(BEGIN.replace("import tensorflow as tf\nimport torch\n", "") + line, {})
    assert told(tmp_path, line) == []
