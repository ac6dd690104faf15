"""Sums and multiples of PyTorch's sequences and lists of modules."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import iterate
from analyzer.tracing.language.values import CHILDREN, DictV, Layer, ListV, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer


def joined_layers(tr: Tracer, symbol: str, left: Value, right: Value, in_place: bool) -> Layer | None:
    """`a + b` of two sequences, or of a list of modules and any others; `a * 2` of a sequence. None for others."""
    if not isinstance(left, Layer):
        left, right = (right, left) if symbol == "*" else (left, right)
    kind, own = (left.name, left.attrs.get(CHILDREN)) if isinstance(left, Layer) else ("", None)
    if not isinstance(left, Layer) or not isinstance(own, ListV):
        return None
    if kind == "torch.nn.Sequential" and symbol == "*" and type(right) is int and right > 0:
        items, whole = list(own.items) * right, not own.open
    elif symbol == "+" and kind in ("torch.nn.Sequential", "torch.nn.ModuleList"):
        more = _modules(tr, right)
        items, whole = [*own.items, *(more or ())], not own.open and more is not None
    else:
        return None
    if in_place:
        tr.touch(own)
        own.items, own.open = items, not whole
        return left
    made = Layer(kind, {}, left.site)
    made.attrs[CHILDREN] = ListV(items, not whole)
    return made


def _modules(tr: Tracer, value: Value) -> list[Value] | None:
    """What a sequence, or something that is gone through, holds; None where not all of it is known."""
    held = value.attrs.get(CHILDREN) if isinstance(value, Layer) else value
    if isinstance(held, (Unknown, Layer, DictV)) or (isinstance(held, ListV) and held.open):
        return None
    items, endless = iterate(tr, held, None)
    return None if endless else list(items)
