"""Operators without an ONNX form stay as they are, under their own name: only they are unknown to the analyses then.

Libraries register kernels of their own (grouped matrix products of mixtures of experts, fused attention), and some of
torch's own operators have no ONNX form (``lgamma``, ``median``, ``cholesky``). One of them must not keep a whole model
from being analysed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

_MISSING = re.compile(r"No ONNX function found for <OpOverload\(op='([\w:.]+)', overload='(\w+)'\)>")
_FRAMEWORK = frozenset({"prim", "_operator", "higher_order"})  # Python's own arithmetic and control flow
DOMAIN = "torch."  # of ``mylib::scan``: ``torch.mylib``


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


def translation(overload: Any) -> Callable[..., Any]:
    """A function for ``custom_translation_table`` that writes `overload` as one node over its tensors.

    The exporter itself gives the results the types and shapes that tracing found.
    """
    space, _, name = overload._schema.name.partition("::")
    results = len(overload._schema.returns)

    def node(*arguments: Any, **named: Any) -> Any:
        import onnx_ir as ir
        from torch.onnx._internal.exporter import _core

        tracer = _core.current_tracer
        if tracer is None:
            raise RuntimeError("no export is under way")
        tensors = [v for v in _flat([*arguments, *named.values()]) if isinstance(v, ir.Value)]
        made = ir.Node(DOMAIN + space, name, tensors, num_outputs=results)
        made.metadata_props["torch.overload"] = overload._overloadname
        for key, value in _numbers(overload, arguments, named):
            made.attributes[key] = ir.convenience.convert_attribute(key, value)
        tracer.nodes.append(made)
        return made.outputs[0] if results == 1 else made.outputs

    return node


def _numbers(overload: Any, arguments: Any, named: Any) -> Iterator[tuple[str, Any]]:
    """The arguments that are numbers, texts or truth values, by their names in the schema."""
    names = [a.name for a in overload._schema.arguments]
    for name, value in [*zip(names, arguments), *named.items()]:  # noqa: B905 - Python 3.9
        if isinstance(value, (bool, int, float, str)):
            yield name, int(value) if isinstance(value, bool) else value
        elif isinstance(value, (list, tuple)) and value and all(type(v) is int for v in value):
            yield name, list(value)


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value
