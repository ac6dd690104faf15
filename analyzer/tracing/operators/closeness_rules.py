"""Tensors that are compared one element with one: by `allclose` they are broadcast, what asserts it takes one shape."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.tracing.language.known_types import value_of
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal


@operator("torch.allclose Tensor.allclose numpy.allclose", "input|a other|b *rest")
def all_close(op: Op, input: Value, other: Value, rest: tuple[Value, ...]) -> Value:
    """The answer rests on the values."""
    broadcast(op, "==", input, other, "numpy" if op.name.startswith("numpy") else "torch")
    return value_of("bool", f"result of {op.name}", "data", "allclose()")


@operator("torch.testing.assert_close", "actual expected *rest")
def assert_close(op: Op, actual: Value, expected: Value, rest: tuple[Value, ...]) -> Value:
    """Two tensors of one shape, which nothing stretches, or sequences of them."""
    own, other = _several(actual), _several(expected)
    if own is not None and other is not None:
        if len(own) == len(other):
            for one, two in zip(own, other, strict=True):
                assert_close(op, one, two, rest)
        return None
    tensors = isinstance(actual, Tensor) and isinstance(expected, Tensor)
    if tensors and actual.framework == expected.framework and actual.framework in ("torch", "numpy"):
        _demand_one_shape(op, actual, expected)
    return None


_OF_ARRAYS = ("assert_allclose", "assert_array_equal", "assert_equal", "assert_almost_equal",
              "assert_array_almost_equal", "assert_array_less")  # fmt: skip


@operator(" ".join(f"numpy.testing.{name}" for name in _OF_ARRAYS), "actual desired *rest")
def assert_arrays(op: Op, actual: Value, desired: Value, rest: tuple[Value, ...]) -> Value:
    """Two arrays of one shape; an array without axes, or a number, stands beside any."""
    if not any(isinstance(v, Tensor) for v in (actual, desired)):
        return None
    if not all(isinstance(v, (Tensor, ListV, tuple)) for v in (actual, desired)):
        return None
    one, two = tensor_of(op.tr, actual, "numpy"), tensor_of(op.tr, desired, "numpy")
    if one is not None and two is not None and one.dims != () and two.dims != ():
        _demand_one_shape(op, one, two)
    return None


def _demand_one_shape(op: Op, one: Tensor, two: Tensor) -> None:
    if one.dims is None or two.dims is None or "nested" in one.tags | two.tags:
        return
    told = f"{show_shape(one.dims)} and {show_shape(two.dims)} are not one shape"
    if len(one.dims) != len(two.dims):
        fail(op, "same-shape", told, (one, two))
    for own, given in zip(one.dims, two.dims, strict=True):
        require(op, equal(own, given), "same-shape", told, (one, two))


def _several(value: Value) -> Sequence[Value] | None:
    if isinstance(value, ListV):
        return None if value.open else value.items
    return value if type(value) is tuple else None
