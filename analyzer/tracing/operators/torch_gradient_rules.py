"""torch: gradients that a program asks for itself."""

from __future__ import annotations

from analyzer.tracing.evaluation import call
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.tensors import Tensor, show_shape
from analyzer.tracing.values import ListV, Value
from analyzer.validity.terms import product


@operator("torch.autograd.grad", "outputs inputs grad_outputs=None *rest")
def gradient(op: Op, outputs: Value, inputs: Value, grad_outputs: Value, rest: tuple[Value, ...]) -> Value:
    """One for each input, of its shape; without gradients to begin with the output is a scalar."""
    if isinstance(outputs, Tensor) and outputs.dims is not None and grad_outputs is None:
        size = product(outputs.dims)
        if isinstance(size, int) and size != 1 and "is_grads_batched" not in op.extra:
            told = f"only a scalar can be differentiated, and the output has the shape {show_shape(outputs.dims)}"
            fail(op, "scalar-loss", told, (outputs,))
    given = [inputs] if isinstance(inputs, Tensor) else _all(inputs)
    if given is None or op.extra.get("allow_unused", False) is not False or op.extra.get("is_grads_batched", False):
        return op.tr.unknown("gradients", "data")
    found = (tensor_of(op.tr, i, "torch") for i in given)
    return tuple(
        unknown_tensor(op, "torch")
        if source is None
        else Tensor(source.shape, source.dtype, "torch", site=op.where, sources=(source,), name="grad")
        for source in found
    )


def _all(inputs: Value) -> list[Value] | None:
    if isinstance(inputs, ListV):
        return None if inputs.open else list(inputs.items)
    return list(inputs) if isinstance(inputs, tuple) else None


@operator("torch.autograd.functional.jacobian", "func inputs *rest")
def jacobian(op: Op, func: Value, inputs: Value, rest: tuple[Value, ...]) -> Value:
    """The output's axes, then the input's."""
    if not isinstance(inputs, Tensor):
        return op.tr.unknown("a jacobian", "data")
    made = call(op.tr, func, (inputs,), {})
    if not isinstance(made, Tensor) or made.dims is None or inputs.dims is None:
        return op.tr.unknown("a jacobian", "data")
    return Tensor((*made.dims, *inputs.dims), made.dtype, "torch", site=op.where, sources=(made, inputs))


@operator("torch.func.functional_call torch.nn.utils.stateless.functional_call", "module values args=() kwargs=None")
def functional_call(op: Op, module: Value, values: Value, args: Value, kwargs: Value) -> Value:
    """The module called with other parameters, which have the shapes of its own."""
    if kwargs is not None or isinstance(args, ListV):
        return op.tr.unknown("a functional call")
    return call(op.tr, module, args if isinstance(args, tuple) else (args,), {})
