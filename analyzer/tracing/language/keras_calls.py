"""Calls of the program's own layers and losses of Keras: `build` before, `call`, and what Keras hands on to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.function_calls import call_function
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Bound, Class, Function, Instance, Value
from analyzer.tracing.operators import shape_of
from analyzer.tracing.operators.keras_inputs import as_inputs
from analyzer.tracing.paths.tracer import Tracer

Args = tuple[Value, ...]
Kwargs = dict[str, Value]


def is_keras(owner: Instance) -> bool:
    return any(base.startswith("keras.") for base in owner.cls.library_bases)


def call_keras(
    tr: Tracer, owner: Instance, found: tuple[Value, Class], args: tuple[Value, ...], kwargs: dict[str, Value],
    node: ast.Call | None, open_args: bool,
) -> Value:  # fmt: skip
    if args and not owner.built and owner.attrs.get("built") is not True:  # which an own call of `build` sets
        _build_keras(tr, owner, found[0], args, kwargs, node)
    own = owner.attrs.get("call")
    if own is not None:
        return call(tr, own, tuple(as_inputs(owner, v) for v in args), kwargs, node, open_args)
    function = found[0]
    names = _parameter_names(function)
    if any(base.startswith("keras.losses.") for base in owner.cls.library_bases):
        return _call_loss(tr, owner, found, args, kwargs, node)
    kept = {k: v for k, v in kwargs.items() if k in names or function.node.args.kwarg or k not in ("training", "mask")}
    args, kept = tuple(as_inputs(owner, v) for v in args), {k: as_inputs(owner, v) for k, v in kept.items()}
    stated = dict(zip(_positional(function)[1:], args, strict=False)) | kept
    given = stated.keys()
    told = owner.cls.find("compute_output_spec")
    if told is not None and isinstance(told[0], Function) and any(_symbolic(v) for v in args):
        return call_function(tr, told[0], (owner, *args), kept, cls=told[1], node=node, open_args=open_args)
    tr.masking = tr.masking or owner.cls.find("compute_mask") is not None
    if tr.masking and "mask" in names - given:
        kept["mask"] = tr.unknown("a mask that Keras hands on", label="mask")
    with _handed_on(tr, kwargs.get("training", stated.get("training"))) as training:
        if training is not None and "training" in names - given:
            kept["training"] = training
        return call_function(tr, function, (owner, *args), kept, cls=found[1], node=node, open_args=open_args)


def _symbolic(value: Value) -> bool:
    """Whether it stands for what a graph will compute: of such inputs Keras asks a layer that tells it the output."""
    return isinstance(value, Tensor) and value.graph


@contextmanager
def _handed_on(tr: Tracer, training: Value) -> Iterator[Value]:
    """What layers called inside take for `training` where nobody says it: what the call around them was told."""
    before = tr.training
    tr.training = before if training is None else training
    try:
        yield tr.training
    finally:
        tr.training = before


def _call_loss(
    tr: Tracer, owner: Instance, found: tuple[Value, Class], args: Args, kwargs: Kwargs, node: ast.Call | None
) -> Value:
    """``loss(y_true, y_pred, sample_weight=None)``: `call` takes the first two, the library weighs and reduces."""
    two = {k: v for k, v in kwargs.items() if k != "sample_weight"}
    call_function(tr, found[0], (owner, *args[:2]), two, cls=found[1], node=node)
    return Tensor(None, None, "tf", site=tr.site(node))


def _build_keras(
    tr: Tracer, owner: Instance, function: Function, args: Args, kwargs: Kwargs, node: ast.Call | None
) -> None:
    """``build(input_shape)``; one of several parameters takes ``x_shape`` for each argument ``x`` of `call`."""
    build = owner.cls.find("build")
    if build is not None and isinstance(build[0], Function):
        tr.touch(owner)
        owner.built = True
        given = dict(zip(_positional(function)[1:], args, strict=False)) | kwargs
        wanted = _positional(build[0])[1:]
        if len(wanted) > 1 and not all(name.removesuffix("_shape") in _parameter_names(function) for name in wanted):
            return  # Keras refuses to call it: who uses the layer builds it
        several = {name: given.get(name.removesuffix("_shape")) for name in wanted} if len(wanted) > 1 else {}
        shapes = {name: shape_of(tr, value) for name, value in several.items() if value is not None}
        first = () if shapes else (shape_of(tr, args[0]),)
        call_function(tr, build[0], (owner, *first), shapes, cls=build[1])
    elif build is None and "__layer__" in owner.attrs:
        tr.touch(owner)
        owner.built = True
        call(tr, Bound(owner, "build"), (shape_of(tr, args[0]),), {}, node)  # that of the library's layer


def _positional(function: Function) -> list[str]:
    return [p.arg for p in (*function.node.args.posonlyargs, *function.node.args.args)]


def _parameter_names(function: Function) -> set[str]:
    a = function.node.args
    return {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
