"""What packed sequences of PyTorch hold, and what they are filled up to."""

from __future__ import annotations

from analyzer.tracing.language.packed_sequences import UNPACKED, packing_of
from analyzer.tracing.language.tensors import Making, Tensor
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.tracer import Tracer


def argument(making: Making, name: str, place: int) -> Value:
    return making.args[place] if len(making.args) > place else making.kwargs.get(name)


def elements_alone(tr: Tracer, packed: Tensor) -> Tensor:
    """`packed.data`: a row for each step that is no padding."""
    lengths = argument(packing_of(packed) or Making("", (), {}), "lengths", 1)
    known = lengths.items if isinstance(lengths, ListV) and not lengths.open else []
    whole = all(type(n) is int for n in known) and known
    rows = sum(known) if whole else tr.fresh("steps", "lost", 1)
    return Tensor((rows, *(packed.dims or ())[2:]) if packed.dims else None, packed.dtype, "torch", site=packed.site)


def padded(op: Op, sequence: Value, batch_first: Value, total_length: Value) -> Value:
    """As many steps as the longest has."""
    making, found = packing_of(sequence), tensor_of(op.tr, sequence, "torch")
    if found is None or found.dims is None or len(found.dims) < 2 or making is None:
        return op.tr.unknown("a padded sequence")
    first, second, *rest = found.dims
    given = argument(making, "batch_first", 2)
    if not isinstance(given or False, bool) or not isinstance(batch_first, bool):
        return op.tr.unknown("a padded sequence")
    steps, batch = (second, first) if given else (first, second)
    lengths = argument(making, "lengths", 1)
    known = lengths.items if isinstance(lengths, ListV) and not lengths.open else []
    if type(total_length) is int:
        steps = total_length
    elif known and all(type(n) is int for n in known):
        steps = max(known)
    elif steps != 1:
        steps = op.tr.fresh("steps", "lost", 1)
    dims = (batch, steps, *rest) if batch_first else (steps, batch, *rest)
    return Tensor(dims, found.dtype, "torch", site=op.where, sources=(found,), name=UNPACKED)
