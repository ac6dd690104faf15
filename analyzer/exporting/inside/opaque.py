"""Operators without an ONNX form stay as they are, under their own name: only they are unknown to the analyses then.

Libraries register kernels of their own (grouped matrix products of mixtures of experts, fused attention). One of them
must not keep a whole model from being analysed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

_MISSING = re.compile(r"No ONNX function found for <OpOverload\(op='([\w:.]+)', overload='(\w+)'\)>")
_FRAMEWORK = frozenset({"aten", "prim", "prims", "_operator", "higher_order"})  # these have forms, for some dtypes
DOMAIN = "torch."  # of ``mylib::scan``: ``torch.mylib``


def missing(error: BaseException, torch: Any) -> Any:
    """The library's overload that an export failed at; None if it failed at something else."""
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
        tracer.nodes.append(made)
        return made.outputs[0] if results == 1 else made.outputs

    return node


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value
