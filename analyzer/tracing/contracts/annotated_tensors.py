"""Arguments that annotations call tensors of PyTorch: one that nobody gives is a tensor of any shape."""

from __future__ import annotations

from analyzer.tracing.language.known_types import is_torch_tensor
from analyzer.tracing.language.values import Function, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.used_as_tensors import is_used_as_array


def enter(tr: Tracer, function: Function, names: dict[str, Value]) -> None:
    """Put tensors in the place of unknown arguments that are annotated as such, but for those that may be arrays."""
    spec = function.node.args
    for parameter in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        value = names.get(parameter.arg)
        if not isinstance(value, Unknown) or value.origin != "param" or value.value is not None or value.pytype:
            continue
        annotated = value.term is None and is_torch_tensor(parameter.annotation, function.scope.globals.names.get)
        if annotated and not is_used_as_array(function.node, parameter.arg):
            names[parameter.arg] = tr.tensor_of(value, "torch")
