"""PyTorch: whether a parameter is trained, as long as nothing in the program says that one is not."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.paths.tracer import Tracer

_FROZEN = "requires_grad"  # under which the tracer keeps that the program chooses what is trained
_TRAINED = ("float", "bfloat", "complex")


def choose_trained(tr: Tracer, wanted: Value) -> None:
    """`requires_grad` is set of something: from then on what is trained is open, unless all of it shall be."""
    if wanted is not True and _FROZEN not in tr.machine:
        tr.machine[_FROZEN] = tr.unknown("whether a parameter is trained", "data", "requires_grad", "bool")


def is_trained(tr: Tracer, tensor: Tensor) -> bool:
    """Whether the tensor is a parameter that is trained for sure: a new one is, of any floating type."""
    known = tr.knows_objects and not tr.modes_origin and _FROZEN not in tr.machine
    return known and "variable" in tensor.tags and (tensor.dtype or "").startswith(_TRAINED)
