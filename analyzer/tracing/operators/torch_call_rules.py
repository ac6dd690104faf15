"""PyTorch: the call of a module by its class, `nn.Module.__call__(module, x)`, as a replaced one hands on to it."""

from __future__ import annotations

from analyzer.tracing.language.calls import call_unchanged
from analyzer.tracing.language.set_calls import MODULE_CALL
from analyzer.tracing.language.values import Instance, Layer, Value
from analyzer.tracing.operators.layers import forwarded
from analyzer.tracing.operators.table import Op, operator


@operator(MODULE_CALL, "module *args")
def call_by_class(op: Op, module: Value, args: tuple[Value, ...]) -> Value:
    if isinstance(module, Layer):
        return forwarded(op.tr, module, args, dict(op.extra), None)
    if isinstance(module, Instance):
        return call_unchanged(op.tr, module, args, dict(op.extra))
    return op.tr.unknown("Module.__call__()")
