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
edges, x = torch.ones(2, 3, 3), torch.ones(2, 3, 4)
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


@pytest.mark.parametrize("width", [12, 13])
def test_a_size_that_does_not_divide(tmp_path: Path, width: int) -> None:
    text = f"""import torch
class Heads(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        assert width % heads == 0, "heads"
        self.layer = torch.nn.Linear(width, width)
Heads({width}, 4)
"""
    assert lines(tmp_path, text) == (set() if width == 12 else {5})


@pytest.mark.parametrize("kind", ["int", "np.int64", "torch.float32"])
def test_a_type_is_no_number(tmp_path: Path, kind: str) -> None:
    text = f"import torch, numpy as np\nx = torch.zeros(2).numpy().astype({kind} * 2)\n"
    assert lines(tmp_path, text) == {2}
    assert lines(tmp_path, f"import torch, numpy as np\nx: {kind} | None = None\ny: list[{kind}] = [1] * 2\n") == set()


@pytest.mark.parametrize("size", [3, 4])
def test_a_program_that_asks_for_the_version(tmp_path: Path, size: int) -> None:
    text = f"""import torch
NEW = tuple(map(int, torch.__version__.split("+")[0].split("."))) > (1, 7, 1)
x = torch.zeros(2, 3) if NEW else torch.rfft(torch.zeros(2, 3), 2)
x @ torch.zeros({size}, 2)
"""
    assert lines(tmp_path, text) == (set() if size == 3 else {4})


IN_TESTS = (
    "assert not torch.all(x == y)",
    "if torch.all(x == y):\n        raise ValueError(x)",
    "if not torch.any(x == y):\n        raise ValueError(x)",
)


@pytest.mark.parametrize("refused", IN_TESTS)
def test_what_values_decide_in_a_test_is_no_failure(tmp_path: Path, refused: str) -> None:
    text = """import torch
def test():
    x = torch.randn(4)
    y = torch.randn(x.shape[0])
    CHECK
test()
"""
    assert lines(tmp_path, text.replace("CHECK", refused)) == set()
    assert lines(tmp_path, text.replace("CHECK", "assert y.shape[0] == 5")) == {5}


@pytest.mark.parametrize(
    "made",
    [
        "sizes = {a.shape[0], b.shape[0]}",
        "sizes = {a.shape[0]}\nsizes.add(b.shape[0])",
        "sizes = set([a.shape[0], b.shape[0]])",
        "sizes = {a.shape[0]}\nsizes |= {b.shape[0]}",
        "sizes = frozenset(x.shape[0] for x in (a, b))",
    ],
)
def test_sizes_that_nobody_gives_may_be_equal(tmp_path: Path, made: str) -> None:
    text = f"import somelib, torch\na, b = somelib.load(), somelib.load()\n{made}\nassert len(sizes) == 1\n"
    assert lines(tmp_path, text) == set()
    if "for x in" not in made:
        assert lines(tmp_path, text.replace("b.shape[0]", "torch.zeros(3).shape[0]").replace("a.shape[0]", "4")) == {
            text.count("\n")
        }


@pytest.mark.parametrize(("asserted", "told"), [("== 0", False), (">= 0", False), ("== -1", True)])
@pytest.mark.parametrize("made", ["somelib.make()", "torch.as_tensor(somelib.make())", "somelib.parts(x)[2]"])
def test_what_another_library_makes_may_hold_nothing(tmp_path: Path, made: str, asserted: str, told: bool) -> None:
    text = f"import somelib\nimport torch\nx = torch.zeros(3, 5)\nc = {made}\nassert c.shape[1] {asserted}\n"
    assert lines(tmp_path, text) == ({5} if told else set())
