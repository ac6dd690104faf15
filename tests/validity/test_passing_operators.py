"""Operators of exported Keras graphs that hand their operands on: known, so that no check behind them is lost."""

from __future__ import annotations

from analyzer.validity.registry import spec
from analyzer.validity.spec import TensorType, TypeStatus, check
from analyzer.validity.terms import symbol


def test_a_variable_is_read_as_the_value_it_holds() -> None:
    found = spec("ReadVariableOp", "tf")
    assert found is not None
    outcome = check(found, [TensorType((3, 3, symbol("c", 1), 8), "float32")], {})
    assert (outcome.status, outcome.outputs[0].shape) == (TypeStatus.VALID, (3, 3, symbol("c", 1), 8))


def test_identity_n_keeps_each_operand() -> None:
    found = spec("IdentityN", "tf")
    assert found is not None
    outcome = check(found, [TensorType((2, 8), "float32"), TensorType((), "int32")], {})
    assert [(t.shape, t.dtype) for t in outcome.outputs] == [((2, 8), "float32"), ((), "int32")]


def test_random_integers_have_the_type_of_their_bounds() -> None:
    found, floats = spec("RandomUniformInt", "tf"), spec("RandomUniform", "tf")
    assert found is not None
    assert floats is not None
    shape, number = TensorType((2,), "int32", value=(4, 3)), TensorType((), "int64")
    outcome = check(found, [shape, number, number], {"Tout": "int64", "T": "int32"})
    assert [(t.shape, t.dtype) for t in outcome.outputs] == [((4, 3), "int64")]
    assert [t.dtype for t in check(floats, [shape], {"dtype": "float32", "T": "int32"}).outputs] == ["float32"]
