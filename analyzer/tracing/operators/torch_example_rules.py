"""torch: what runs a module on an example to keep what it does: `torch.jit.trace`, `torch.onnx.export`."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.known_types import OTHER_CLASS
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Function, Instance, Layer, Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_hook_rules import TRACING


@operator("torch.jit.trace", "func|module example_inputs=None *rest")
def traced(op: Op, func: Value, example_inputs: Value, rest: tuple[Value, ...]) -> Value:
    """The module, which is run on the example first."""
    _run(op, func, example_inputs)
    if isinstance(func, Layer):
        op.tr.touch(func)
        func.attrs[OTHER_CLASS] = True
    return func


@operator("torch.onnx.export", "model args=None *rest")
def exported(op: Op, model: Value, args: Value, rest: tuple[Value, ...]) -> Value:
    _run(op, model, args)
    op.tr.forget(rest)
    return None


def _run(op: Op, module: Value, example: Value) -> None:
    """One tensor, or a tuple of tensors, is what it is called with; any other example is not looked at."""
    given = example if type(example) is tuple else (example,)
    if isinstance(module, (Layer, Instance, Function)) and all(isinstance(g, Tensor) for g in given):
        before = op.tr.machine.get(TRACING)
        state = op.tr.machine[TRACING] = op.tr.unknown("a state of tracing", "data", pytype="object")
        state.truth = True
        try:
            call(op.tr, module, given, {}, op.node)
        finally:
            if before is None:
                op.tr.machine.pop(TRACING, None)


@operator("torch.fx.symbolic_trace", "root *rest")
def symbolic(op: Op, root: Value, rest: tuple[Value, ...]) -> Value:
    """A module that computes the same."""
    return root
