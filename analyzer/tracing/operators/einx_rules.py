"""einx: operations whose patterns name the axes of each operand, `einx.add('i, j -> i j', x, y)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.einops_rules import Group, groups_of, joined, lengths_of, operand_of, split
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal

_RULE = "pattern"
_ARITHMETIC = (
    "add subtract multiply divide true_divide floor_divide mod maximum minimum logaddexp where dot get_at rearrange id"
)
_TRUTHS = "less less_equal greater greater_equal equal not_equal logical_and logical_or"
_REDUCTIONS = "sum mean max min prod std var any all logsumexp count_nonzero"
_ALONG = "softmax log_softmax flip roll sort"


def _named(names: str) -> str:
    return " ".join(f"einx.{name}" for name in names.split())


@operator(_named(_ARITHMETIC), "pattern *operands **axes")
def arithmetic(op: Op, pattern: Value, operands: tuple[Value, ...], axes: dict[str, Value]) -> Value:
    return _combined(op, pattern, operands, axes)


@operator(_named(_TRUTHS), "pattern *operands **axes")
def comparison(op: Op, pattern: Value, operands: tuple[Value, ...], axes: dict[str, Value]) -> Value:
    return _combined(op, pattern, operands, axes, "bool")


@operator(_named(_REDUCTIONS), "pattern *operands **axes")
def reduction(op: Op, pattern: Value, operands: tuple[Value, ...], axes: dict[str, Value]) -> Value:
    """Without an arrow the axes in brackets go."""
    if isinstance(pattern, str) and "->" not in pattern and "[" in pattern:
        kept = "".join(part.partition("]")[2] if i else part for i, part in enumerate(pattern.split("[")))
        pattern = f"{pattern}->{kept}"
    return _combined(op, pattern, operands, axes, "bool" if op.short in ("any", "all") else "")


@operator(_named(_ALONG), "pattern *operands **axes")
def along(op: Op, pattern: Value, operands: tuple[Value, ...], axes: dict[str, Value]) -> Value:
    return _combined(op, pattern, operands, {k: v for k, v in axes.items() if k != "shift"})


def _combined(
    op: Op, pattern: Value, operands: Sequence[Value], axes: Mapping[str, Value], dtype: str | None = ""
) -> Value:
    """What operands of these axes give: each name is one size, and the right side says which are left."""
    tensors = [None if isinstance(v, (bool, int, float)) else operand_of(op, v) for v in operands]
    given = tuple(t for t in tensors if t is not None)
    sides = _sides(pattern)
    framework = given[0].framework if given and given[0].framework != "unknown" else "torch"
    if sides is None or len(given) < sum(not isinstance(v, (bool, int, float)) for v in operands) or not given:
        return unknown_tensor(op, framework, given)
    left, right = sides
    if len(left) != len(operands):
        fail(op, _RULE, f"the pattern names {len(left)} operands but {len(operands)} are given", given)
    names = [name for side in (*left, right) for group in side for name in group]
    sizes: dict[str, Any] = {
        **lengths_of(op, {k: v for k, v in axes.items() if k in names}),
        **{name: int(name) for name in names if name.isdecimal() and name != "1"},
    }
    for tensor, groups in zip(tensors, left, strict=True):
        if tensor is None:
            continue
        middle = sizes.pop("…", None)
        found = split(op, tensor, groups, sizes)
        if found is None:
            return unknown_tensor(op, framework, given)
        sizes = found
        if middle is not None and not _same_middle(op, middle, sizes.setdefault("…", middle), given):
            return unknown_tensor(op, framework, given)
    missing = [name for group in right for name in group if name != "1" and name not in sizes]
    if missing:
        fail(op, _RULE, f"axis {missing[0].replace('…', '...')} of the result is in no operand", given)
    values = given[1] if op.short == "where" and len(given) > 1 else given[0]
    return Tensor(
        joined(right, sizes), values.dtype if dtype == "" else dtype, framework, site=op.where, sources=given,
        graph=any(t.graph for t in given),
    )  # fmt: skip


def _same_middle(op: Op, first: Sequence[Any], second: Sequence[Any], given: tuple[Tensor, ...]) -> bool:
    """Whether the ellipses of two operands may stand for the same axes, which is demanded of their sizes."""
    if len(first) != len(second):
        return False
    for a, b in zip(first, second, strict=True):
        require(op, equal(a, b), _RULE, f"... has {a} in one operand and {b} in another", given)
    return True


def _sides(pattern: Value) -> tuple[list[list[Group]], list[Group]] | None:
    """The axes of each operand and of the result; without an arrow it is the operand that has all axes."""
    if not isinstance(pattern, str) or pattern.count("->") > 1:
        return None
    left, arrow, right = pattern.replace("[", " ").replace("]", " ").partition("->")
    operands = [groups_of(part) for part in left.split(",")]
    known = [groups for groups in operands if groups is not None]
    if len(known) < len(operands):
        return None
    if arrow:
        result = groups_of(right)
        return (known, result) if result is not None else None
    every = {name for groups in known for group in groups for name in group} - {"1"}
    whole = [groups for groups in known if every <= {name for group in groups for name in group}]
    return (known, whole[0]) if whole else None
