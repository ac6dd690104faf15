"""PyTorch: whether a parameter is trained, and which attributes a program has set on tensors."""

from __future__ import annotations

from analyzer.frameworks.api_tables import framework_data
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.layer_parameters import STATISTICS
from analyzer.tracing.operators.own_gradients import DETACHED
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
    known = known and DETACHED not in tensor.tags and tensor.name not in STATISTICS
    return known and "variable" in tensor.tags and (tensor.dtype or "").startswith(_TRAINED)


_MARKS = "attributes of tensors"


def marked(tr: Tracer, name: str) -> None:
    """An attribute is set of a tensor, or of what may be one."""
    tr.machine.setdefault(_MARKS, tr.unknown(_MARKS)).attrs[name] = None


def lacks_mark(tr: Tracer, value: Value, name: str) -> bool:
    """Whether a tensor has no attribute of the name for sure: PyTorch's class brings none, the program has set none."""
    if not isinstance(value, Tensor) or value.framework != "torch" or not tr.knows_objects or tr.modes_origin:
        return False
    marks = tr.machine.get(_MARKS)
    set_here = (marks is not None and name in marks.attrs) or any(
        full.endswith(f".{name}") for full in tr.shared.set_on_libraries.items
    )
    own = name in framework_data("torch")["attributes"]["torch.Tensor"]
    return not set_here and not own and not name.startswith("__")
