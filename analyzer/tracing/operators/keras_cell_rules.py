"""Keras: cells of recurrent layers, which a program calls step by step."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Layer, ListV, Value
from analyzer.tracing.operators.element_types import asked_type, default_float
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import items_of
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import Term, equal


@operator(
    "keras.layers.LSTMCell.__init__ keras.layers.GRUCell.__init__ keras.layers.SimpleRNNCell.__init__", "units *rest"
)
def cell_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(
    "keras.layers.LSTMCell.__call__ keras.layers.GRUCell.__call__ keras.layers.SimpleRNNCell.__call__",
    "layer inputs states *rest",
)
def cell(op: Op, layer: Layer, inputs: Value, states: Value, rest: tuple[Value, ...]) -> Value:
    """The output, which is the first state, and the states after the step."""
    units = op.tr.term_of(layer.args.get("units"), "units")
    source = tensor(op, inputs)
    given = [tensor(op, s) for s in (items_of(states) or ([states] if isinstance(states, Tensor) else []))]
    if source is None or not source.dims or units is None or not given:
        return op.tr.unknown("states", "imprecise")
    kind = asked_type(layer.args.get("dtype"), default_float(op.tr))
    held: Value = like(op, source, (*source.dims[:-1], units), kind)
    for state in given[: 2 if layer.name.endswith("LSTMCell") else 1]:
        if state is None or not state.dims:
            return op.tr.unknown("states", "imprecise")
        sentence = f"a state of shape {show_shape(state.dims)} for {units} units"
        require(op, equal(state.dims[-1], units), "units", sentence, (state,))
        held = broadcast(op, "+", held, state, "tf")
    if not isinstance(held, Tensor):
        return op.tr.unknown("states", "imprecise")
    after = [like(op, source, held.dims, kind) for _ in given]
    return held, after[0] if isinstance(states, Tensor) else ListV(list(after))


def check_first_states(op: Op, source: Tensor, given: Value, units: Term) -> None:
    """The states that a recurrent layer starts with: so wide as its own, and for as many examples."""
    states = [given] if isinstance(given, Tensor) else items_of(given)
    for place, state in enumerate(tensor(op, one) for one in states):
        if state is None or not state.dims or not source.dims:
            continue
        if place == 0:
            sentence = f"a state of shape {show_shape(state.dims)} for {units} units"
            require(op, equal(state.dims[-1], units), "units", sentence, (state,))
        broadcast(op, "+", like(op, source, (source.dims[0], units), state.dtype), state, "tf")
