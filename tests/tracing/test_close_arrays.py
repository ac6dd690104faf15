"""`allclose` compares elements of two tensors that have to fit together; what asserts closeness takes one shape."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import numpy as np\nimport torch\nx, n = torch.zeros(4, 2), np.zeros((4, 2))\n"
FITTING = """
torch.allclose(x, x)
torch.allclose(x, x[0], atol=1e-3)
torch.allclose(x.mean(0), x[1], 1e-3, 1e-4)
x.allclose(torch.zeros(()))
x.allclose(other=x[:, :1], equal_nan=True)
torch.allclose(input=x, other=x)
np.allclose(n, 0)
np.allclose(n, [1, 2], rtol=1e-3)
np.allclose(n, x.numpy()[0], 1e-3, 1e-3)
np.allclose(x.detach().numpy(), n)
np.allclose(a=n, b=[[0]])
np.allclose([0.5, 1], (0.5, 1))
np.allclose(0.5, 1.0)
""".strip().splitlines()
REFUSED = """
torch.allclose(x.mean(0), x.mean(-1))
torch.allclose(x, x[:3], atol=1e-3)
x.allclose(x[:, 0])
x.allclose(other=torch.zeros(3))
np.allclose(n, n[:, 0])
np.allclose(n, [1, 2, 3])
np.allclose(a=n, b=n[1:])
np.allclose(n, x.numpy()[:, 0])
""".strip().splitlines()


def told(folder: Path, call: str) -> list[str]:
    tree = ast.parse(f"{HEAD}if {call}:\n    print(1)\n")
    shared = explore(folder, "use.py", tree, Versions())
    return [p.message for p in shared.problems.values() if p.level == "error" and p.certain]


def runs(call: str) -> bool:
    names = {"np": np, "torch": torch, "x": torch.zeros(4, 2), "n": np.zeros((4, 2))}
    try:
        eval(call, names)
    except (RuntimeError, ValueError):
        return False
    return True


@pytest.mark.parametrize("call", FITTING)
def test_what_fits_is_silent(tmp_path: Path, call: str) -> None:
    assert runs(call)
    assert not told(tmp_path, call)


@pytest.mark.parametrize("call", REFUSED)
def test_what_does_not_fit_is_told(tmp_path: Path, call: str) -> None:
    assert not runs(call)
    assert len(told(tmp_path, call)) == 1


def test_neither_answer_is_assumed(tmp_path: Path) -> None:
    for answer in ("", "not "):
        tree = ast.parse(f"{HEAD}if {answer}torch.allclose(x, x + 1):\n    x @ x\n")
        shared = explore(tmp_path, "use.py", tree, Versions())
        assert all(not p.certain for p in shared.problems.values())


ASSERTED = """
torch.testing.assert_close(x, x + 0)
torch.testing.assert_close([x, x[0]], (x, x[1]))
torch.testing.assert_close(n, n, rtol=0, atol=1e-3)
np.testing.assert_allclose(n, 0.0)
np.testing.assert_allclose(n, np.zeros(()), atol=1e-3)
np.testing.assert_allclose(n[0], [0, 0])
np.testing.assert_array_equal(n[0, 0], n[:, 0])
np.testing.assert_equal(n.shape, (4, 2))
np.testing.assert_array_less(n - 1, n)
np.testing.assert_almost_equal(x.numpy(), n, 5)
""".strip().splitlines()
DENIED = """
torch.testing.assert_close(x, x[0])
torch.testing.assert_close(x[:1], x[0], rtol=0, atol=1e-3)
torch.testing.assert_close([x, x[0]], [x, x])
torch.testing.assert_close(n, n[:2])
np.testing.assert_allclose(n, n[0])
np.testing.assert_allclose(n[0], [0, 0, 0], atol=1e-3)
np.testing.assert_array_equal(n, n[:, :1])
np.testing.assert_equal(n, n[None])
np.testing.assert_array_less(n[:3] - 1, n)
np.testing.assert_array_almost_equal(x.numpy(), n[1:], 5)
""".strip().splitlines()


def holds(call: str) -> bool:
    try:
        return runs(call)
    except AssertionError:
        return False


@pytest.mark.parametrize("call", ASSERTED)
def test_an_assertion_that_may_hold_is_silent(tmp_path: Path, call: str) -> None:
    assert holds(call)
    assert not told(tmp_path, call)


@pytest.mark.parametrize("call", DENIED)
def test_an_assertion_on_two_shapes_is_told(tmp_path: Path, call: str) -> None:
    assert not holds(call)
    assert len(told(tmp_path, call)) == 1
    tree = ast.parse(f"import pytest\n{HEAD}with pytest.raises(AssertionError):\n    {call}\n")
    shared = explore(tmp_path, "use.py", tree, Versions())
    assert all(p.level != "error" for p in shared.problems.values())
