"""What NumPy takes, and what it refuses of the same kind: each program is run and traced."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import numpy as np\na, m, o = np.ones((2, 3, 4)), np.ones((2, 5)), np.zeros(4, dtype=object)\n"
TAKEN = """
    np.zeros((), [("x", "f8")])["x"]
    np.zeros((), [("x", "f8"), ("y", "f8")])[["x"]]
    np.zeros(1, np.dtype([("x", "i4", 5)]))[0]["x"][4]
    np.zeros(1, "i,i")[0][1]
    np.zeros(1, dtype=[("x", "O")])[0]["x"] = np.arange(3)
    r = np.ones(50, dtype=[("x", int), ("y", int)]); r[[10 * i for i in range(5)]] = (2, 2)
    assert np.array((1, 2, 3), dtype="i,i,i").shape == ()
    assert np.array([(1, 2, 3)], dtype="i,i,i").shape == (1,)
    assert np.array("string", dtype="c").shape == (6,)
    np.array(["ab", "cd", "ef"], dtype="c").T.shape[1]
    assert np.array([1, 2, 3], ndmax=0, dtype=object).ndim == 0
    np.array(["abc", "b"])[0][1:]
    [text[0] for text in np.array(["abc", "b"])]
    np.array(["abc", "b"], dtype=str)[0][0]
    np.array([10, 20]).astype(str)[0][1]
    assert a[False, True, ...].shape == (0, 2, 3, 4)
    assert a[True, [0, 1], True, True, [1], [[2]]].shape == (1, 2)
    np.ones(())[True]
    o[...] = [[1], [2], [3], [4]]
    o[:] = [[1] for _ in range(4)]
    m.compress([0, 1], axis=0)
    m.compress([0, 1, 0, 1, 0], axis=1)
    np.amax(1, axis=0)
    np.sum(3, axis=-1)
    np.array(4).max(axis=0)
    np.argmin(np.array(4), axis=0)
    np.add.reduce(np.array(1))
    assert np.cumsum(np.array(3), axis=0).shape == (1,)
    np.roll(m, 1, axis=(0, 0))
    np.cross([3, 4, 5], [1, 2])
    np.cross(np.ones((2, 11)), np.ones((11, 3)), axisa=0)
    np.fft.rfftn(np.ones((2, 3)), axes=(0, 0, 1), s=(10, 20, 40))
    assert np.fft.fftn(np.ones((10, 10)), s=(-1, 5), axes=(0, 1)).shape == (10, 5)
    assert np.linalg.qr(np.ones((3, 2)), mode="r").shape == (2, 2)
    np.linalg.qr(np.ones((3, 2)), "raw")[0][1, 2]
    np.vectorize(np.outer, signature="(a),(b)->(a,b)")([1, 2], [1, 2, 3])
    np.vectorize(lambda x, p: x, excluded=["p"])(x=[1, 2], p=[1, 2, 3])
    mean, weights = np.average(np.ones((3, 2)), 0, returned=True)
    mean, weights = np.average(np.ones((3, 2)), 1, None, True)
    mean, weights = np.ma.average(np.ones((3, 2)), axis=0, returned=True)
    np.matmul(np.ones((3, 4, 5)), np.ones((3, 4, 5)), axes=[(-2, -1), (-1, -2), (1, 2)])
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("statement", [line.strip() for line in TAKEN])
def test_what_numpy_takes_is_no_error(statement: str, tmp_path: Path) -> None:
    text = f"{HEAD}{statement}\n"
    exec(text, {})
    assert not explore(tmp_path, "program.py", ast.parse(text), Versions()).problems


REFUSED = """
    np.ones(())[0]
    np.array([1, 2])[0][0]
    a[0, [0, 1], 0, [1], [[2]]]
    m[[0, 1]] = [[1], [2], [3]]
    m[:] = [[1, 2], [3, 4]]
    m.compress([0, 1], axis=2)
    np.sum(3, axis=1)
    np.mean(np.array(3), axis=0)
    np.std(np.array(3), axis=-1)
    np.sort(np.array(3), axis=0)
    np.roll(m, 1, axis=(0, 2))
    np.transpose(m, (0, 0))
    np.cross(np.ones((2, 3)), np.ones((4, 3)))
    np.fft.fftn(np.ones((2, 3)), axes=(0, 2))
    np.vectorize(lambda x, y: x)([1, 2], [1, 2, 3])
    mean, weights = np.average(np.ones((3, 2)), 1)
    np.matmul(np.ones((3, 4, 5)), np.ones((3, 4, 5)))
""".strip().splitlines()


@pytest.mark.parametrize("statement", [line.strip() for line in REFUSED])
def test_what_numpy_refuses_is_proved(statement: str, tmp_path: Path) -> None:
    text = f"{HEAD}{statement}\n"
    with pytest.raises((ValueError, IndexError, TypeError)):
        exec(text, {})
    told = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert [p.proved for p in told] == [True]
