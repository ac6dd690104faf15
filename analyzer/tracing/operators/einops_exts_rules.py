"""einops_exts: the patterns of einops for several tensors at once."""

from __future__ import annotations

from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.einops_rules import rearranged
from analyzer.tracing.operators.operands import items_of
from analyzer.tracing.operators.table import Op, operator

_HOMES = ("einops_exts", "einops_exts.einops_exts")


def _named(short: str) -> str:
    return " ".join(f"{home}.{short}" for home in _HOMES)


@operator(f"{_named('rearrange_many')} {_named('repeat_many')}", "tensors pattern **axes")
def rearrange_many(op: Op, tensors: Value, pattern: Value, axes: dict[str, Value]) -> Value:
    return _each(op, tensors, pattern, axes, op.short.removesuffix("_many"))


@operator(_named("reduce_many"), "tensors pattern reduction **axes")
def reduce_many(op: Op, tensors: Value, pattern: Value, reduction: Value, axes: dict[str, Value]) -> Value:
    return _each(op, tensors, pattern, axes, "reduce")


def _each(op: Op, tensors: Value, pattern: Value, axes: dict[str, Value], kind: str) -> Value:
    """Each tensor for itself."""
    items = items_of(tensors)
    if not items:
        return op.tr.unknown(f"{op.short}()")
    return ListV([rearranged(op, item, pattern, axes, kind=kind) for item in items])
