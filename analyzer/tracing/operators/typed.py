"""Functions and layers that are wholly described by their refinement type: operands first, then hyperparameters."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.operators.declaration import BOOLEAN, ELEMENTWISE, FLOATING
from analyzer.operators.registry import layer_or_function, names
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import floating_of, real_of
from analyzer.tracing.operators.open_sequences import joined_dims
from analyzer.tracing.operators.spec_facts import defaults_of, operands
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.registry import spec as find_spec
from analyzer.validity.terms import Poly

_OPERAND_NAMES = {"x": ("input", "x", "self"), "a": ("input", "mat1", "tensor1", "self"), "b": ("other", "mat2",
"tensor2", "vec2"), "index": ("index", "indices"), "weight": ("weight",), "bias": ("bias",),
"condition": ("condition",)}  # fmt: skip
_HYPER_ALIASES = {"axis": "dim", "keepdims": "keepdim"}


# Powers of integers too, by an exponent that is not one.
_FLOATING = frozenset((*names("torch", FLOATING), *names("aten", FLOATING), "expm1", "pow", "angle"))
_REAL = ("abs", "absolute", "angle")


def call_typed(
    tr: Tracer,
    framework: str,
    name: str,
    full_name: str,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    node: ast.Call | None,
) -> Value:
    """None if there is no such type or the call does not fit it."""
    found = find_spec(name, framework)
    if found is None or name[:1].isupper():
        return None
    fixed, variadic = operands(found)
    given = list(args)
    named = dict(kwargs)
    starred = node is None or any(isinstance(a, ast.Starred) for a in node.args)
    sources: list[Any] = [] if node is None or starred else list(node.args)
    if len(sources) < len(given):
        sources = [None] * (len(given) - len(sources)) + sources
    inputs: list[Value] = []
    nodes: dict[str, Any] = {k.arg: k.value for k in node.keywords if k.arg} if node is not None else {}
    if variadic and not fixed:
        first = given.pop(0) if given else named.pop("tensors", None)
        sources = sources[1:]
        if isinstance(first, ListV) and first.open:
            axis = given[0] if given else named.get("dim", named.get("axis", 0))
            return Tensor(joined_dims(tr, name, first, axis), None, framework, site=tr.site(node))
        if not isinstance(first, (tuple, ListV)):
            return Tensor(None, None, framework, site=tr.site(node))
        inputs = list(first.items if isinstance(first, ListV) else first)
    for parameter in fixed:
        if given:
            inputs.append(given.pop(0))
            sources = sources[1:]
            continue
        alias = next((n for n in _OPERAND_NAMES.get(parameter.name, (parameter.name,)) if n in named), None)
        if alias is not None:
            inputs.append(named.pop(alias))
        elif parameter.default is inspect.Parameter.empty:
            return None
        else:
            inputs.append(None)
    hyper: dict[str, Value] = {}
    for parameter_name, value in zip(defaults_of(found), given, strict=False):
        hyper[parameter_name] = value
        if sources and sources[0] is not None:
            nodes[parameter_name] = sources[0]
        sources = sources[1:]
    for key, value in named.items():
        hyper[_HYPER_ALIASES.get(key, key) if key not in defaults_of(found) else key] = value
    if "function" in defaults_of(found):
        hyper["function"] = name
    _rename(hyper, defaults_of(found))
    op = Op(tr, full_name, node, tr.site(node), nodes=nodes)
    if any(
        isinstance(v, Unknown) and v.value is None and k in ("shape", "dims", "size", "repeats", "pad")
        for k, v in hyper.items()
    ):
        return op.finish(
            Tensor(None, None, framework, site=op.where, sources=tuple(i for i in inputs if isinstance(i, Tensor)))
        )
    result = op.finish(apply(op, framework, name, inputs, hyper))
    if isinstance(result, Tensor):
        result.dtype = None if _opened(name, result.dtype, (*args, *kwargs.values())) else floating(name, result.dtype)
    return result


def _opened(name: str, dtype: str | None, given: Sequence[Value]) -> bool:
    """Whether a number among the arguments may give the result another type: of truths, or one with a point."""
    if not (dtype or "").startswith(("int", "uint", "bool")):
        return False
    operator = layer_or_function("torch", name)
    if operator is None or not operator.traits & ELEMENTWISE or operator.traits & BOOLEAN:
        return False
    numbers = [v for v in given if isinstance(v, (int, float, complex, Unknown, Poly)) and not isinstance(v, bool)]
    return any(dtype == "bool" or not isinstance(v, (int, Poly)) for v in numbers)


def _rename(hyper: dict[str, Value], defaults: Mapping[str, Any]) -> None:
    """A function may call what a type needs by another name than the layer: ``x.unflatten(dim=1, sizes=(2, 3))``."""
    lacking = [n for n, default in defaults.items() if default is inspect.Parameter.empty and n not in hyper]
    strange = [n for n in hyper if n not in defaults]
    if len(lacking) == len(strange) == 1:
        hyper[lacking[0]] = hyper.pop(strange[0])


def floating(name: str, dtype: str | None) -> str | None:
    """The element type of a function's result: integers may become the default floating type, which may be any.

    An absolute value or an angle of complex numbers is real.
    """
    dtype = real_of(dtype) if name in _REAL else dtype
    return floating_of(dtype) if name in _FLOATING else dtype
