"""Assertions about sizes: what does not hold in a program's own run fails; what a caller chooses is its contract."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source


def lines(folder: Path, text: str) -> set[int]:
    (folder / "program.py").write_text(dedent(text))
    _, tree = read_source(folder / "program.py", folder)
    found = explore(folder, "program.py", tree, Versions()).problems.values()
    return {p.site.line for p in found if p.level == "error"}


@pytest.mark.parametrize(("size", "wrong"), [(5, set()), (6, {4})])
def test_an_assertion_of_a_test(tmp_path: Path, size: int, wrong: set[int]) -> None:
    text = f"""import torch
def test():
    z = torch.nn.Linear(4, 5)(torch.zeros(2, 4))
    assert list(z.shape) == [2, {size}], z.shape
test()
"""
    assert lines(tmp_path, text) == wrong


def test_an_assertion_that_is_expected_to_fail(tmp_path: Path) -> None:
    text = """import torch
try:
    assert torch.zeros(2).shape == (3,)
except AssertionError:
    print("as expected")
"""
    assert lines(tmp_path, text) == set()


def test_a_contract_of_callers(tmp_path: Path) -> None:
    text = """import torch
class Net(torch.nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.layer = torch.nn.Linear(4, size)
    def forward(self, x):
        y = self.layer(x)
        assert y.shape[-1] == 4
        return y
"""
    assert lines(tmp_path, text) == set()


@pytest.mark.parametrize("size", [3, 4])
def test_sums_of_truths_are_places(tmp_path: Path, size: int) -> None:
    text = f"""import torch
edges, x = torch.zeros(2, 3, 9), torch.zeros(2, 3, 4)
places = torch.sum(x[..., None] >= edges[:, :, None, :], dim=-1) - 1
torch.zeros(2, 3, 4).gather(-1, places) + torch.zeros(2, {size}, 4)
"""
    assert lines(tmp_path, text) == (set() if size == 3 else {4})


@pytest.mark.parametrize("size", [3, 4])
def test_initializers_and_activations_of_keras(tmp_path: Path, size: int) -> None:
    text = f"""import keras
weights = keras.initializers.HeNormal()(shape=(4, 5))
x = keras.activations.get("relu")(keras.random.uniform((2, {size})))
keras.ops.matmul(keras.activations.get(None)(x), weights)
"""
    assert lines(tmp_path, text) == (set() if size == 4 else {4})
