"""NumPy's types, generators, masked arrays, polynomials and places, held against NumPy: each is run and traced."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import numpy as np
a, i, v, c = np.ones((2, 3)), np.array([0, 1, 1]), np.arange(6.0), np.ones((2, 3), dtype=np.complex64)
f = np.zeros((4, 1), dtype=np.float32)


@np.vectorize
def clipped(x, low=0.0):
    return max(x, low)
"""
SHAPES = """
    np.int8(a)
    np.uint16(i)
    np.float16(a)
    np.double(f)
    np.zeros(2, dtype=np.dtype("float32"))
    a.astype(np.dtype("f4"))
    np.zeros(3, dtype=np.result_type(f, a))
    np.zeros(3, dtype=np.promote_types("f4", "f8"))
    np.zeros(3, dtype=f.dtype.type)
    np.zeros(3 if np.iscomplexobj(c) else 4)
    np.zeros(3 if np.isrealobj(c) else 4)
    np.zeros(3 if np.iscomplexobj(a) or np.iscomplexobj(2) else 4)
    np.zeros(len(list(np.ndindex(2, 3))))
    np.zeros(len(list(np.ndindex(a.shape))))
    np.zeros(list(np.ndindex((4, 5)))[7])
    np.zeros(sum(k[1] for k, _ in np.ndenumerate(a)))
    np.zeros(np.broadcast(a, v[:3], f[:2]).shape)
    np.zeros(np.broadcast(a, f[:1]).size)
    np.vectorize(lambda x: x + 1)(a)
    np.vectorize(lambda x, y: x + y)(a, f[:2])
    clipped(a, v[:3])
    np.frompyfunc(lambda x: x + 1, 1, 1)(a)
    np.add.reduceat(v, [0, 3])
    np.add.reduceat(a, [0, 2, 1], axis=1)
    np.apply_over_axes(np.sum, np.ones((2, 3, 4)), [0, -1])
    np.roots([1, 2, 3])
    np.poly1d([1, 2, 3])(a)
    np.polynomial.polynomial.polyval(v, [1, 2])
    np.polynomial.chebyshev.chebval(a, [1, 2])
    np.polynomial.legendre.leggauss(5)[0]
    np.polynomial.hermite.hermgauss(4)[1]
    np.polynomial.polynomial.polyvander(v, 3)
    np.polynomial.legendre.legvander(a, 2)
    np.ma.array(a, mask=a > 0)
    np.ma.masked_array(a, a > 0).mean(axis=0)
    np.ma.masked_where(a > 0, a)
    np.ma.masked_equal(a, 0).filled(0)
    np.ma.masked_invalid(a)
    np.ma.mean(a, axis=1)
    np.random.Generator(np.random.PCG64(3)).normal(size=(2, 3))
    np.random.Generator(np.random.MT19937(np.random.SeedSequence(3))).random((4,))
    np.random.default_rng(np.random.SeedSequence(3).spawn(2)[1]).random((4,))
    np.random.SeedSequence(3).generate_state(4)
    np.random.default_rng(3).spawn(2)[0].integers(0, 3, (2, 2))
    np.random.default_rng(3).permuted(a)
    np.random.multinomial(9, [0.5, 0.5])
    np.random.multinomial(9, [0.5, 0.5], size=(4, 3))
    np.random.default_rng(3).multinomial(i, [0.25] * 4)
    np.random.default_rng(3).multinomial(np.ones((3, 1), int), np.full((2, 4), 0.25))
    np.random.default_rng(3).multinomial(9, np.full((2, 4), 0.25), size=(5, 2))
    np.random.default_rng(3).multinomial(np.empty((2, 0, 6), int), [0.25] * 4)
    np.memmap("absent", dtype="float32", mode="w+", shape=(3, 4))
    a.byteswap()
    np.asarray_chkfinite(a)
""".strip().splitlines()


@pytest.mark.parametrize("call", [line.strip() for line in SHAPES])
def test_shapes_are_numpys(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"{HEAD}\ny = {call}\n"
    scope: dict[str, object] = {}
    exec(text, scope)
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
    assert not shared.unknown_calls
    last = text.count("\n")
    found = [t for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    real = np.asarray(scope["y"])
    assert found[-1].dims == real.shape
    assert found[-1].dtype in (None, str(real.dtype))


REFUSED = """
    np.broadcast(a, np.ones((4, 3)))
    np.vectorize(lambda x, y: x + y)(a, np.ones(4))
    np.add.at(v, np.array([1, 2]), np.ones(3))
    np.add.at(v, 9, 1.0)
    np.apply_over_axes(np.sum, a, [2])
    np.ma.masked_where(np.ones((4, 3)) > 0, a)
""".strip().splitlines()


@pytest.mark.parametrize("call", [line.strip() for line in REFUSED])
def test_what_numpy_refuses_is_an_error(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    with pytest.raises((ValueError, IndexError)):
        exec(text, {})
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert [p.level for p in shared.problems.values()] == ["error"]


WITHIN = """
with np.errstate(divide="ignore"), np.printoptions(precision=2):
    state = np.random.get_state()
    old = np.seterr(all="ignore")
    np.random.set_state(state)
    np.add.at(v, i, 1.0)
    a.fill(0.0)
    a.setflags(write=False)
text = np.array2string(a).strip() + np.base_repr(3)
"""


@pytest.mark.parametrize("size", [6, 7])
def test_settings_change_no_shape(size: int, tmp_path: Path) -> None:
    text = f"{HEAD}{WITHIN}\nv + np.ones({size})\n"
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.unknown_calls
    assert [p.certain for p in shared.problems.values()] == [True] * (size == 7)


def test_small_types_hold_what_fits(tmp_path: Path) -> None:
    text = "import numpy as np\nnp.zeros(np.int8(5)) + np.ones(4)\nnp.zeros(np.uint8(261)) + np.ones(4)\n"
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.certain] == [2]


def test_roots_that_may_be_fewer_are_not_counted(tmp_path: Path) -> None:
    text = "import numpy as np\nnp.roots([0, 1, 2]) + np.ones(1)\nnp.roots(np.zeros(3)) + np.ones(2)\n"
    assert not explore(tmp_path, "program.py", ast.parse(text), Versions()).problems
