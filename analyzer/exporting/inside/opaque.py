"""Operators without an ONNX form stay as they are, under their own name: only they are unknown to the analyses then.

Libraries register kernels of their own (grouped matrix products of mixtures of experts, fused attention), and some of
torch's own operators have no ONNX form (``lgamma``, ``median``, ``cholesky``), none for complex numbers, or one that
refuses the operands at hand. One of them must not keep a whole model from being analysed.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import complex_parts

_MISSING = re.compile(r"No ONNX function found for <OpOverload\(op='([\w:.]+)', overload='(\w+)'\)>")
_FRAMEWORK = frozenset({"prim", "_operator", "higher_order"})  # Python's own arithmetic and control flow
DOMAIN = "torch."  # of ``mylib::scan``: ``torch.mylib``
OF_PAIRS = "_of_pairs"  # ends the name of an operator on complex numbers, which are pairs here and not what torch takes


@contextlib.contextmanager
def where_no_form(torch: Any) -> Iterator[None]:
    """While this lasts the exporter writes each operator that it has no form for, or whose form fails, as one node."""
    try:
        dispatching: Any = importlib.import_module("torch.onnx._internal.exporter._dispatching")
        original = dispatching.dispatch
    except (ImportError, AttributeError):  # another version: `missing` tells what it failed at
        yield
        return

    def dispatched(node: Any, registry: Any) -> tuple[Any, str]:
        form, said = original(node, registry)
        schema = getattr(node.target, "_schema", None)
        if schema is None or schema.name.partition("::")[0] in _FRAMEWORK:
            return form, said
        pairs = complex_parts.taken_by(node, torch)
        form = complex_parts.creation(node, torch) or complex_parts.quotient(node, torch) or form
        if form is None and pairs:
            form = complex_parts.form(node, registry, torch)
        return _or_opaque(form, _as_node(node, OF_PAIRS if pairs else "")), said

    dispatching.dispatch = dispatched
    try:
        yield
    finally:
        dispatching.dispatch = original


def _or_opaque(form: Any, opaque: Callable[..., Any]) -> Callable[..., Any]:
    def written(*arguments: Any, **named: Any) -> Any:
        if form is None:
            return opaque(*arguments, **named)
        tracer = _tracer()
        count, constants = len(tracer.nodes), set(tracer.constant_farm)
        try:
            return form(*arguments, **named)
        except Exception:  # whatever a form fails with: the operator is an unknown node then, and is told as such
            del tracer.nodes[count:]
            for key in set(tracer.constant_farm) - constants:
                del tracer.constant_farm[key]
            return opaque(*arguments, **named)

    return written


def _as_node(node: Any, suffix: str) -> Callable[..., Any]:
    """A form of an operator of a traced program: as many results as tracing found."""
    made = node.meta.get("val")
    return translation(node.target, results=len(made) if isinstance(made, (tuple, list)) else None, suffix=suffix)


def missing(error: BaseException, torch: Any) -> Any:
    """The overload that an export failed at; None if it failed at something else."""
    seen: BaseException | None = error
    while seen is not None:
        found = _MISSING.search(str(seen))
        if found:
            space, _, name = found.group(1).replace("::", ".").partition(".")
            packet = getattr(getattr(torch.ops, space, None), name, None) if space not in _FRAMEWORK else None
            return getattr(packet, found.group(2), None)
        seen = seen.__cause__ or seen.__context__
    return None


def translation(overload: Any, *, results: int | None = None, suffix: str = "") -> Callable[..., Any]:
    """A function for ``custom_translation_table`` that writes `overload` as one node over its tensors.

    The exporter itself gives the results the types and shapes that tracing found. `results` is their number where one
    is a list (``unbind``).
    """
    space, _, name = overload._schema.name.partition("::")
    listed = results is not None
    count = len(overload._schema.returns) if results is None else results

    def node(*arguments: Any, **named: Any) -> Any:
        import onnx_ir as ir

        tensors = [v for v in _flat([*arguments, *named.values()]) if isinstance(v, ir.Value)]
        made = ir.Node(DOMAIN + space, name + suffix, tensors, num_outputs=count)
        made.metadata_props["torch.overload"] = overload._overloadname
        left_out = _left_out(overload._schema, arguments)
        if left_out:
            made.metadata_props["torch.left_out"] = left_out
        for key, value in _numbers(overload, arguments, named):
            made.attributes[key] = ir.convenience.convert_attribute(key, value)
        _tracer().nodes.append(made)
        return made.outputs[0] if count == 1 and not listed else made.outputs

    return node


def _tracer() -> Any:
    from torch.onnx._internal.exporter import _core

    if _core.current_tracer is None:
        raise RuntimeError("no export is under way")
    return _core.current_tracer


def _numbers(overload: Any, arguments: Sequence[Any], named: Any) -> Iterator[tuple[str, Any]]:
    """The arguments that are numbers, texts or truth values, by their names in the schema."""
    names = [a.name for a in overload._schema.arguments]
    for name, value in [*zip(names, arguments), *named.items()]:  # noqa: B905 - Python 3.9
        if isinstance(value, (bool, int, float, str)):
            yield name, int(value) if isinstance(value, bool) else value
        elif isinstance(value, (list, tuple)) and value and all(type(v) is int for v in value):
            yield name, list(value)


def _left_out(schema: Any, arguments: Sequence[Any]) -> str:
    """Of a list of indices (of ``x[:, i]``) a 1 for each tensor and a 0 for each axis that is left out."""
    for argument, value in zip(schema.arguments, arguments):  # noqa: B905 (Python 3.9)
        if str(argument.type) == "List[Optional[Tensor]]" and isinstance(value, (list, tuple)):
            return "".join("0" if v is None else "1" for v in value)
    return ""


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value
