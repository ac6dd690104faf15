"""The call of a module that a program replaces: `torch.nn.Module.__call__ = …`."""

from __future__ import annotations

from analyzer.tracing.language.values import Function, Instance, Layer, Value
from analyzer.tracing.paths.tracer import Tracer

MODULE_CALL = "torch.nn.Module.__call__"


def set_call(tr: Tracer, module: Instance | Layer) -> Value:
    """What the program has set for this object; None where it has set nothing, an unknown for what is not followed."""
    found = tr.shared.set_on_libraries.items.get(MODULE_CALL)
    if found is None or not _answers(module):
        return None
    return found[0] if isinstance(found[0], Function) else tr.unknown("a call that the program has set")


def _answers(module: Instance | Layer) -> bool:
    """Whether it is a module of torch that has no call of its own."""
    if isinstance(module, Layer):
        return module.name.startswith("torch.nn.")
    of_torch = any(base.startswith("torch.nn.") for base in module.cls.library_bases)
    return of_torch and module.cls.find("__call__") is None
