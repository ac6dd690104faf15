"""`module._parameters` and `module._buffers`: what is written into them is registered with the module."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Instance, Layer, Value
from analyzer.tracing.operators.optimizers import own_parameters
from analyzer.tracing.operators.torch_modules import Children, is_module
from analyzer.tracing.paths.tracer import Tracer


def registered_tensors(tr: Tracer, module: Layer | Instance, name: str) -> Children:
    """The tensors by their names; open where there may be others: an attribute that is None may be registered so."""
    attrs = module.attrs.items()
    if name == "_buffers":
        plain = {k: v for k, v in attrs if isinstance(v, Tensor) and "variable" not in v.tags}
        return Children(module, plain, True)
    found = dict(own_parameters(tr, module))
    changed = not tr.knows_objects or bool(tr.modes_origin)
    vague = isinstance(module, Instance) and any(_vague(k, v) for k, v in attrs)
    unknown = found.pop("", False) is not False
    return Children(module, found, unknown or changed or vague)


def _vague(name: str, value: Value) -> bool:
    """Whether an attribute of an object may be a parameter that is not known."""
    plain = isinstance(value, (Tensor, int, float, str, tuple)) or is_module(value)
    return not plain and not name.startswith("__")
