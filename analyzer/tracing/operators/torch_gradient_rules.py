"""torch: gradients that a program asks for itself."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import DictV, Instance, Layer, ListV, Native, Value
from analyzer.tracing.operators.gradient_presence import gradients_made
from analyzer.tracing.operators.gradient_shapes import demand_same_shapes
from analyzer.tracing.operators.operands import items_of, tensor_of, unknown_tensor
from analyzer.tracing.operators.optimizers import named_parameters
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import product


@operator("torch.autograd.grad", "outputs inputs grad_outputs=None *rest")
def gradient(op: Op, outputs: Value, inputs: Value, grad_outputs: Value, rest: tuple[Value, ...]) -> Value:
    """One for each input, of its shape; without gradients to begin with the output is a scalar."""
    if isinstance(outputs, Tensor) and outputs.dims is not None and grad_outputs is None:
        size = product(outputs.dims)
        if isinstance(size, int) and size != 1 and "is_grads_batched" not in op.extra:
            told = f"only a scalar can be differentiated, and the output has the shape {show_shape(outputs.dims)}"
            fail(op, "scalar-loss", told, (outputs,))
    if op.extra.get("is_grads_batched", False) is False and len(rest) < 5:
        demand_same_shapes(op, outputs, grad_outputs)
    given = [inputs] if isinstance(inputs, Tensor) else _all(inputs)
    if given is None or op.extra.get("allow_unused", False) is not False or op.extra.get("is_grads_batched", False):
        return op.tr.unknown("gradients", "imprecise")
    found = (tensor_of(op.tr, i, "torch") for i in given)
    return tuple(
        unknown_tensor(op, "torch")
        if source is None
        else Tensor(source.shape, source.dtype, "torch", site=op.where, sources=(source,), name="grad")
        for source in found
    )


@operator("torch.autograd.backward", "tensors grad_tensors=None *rest")
def backward(op: Op, tensors: Value, grad_tensors: Value, rest: tuple[Value, ...]) -> Value:
    gradients_made(op.tr)
    demand_same_shapes(op, tensors, grad_tensors)
    return None


def _all(inputs: Value) -> list[Value] | None:
    if isinstance(inputs, ListV):
        return None if inputs.open else list(inputs.items)
    return list(inputs) if isinstance(inputs, tuple) else None


@operator("torch.func.functional_call torch.nn.utils.stateless.functional_call", "module values args=() kwargs=None")
def functional_call(op: Op, module: Value, values: Value, args: Value, kwargs: Value) -> Value:
    """The module called with other parameters, which have the shapes of its own."""
    if kwargs is not None or isinstance(args, ListV):
        return op.tr.unknown("a functional call")
    return call(op.tr, module, args if isinstance(args, tuple) else (args,), {})


@operator("torch.func.stack_module_state", "models")
def stacked_states(op: Op, models: Value) -> Value:
    """The parameters of modules of one class by name, stacked along a first axis; then their buffers."""
    found = items_of(models)
    first = found[0] if found else None
    held = named_parameters(op.tr, first) if isinstance(first, (Layer, Instance)) else None
    if held is None or held.open or any(t.dims is None for _, t in held.items):
        return op.tr.unknown("states of modules", "imprecise"), op.tr.unknown("buffers", "imprecise")
    made = {n: Tensor((len(found), *t.dims), t.dtype, "torch", site=op.where, sources=(t,)) for n, t in held.items}
    return DictV(made), DictV({}, True)


@operator("torch.func.grad torch.func.grad_and_value", "func argnums=0 has_aux=False")
def gradient_function(op: Op, func: Value, argnums: Value, has_aux: Value) -> Value:
    """A function of the same arguments; it gives the gradient of one of them, and the value where that is asked."""
    return Native("gradient", lambda c: _gradient_of(c, op.short == "grad_and_value", func, argnums, has_aux))


def _gradient_of(c: Any, with_value: bool, func: Value, argnums: Value, has_aux: Value) -> Value:
    made = call(c.tr, func, c.args, c.kwargs, c.node)
    if not isinstance(argnums, int) or not -len(c.args) <= argnums < len(c.args) or has_aux is not False:
        return c.tr.unknown("a gradient", "imprecise")
    source = c.args[argnums]
    if not isinstance(source, Tensor):
        return c.tr.unknown("a gradient", "imprecise")
    if isinstance(made, Tensor) and made.dims:
        told = f"only a scalar can be differentiated, and the output has the shape {show_shape(made.dims)}"
        fail(Op(c.tr, "torch.func.grad", c.node, c.tr.site(c.node)), "scalar-loss", told, (made,))
    found = Tensor(source.shape, source.dtype, "torch", site=c.tr.site(c.node), sources=(source,), name="grad")
    return (found, made) if with_value else found


@operator("torch.func.jacrev torch.func.jacfwd torch.func.hessian", "func argnums=0 *rest")
def jacobian_function(op: Op, func: Value, argnums: Value, rest: tuple[Value, ...]) -> Value:
    """The output's axes, then the input's, twice for the second derivatives."""
    return Native("jacobian", lambda c: _jacobian_of(c, 2 if op.short == "hessian" else 1, func, argnums))


def _jacobian_of(c: Any, times: int, func: Value, argnums: Value) -> Value:
    made = call(c.tr, func, c.args, c.kwargs, c.node)
    source = c.args[argnums] if isinstance(argnums, int) and -len(c.args) <= argnums < len(c.args) else None
    if not isinstance(made, Tensor) or not isinstance(source, Tensor) or made.dims is None or source.dims is None:
        return c.tr.unknown("a jacobian", "imprecise")
    return Tensor((*made.dims, *source.dims * times), made.dtype, "torch", site=c.tr.site(c.node), sources=(made,))
