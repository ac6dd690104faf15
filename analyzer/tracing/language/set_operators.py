"""Operators of tensors that a program replaces: `torch.Tensor.__matmul__ = …`."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.operand_refusals import METHODS
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Function, Value
from analyzer.tracing.paths.tracer import Tracer


def by_program(tr: Tracer, symbol: str, left: Value, right: Value, in_place: bool) -> Value | None:
    """What the program's own operator gives; None where it has set none."""
    own, name = tr.shared.set_on_libraries.items, METHODS[symbol]
    ways = (*(((left, right, f"__i{name}__"),) if in_place else ()), (left, right, f"__{name}__"))
    for owner, other, method in (*ways, (right, left, f"__r{name}__")):
        if not isinstance(owner, Tensor) or owner.framework != "torch":
            continue
        found = own.get(f"torch.Tensor.{method}")
        if found is not None:
            followed = isinstance(found[0], Function)
            return call(tr, found[0], (owner, other), {}) if followed else tr.unknown("arithmetic")
        if owner is left and method == f"__{name}__":
            return None  # the library's own comes first
    return None
