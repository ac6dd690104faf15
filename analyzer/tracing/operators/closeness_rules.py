"""`allclose`: the elements of two tensors are compared one by one, so they have to fit together."""

from __future__ import annotations

from analyzer.tracing.language.known_types import value_of
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.table import Op, operator


@operator("torch.allclose Tensor.allclose numpy.allclose", "input|a other|b *rest")
def all_close(op: Op, input: Value, other: Value, rest: tuple[Value, ...]) -> Value:
    """The answer rests on the values."""
    broadcast(op, "==", input, other, "numpy" if op.name.startswith("numpy") else "torch")
    return value_of("bool", f"result of {op.name}", "data", "allclose()")
