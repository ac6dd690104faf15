"""torch.autograd.functional and torch.func: derivatives of functions, followed once for what they are given."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.nested import Leaves, Open, leaves_of, rebuilt
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Native, Value
from analyzer.tracing.operators.gradient_shapes import demand_same_shapes
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import product

_HOME = "torch.autograd.functional"


def _given(inputs: Value) -> tuple[Value, ...] | None:
    """One tensor, or several in a tuple; None where they are not known."""
    if isinstance(inputs, Tensor):
        return (inputs,)
    return inputs if isinstance(inputs, tuple) and inputs and all(isinstance(i, Tensor) for i in inputs) else None


def _as(op: Op, source: Value) -> Value:
    """A tensor of the same shape for each of the leaves."""

    def one(leaf: Value) -> Value:
        if not isinstance(leaf, Tensor):
            raise Open
        return Tensor(leaf.shape, leaf.dtype, "torch", site=op.where, sources=(leaf,), name="grad")

    try:
        return rebuilt(source, Leaves(), one)
    except Open:
        return op.tr.unknown(f"{op.short}()", "imprecise")


def _joined(op: Op, rows: Tensor, columns: Tensor) -> Value:
    if rows.dims is None or columns.dims is None:
        return Tensor(None, None, "torch", site=op.where, sources=(rows, columns))
    return Tensor((*rows.dims, *columns.dims), rows.dtype, "torch", site=op.where, sources=(rows, columns))


@operator(f"{_HOME}.jacobian", "func inputs *rest")
def jacobian(op: Op, func: Value, inputs: Value, rest: tuple[Value, ...]) -> Value:
    """The output's axes, then the input's: for each output, for each input, in tuples where these are."""
    given = _given(inputs)
    made = call(op.tr, func, given, {}, op.node) if given is not None else None
    outputs = _given(made)
    if given is None or outputs is None:
        return op.tr.unknown("a jacobian", "imprecise")
    table = [tuple(_joined(op, o, i) for i in given) for o in outputs]
    lines = tuple(line[0] if isinstance(inputs, Tensor) else line for line in table)
    return lines[0] if isinstance(made, Tensor) else lines


def _scalar_of(op: Op, func: Value, given: tuple[Value, ...]) -> Value:
    """What the function gives: one number."""
    made = call(op.tr, func, given, {}, op.node)
    if isinstance(made, Tensor) and made.dims is not None:
        size = product(made.dims)
        if isinstance(size, int) and size != 1:
            told = f"the function must give a single number, and gives the shape {show_shape(made.dims)}"
            fail(op, "scalar-loss", told, (made,))
    return made


@operator(f"{_HOME}.hessian", "func inputs *rest")
def hessian(op: Op, func: Value, inputs: Value, rest: tuple[Value, ...]) -> Value:
    """The axes of an input, then those of another."""
    given = _given(inputs)
    if given is None:
        return op.tr.unknown("a hessian", "imprecise")
    _scalar_of(op, func, given)
    table = tuple(tuple(_joined(op, i, j) for j in given) for i in given)
    return table[0][0] if isinstance(inputs, Tensor) else table


@operator(f"{_HOME}.hvp {_HOME}.vhp", "func inputs v=None *rest")
def times_hessian(op: Op, func: Value, inputs: Value, v: Value, rest: tuple[Value, ...]) -> Value:
    """The output, and the product, of the inputs' shapes; the vector has them too."""
    given = _given(inputs)
    if given is None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    made = _scalar_of(op, func, given)
    _demand(op, inputs, v)
    return made, _as(op, inputs)


@operator(f"{_HOME}.vjp {_HOME}.jvp", "func inputs v=None *rest")
def times_jacobian(op: Op, func: Value, inputs: Value, v: Value, rest: tuple[Value, ...]) -> Value:
    """The output, and the product: of the inputs' shapes for a vector of the output's, or the other way round."""
    given = _given(inputs)
    if given is None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    made = call(op.tr, func, given, {}, op.node)
    _demand(op, made if op.short == "vjp" else inputs, v)
    return made, _as(op, inputs if op.short == "vjp" else made)


def _demand(op: Op, like: Value, vector: Value) -> None:
    """The vector has the shape of what it stands for."""
    if isinstance(like, Tensor) == isinstance(vector, Tensor):
        demand_same_shapes(op, like, vector)


# ------------------------------------------------------------------------------------------------ torch.func


@operator("torch.func.jvp", "func primals tangents *rest has_aux=False")
def forward_product(
    op: Op, func: Value, primals: Value, tangents: Value, rest: tuple[Value, ...], has_aux: Value
) -> Value:
    """The output and its change, of one shape; the tangents have the shapes of what they change."""
    if not isinstance(primals, tuple) or rest or has_aux is not False:
        return op.tr.unknown("jvp()", "imprecise")
    _demand_each(op, primals, tangents)
    made = call(op.tr, func, primals, {}, op.node)
    return made, _as(op, made)


@operator("torch.func.linearize", "func *primals")
def linearized(op: Op, func: Value, primals: tuple[Value, ...]) -> Value:
    """The output, and the function from tangents to its change."""
    made = call(op.tr, func, primals, {}, op.node)
    return made, Native("jvp", lambda c: _changed(_later(op, c), primals, c.args, made))


def _changed(op: Op, primals: tuple[Value, ...], tangents: tuple[Value, ...], made: Value) -> Value:
    _demand_each(op, primals, tangents)
    return _as(op, made)


@operator("torch.func.vjp", "func *primals has_aux=False")
def backward_product(op: Op, func: Value, primals: tuple[Value, ...], has_aux: Value) -> Value:
    """The output, and the function that gives for its cotangents one gradient for each argument."""
    made = call(op.tr, func, primals, {}, op.node)
    if has_aux is not False:
        return op.tr.unknown("vjp()", "imprecise")
    return made, Native("vjp", lambda c: _pulled_back(_later(op, c), primals, c.args, made))


def _pulled_back(op: Op, primals: tuple[Value, ...], cotangents: tuple[Value, ...], made: Value) -> Value:
    if len(cotangents) == 1:
        _demand_each(op, (made,), cotangents)
    return tuple(_as(op, primal) for primal in primals)


def _later(op: Op, c: Any) -> Op:
    return Op(c.tr, op.name, c.node, c.tr.site(c.node))


def _demand_each(op: Op, first: Value, second: Value) -> None:
    """Of the same structure, and each tensor of the same shape."""
    try:
        pairs = [leaves_of(value, Leaves(ordered=True)) for value in (first, second)]
    except Open:
        return
    if len(pairs[0]) == len(pairs[1]) and all(isinstance(leaf, Tensor) for side in pairs for leaf in side):
        demand_same_shapes(op, ListV(pairs[0]), ListV(pairs[1]))
