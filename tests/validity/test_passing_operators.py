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
