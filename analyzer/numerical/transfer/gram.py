"""Gram matrices: a matrix times its own transpose, whose diagonal holds sums of squares."""

from __future__ import annotations

from typing import Any

from analyzer.numerical.domain.tensor import AbstractTensor


def gram_factor(origin: Any) -> tuple[AbstractTensor, int] | None:
    """The operand of a product of a matrix with its own transpose, and the axis (negative) that is summed over."""
    name, x = origin.rule.name, origin.inputs
    if name == "Einsum" and len(x) == 2 and x[0].key == x[1].key:
        axis = _summed_axis(str(origin.context.attr("equation", "")).replace(" ", ""))
        return None if axis is None else (x[0], axis)
    if name not in ("MatMul", "Gemm") or len(x) < 2 or (len(x) > 2 and x[2] is not None):
        return None
    attr = origin.context.attr
    first = bool(attr("transA", 0) or attr("transpose_a", False) or attr("adj_x", False))
    second = bool(attr("transB", 0) or attr("transpose_b", False) or attr("adj_y", False))
    if float(attr("alpha", 1.0)) != 1.0:
        return None
    if first != second and x[0].key == x[1].key and x[0].rank is not None and x[0].rank >= 2:
        return x[0], -2 if first else -1
    if not first and not second and is_transpose_of(x[1], x[0]):
        return x[0], -1
    if not first and not second and is_transpose_of(x[0], x[1]):
        return x[1], -2
    return None


def is_transpose_of(b: AbstractTensor, a: AbstractTensor) -> bool:
    """Whether the matrices `b` are those of `a` with rows and columns exchanged, all else in its place."""
    origin = b.origin
    if origin is None or origin.rule.name != "Transpose" or a.rank is None or a.rank < 2:
        return False
    order = (
        origin.inputs[1].integers()
        if origin.context.is_tf
        else list(origin.context.attr("perm") or range(a.rank)[::-1])
    )
    swapped = [*range(a.rank - 2), a.rank - 1, a.rank - 2]
    return bool(origin.inputs[0].key == a.key and order == swapped)


def _summed_axis(equation: str) -> int | None:
    """-1 where rows of one matrix are multiplied with each other (``ik,jk->ij``), -2 for columns (``ki,kj->ij``)."""
    given, _, made = equation.partition("->")
    one, _, other = given.partition(",")
    if min(len(one), len(other)) < 2:
        return None
    lead, i, k, j, m = one[:-2], one[-2], one[-1], other[-2], other[-1]
    axis, labels = (-1, (i, j, k)) if k == m else (-2, (k, m, i)) if i == j else (0, ())
    distinct = len(set(labels)) == 3 and not set(labels) & set(lead) and len(set(lead)) == len(lead.replace("...", "."))
    led = other[:-2] == lead == made[:-2] and set(made[-2:]) == set(labels[:2])
    return axis if axis and distinct and led else None
