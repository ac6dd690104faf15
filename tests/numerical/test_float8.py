"""Arithmetic in 8-bit floats, which no engine here runs: every code, and every pair of codes, against `ml_dtypes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper

from analyzer.graph import Graph
from analyzer.numerical import Interpretation, Options, interpret
from analyzer.numerical.domain.dtypes import element_type
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.result import Partitioning

NAMES = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
UNARY: dict[str, Callable[[Any], Any]] = {
    "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Tanh": np.tanh, "Neg": np.negative, "Abs": np.abs,
    "Floor": np.floor, "Ceil": np.ceil, "Sin": np.sin, "Cos": np.cos, "Sign": np.sign,
    "Reciprocal": lambda x: np.divide(np.ones_like(x), x),
}  # fmt: skip
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Max": np.maximum, "Min": np.minimum,
}  # fmt: skip


def codes(name: str) -> np.ndarray:
    """All 256, as numbers of the format."""
    return np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, name))


def numbers(name: str) -> np.ndarray:
    """The finite ones, one of each (0 and -0 are one), ascending, as float64 which holds them exactly."""
    wide = codes(name).astype(np.float64)
    return np.unique(wide[np.isfinite(wide)])


@pytest.mark.parametrize("name", NAMES)
def test_the_format_is_that_of_its_codes(name: str) -> None:
    dtype, finite = element_type(name), numbers(name)
    positive = finite[finite > 0]
    assert (dtype.lo, dtype.hi) == (finite[0], finite[-1])
    assert dtype.smallest == positive[0]
    assert dtype.eps == positive[positive > 1][0] - 1
    assert dtype.has_inf == bool(np.isinf(codes(name).astype(np.float64)).any())


@pytest.mark.parametrize("name", NAMES)
def test_rounding_goes_to_the_nearest_code_and_ties_to_the_even_one(name: str) -> None:
    dtype, finite = element_type(name), numbers(name)
    assert np.array_equal(dtype.nearest(finite), finite)
    low, high = finite[:-1], finite[1:]
    for part in (0.01, 0.25, 0.49, 0.51, 0.75, 0.99):
        between = low + part * (high - low)
        assert np.array_equal(dtype.nearest(between), low if part < 0.5 else high), part
    kept = codes(name)[np.isfinite(codes(name).astype(np.float64))]
    even = {float(v): int(c) % 2 == 0 for v, c in zip(kept.astype(np.float64), kept.view(np.uint8), strict=True)}
    middle = dtype.nearest((low + high) / 2)
    expected = np.where([even[float(v)] for v in low], low, high)
    assert np.array_equal(middle, expected)


@pytest.mark.parametrize("name", NAMES)
def test_what_lies_beyond_the_largest_code_is_no_finite_number(name: str) -> None:
    dtype = element_type(name)
    beyond = np.array([2.0, 1e6]) * dtype.hi
    assert np.array_equal(dtype.nearest(beyond), [np.inf, np.inf])
    assert np.array_equal(dtype.nearest(-beyond), [-np.inf, -np.inf])


def interpreted(op: str, name: str, *operands: np.ndarray) -> tuple[AbstractTensor, Interpretation]:
    """An operator on operands known element by element."""
    kind = {"float8_e4m3fn": TensorProto.FLOAT8E4M3FN, "float8_e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
            "float8_e5m2": TensorProto.FLOAT8E5M2, "float8_e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ}[name]  # fmt: skip
    names = [f"x{i}" for i in range(len(operands))]
    inputs = [helper.make_tensor_value_info(n, kind, x.shape) for n, x in zip(names, operands, strict=True)]
    output = helper.make_tensor_value_info("y", kind, None)
    proto = helper.make_graph([helper.make_node(op, names, ["y"], name="op")], "g", inputs, [output])
    graph = Graph(ir.from_proto(helper.make_model(proto, opset_imports=[helper.make_opsetid("", 20)])))
    values = {
        n: AbstractTensor(element_type(name), x.shape, x, x, tuple(tuple(range(d)) for d in x.shape))
        for n, x in zip(names, operands, strict=True)
    }
    found = interpret(
        graph, values, options=Options(partitioning=Partitioning.EXPAND, everything=True, strict=True, splitting=False)
    )
    return found.values[graph.graph.outputs[0]], found


def check(result: AbstractTensor, found: Interpretation, real: np.ndarray) -> None:
    """Finite results of finite operands lie inside; where there are others, the operator was flagged."""
    good = np.isfinite(real)
    lo, hi = np.broadcast_to(result.lo, real.shape), np.broadcast_to(result.hi, real.shape)
    outside = good & ~((lo <= real) & (real <= hi))
    assert not outside.any(), [(real[i], lo[i], hi[i]) for i in map(tuple, np.argwhere(outside)[:5])]
    if not good.all():
        assert found.warnings or found.overflows


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("op", UNARY)
def test_every_code_through_an_operator(op: str, name: str) -> None:
    x = numbers(name)
    with np.errstate(all="ignore"):
        real = UNARY[op](x.astype(getattr(ml_dtypes, name))).astype(np.float64)
    check(*interpreted(op, name, x), real)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("op", BINARY)
def test_every_pair_of_codes_through_an_operator(op: str, name: str) -> None:
    x = numbers(name)
    narrow = x.astype(getattr(ml_dtypes, name))
    with np.errstate(all="ignore"):
        real = BINARY[op](narrow[:, None], narrow[None, :]).astype(np.float64)
    result, found = interpreted(op, name, x[:, None], x[None, :])
    check(result, found, real)
    tiny = element_type(name).tiny
    normal = np.abs(x) >= tiny
    kept = normal[:, None] & normal[None, :] & np.isfinite(real) & (np.abs(real) >= tiny)  # nothing can be flushed
    if op != "Div":  # of which engines take the reciprocal first
        assert np.array_equal(result.lo[kept], real[kept])
        assert np.array_equal(result.hi[kept], real[kept])
    else:
        assert (
            result.hi[kept] - result.lo[kept] <= 4 * element_type(name).eps * np.abs(real[kept]) + tiny
        ).mean() > 0.9
