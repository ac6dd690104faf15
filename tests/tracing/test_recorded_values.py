"""Beliefs that a run of published examples contradicted: what runs is refused nowhere, and what fails still is."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

torch = pytest.importorskip("torch")

BEFORE = """
import collections.abc
import numpy as np
import torch
import torch.nn as nn
i = torch.tensor([1, 2, 3])
a = np.arange(12).reshape(3, 4)
square = torch.zeros(3, 3)
"""
RUN = """
square @ torch.fmod(i, -1.5)
square @ torch.remainder(i, 1.5)
square @ torch.mul(i, 1.5)
square @ torch.add(i, 1.5)
square @ torch.sub(i, 1.5)
square @ torch.clamp(i, 0.5)
square @ torch.clip(i, min=0.5, max=1.5)
square @ i.mul(1.5)
square @ i.clamp(max=1.5)
square @ torch.cumsum(i, 0, dtype=torch.float32)
square @ i.cumsum(0, dtype=torch.float32)
i @ torch.cumsum(i.int(), 0)
square @ torch.logical_not(i, out=torch.empty(3))
square @ torch.add(i, i, out=torch.empty(3))
square @ torch.randn(3, dtype=torch.cfloat).real
square @ torch.randn(3, dtype=torch.cfloat).imag
square @ torch.outer(i, torch.ones(1))[:, 0]
i @ torch.mul(i > 1, 2)
torch.atleast_1d((i, i))[1] + i
torch.empty(2, 3, 4, 5, memory_format=torch.channels_last).permute(0, 2, 3, 1).view(2, 60)
torch.zeros(1, 16, 12) + nn.ConvTranspose1d(16, 16, 3, stride=2, padding=1)(torch.zeros(1, 16, 6), output_size=[12])
torch.zeros(2, 2, 8, 8) + nn.ConvTranspose2d(3, 2, 3, 2, 1)(torch.zeros(2, 3, 4, 4), output_size=(2, 2, 8, 8))
torch.zeros(2, 1, 2, 2) + nn.ConvTranspose2d(1, 1, 2)(torch.zeros(2, 1, 1, 1), output_size=None)
square.double() @ torch.from_numpy(np.sin(np.arange(3)))
square.double() @ torch.from_numpy(np.sqrt(np.arange(3)))
square.double() @ torch.from_numpy(np.average(a, axis=1))
square.double() @ torch.from_numpy(np.mean(a, axis=1))
square.double() @ torch.from_numpy(np.linalg.norm(a, axis=1))
square.double() @ torch.from_numpy(np.append(np.arange(2), [0.5]))
square.cdouble() @ torch.from_numpy(1j * np.ones(3))
square.double() @ torch.from_numpy(np.trapezoid(a, axis=1))
square.double() @ torch.from_numpy(np.outer(np.arange(3), np.ones(1))[:, 0])
np.linalg.matrix_rank(np.ones(4))
torch.zeros(4, 4).double() @ torch.from_numpy(a.mean(axis=0))
torch.zeros(4, 4).double() @ torch.from_numpy(a.mean(0))
torch.zeros(4, 4).double() @ torch.from_numpy(a.std(0))
torch.zeros(4, 4).double() @ torch.from_numpy(a.var(axis=0))
torch.zeros(4, 4).double() @ torch.from_numpy(np.clip(a[0], 0.5, 1.5))
torch.zeros(4, 4).double() @ torch.from_numpy(np.arctan2(a[0], 1))
torch.zeros(4, 4).double() @ torch.from_numpy(np.hypot(a[0], 1))
torch.zeros(4, 4).double() @ torch.from_numpy(np.cumsum(a[0], dtype=float))
torch.zeros(4, 4).double() @ torch.from_numpy(np.dot(a.T, np.ones(3)))
torch.zeros(4, 4).double() @ torch.from_numpy(np.einsum('ij,i->j', a, np.ones(3)))
torch.zeros(4, 4).double() @ torch.from_numpy(np.inner(a.T, np.ones(3)))
torch.zeros(4, 4).double() @ torch.from_numpy(np.float_power(a[0], 2))
torch.zeros(4, 4).double() @ torch.from_numpy(np.logaddexp(a[0], 2))
torch.zeros(4, 4).double() @ torch.from_numpy(np.copysign(a[0], 2))
torch.zeros(4, 4).double() @ torch.from_numpy(np.stack([a[0], a[1] / 2])[0])
torch.zeros(4, 4).double() @ torch.from_numpy(np.vstack([a[0], a[1] / 2])[0])
torch.zeros(4, 4).double() @ torch.from_numpy(np.kron(a[0, :2], np.ones(2)))
torch.zeros(3, 3) @ torch.stack([i, i / 2])[0]
torch.zeros(3, 3) @ torch.cat([i, i / 2])[:3]
torch.zeros(3, 3) @ torch.vstack([i, i / 2])[0]
torch.zeros(3, 3) @ torch.hstack([i, i / 2])[:3]
torch.zeros(3, 3) @ torch.maximum(i, i / 2)
torch.zeros(3, 3) @ torch.kron(i, torch.ones(1))
torch.zeros(3, 3) @ torch.dstack([i, i / 2])[0, :, 0]
torch.zeros(3, 3) @ torch.column_stack([i, i / 2])[:, 0]
torch.zeros(3, 3) @ i.to(torch.zeros(1))
np.zeros(2) + a[np.isin(a, [1, 2])]
np.zeros((3, 7)) + np.insert(a, 1, [[7], [8], [9]], axis=1)
np.zeros((5, 4)) + np.insert(a, 1, [[7, 7, 7, 7], [8, 8, 8, 8]], axis=0)
np.zeros(int(np.cross([1, 2, 3], [4, 5, 6])[1]))
np.zeros(np.array([3]).item()) + np.zeros(3)
np.zeros(np.array([3, 4]).item(1)) + np.zeros(4)
"""
TRUE = """
isinstance(i, collections.abc.Iterable)
isinstance(a, collections.abc.Iterable)
isinstance(a, collections.abc.Sized)
isinstance(i, collections.abc.Hashable)
not isinstance(a, collections.abc.Hashable)
not isinstance(a, collections.abc.Sequence)
not isinstance(i, collections.abc.Mapping)
not isinstance(i, collections.abc.Callable)
np.asarray(a) is a
np.isnan(np.nan) == True
type(np.isfinite(1)) is not float
"""
FAIL = """
square @ torch.stack([i, i])[0]
square @ torch.maximum(i, i)
square @ i.to(i)
square.double() @ torch.from_numpy(np.concatenate([a[0], a[1]])[:3])
square.double() @ torch.from_numpy(np.clip(np.arange(3), 0, 1))
square.double() @ torch.from_numpy(np.cumsum(np.arange(3)))
square @ torch.mul(i, 2)
square @ torch.add(i, i)
square @ torch.cumsum(i, 0)
square @ torch.clamp(i, 1)
square.double() @ torch.from_numpy(np.sum(a, axis=1))
square.double() @ torch.from_numpy(np.arange(3))
square @ torch.add(i, i, out=torch.empty(3, dtype=torch.int64))
torch.zeros(1, 16, 12) + nn.ConvTranspose1d(16, 16, 3, stride=2, padding=1)(torch.zeros(1, 16, 6))
torch.zeros(1, 16, 13) + nn.ConvTranspose1d(16, 16, 3, stride=2, padding=1)(torch.zeros(1, 16, 6), output_size=[12])
np.zeros((3, 7)) + np.delete(a, 1, axis=1)
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def refused(tmp_path: Path, text: str) -> list[str]:
    shared = explore(tmp_path, "main.py", ast.parse(BEFORE + text), Versions())
    return [p.message for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("line", lines(RUN))
def test_what_runs_is_not_refused(line: str, tmp_path: Path) -> None:
    exec(BEFORE + line, {})
    assert not refused(tmp_path, line)


@pytest.mark.parametrize("line", lines(TRUE))
def test_what_is_true_is_not_taken_for_false(line: str, tmp_path: Path) -> None:
    exec(f"{BEFORE}assert {line}", {})
    text = f"{BEFORE}if not ({line}):\n    torch.zeros(3) + torch.zeros(4)"
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert not any(p.proved for p in shared.problems.values() if p.level == "error")


@pytest.mark.parametrize("line", lines(FAIL))
def test_what_fails_is_still_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises((RuntimeError, ValueError)):
        exec(BEFORE + line, {})
    assert refused(tmp_path, line)


SHAPED = """
y = np.zeros((2, 3, 4))
y.shape = {}
np.zeros({}) + y
"""


@pytest.mark.parametrize(
    ("given", "other", "right"),
    [("3, 8", "(3, 8)", True), ("3, 8", "(2, 3, 4)", False), ("-1", "24", True), ("(4, -1)", "(4, 6)", True)],
)
def test_the_shape_of_an_array_is_set(given: str, other: str, right: bool, tmp_path: Path) -> None:
    text = SHAPED.format(given, other)
    if right:
        exec(BEFORE + text, {})
    else:
        with pytest.raises(ValueError):
            exec(BEFORE + text, {})
    assert bool(refused(tmp_path, text)) is not right


def test_an_array_is_resized_in_place(tmp_path: Path) -> None:
    text = "y = np.zeros((2, 3))\ny.resize((4, 5), refcheck=False)\nnp.zeros((4, 5)) + y\n"
    exec(BEFORE + text, {})
    assert not refused(tmp_path, text)
    assert np.zeros(2).resize(3, refcheck=False) is None
