"""Names of axes in patterns of one function: a product's result whose axes the next product calls otherwise.

Where `b h i j` is written for what another line of the function has made as `h b i j`, both lines run if the sizes
happen to be the same; that the letters were meant is likely, so it is told as possible. A name that goes over to an
axis of the same size (rows and columns of a square) says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzer.operators.declaration import Trait
from analyzer.operators.registry import layer_or_function
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.attained import making_of
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.symbols import Site

MOST_STEPS = 12  # from one product back to another
_SIGNS = ("*", "/", "+", "-")
_ALONG_AN_AXIS = re.compile(r"(log_)?softmax|dropout", re.IGNORECASE)  # leave every axis where it is, too


def tell_renamed(op: Op, operands: Sequence[Value], pattern: str) -> None:
    """Advise of the first operand whose axes have other names in the pattern than in the product that made it."""
    for operand, text in zip(operands, pattern.partition("->")[0].split(","), strict=False):
        names = _names(text, op.name)
        if not isinstance(operand, Tensor) or operand.dims is None or len(operand.dims) != len(names):
            continue
        made = _named(op, operand)
        if made is None or set(made[0]) != set(names) or len(set(names)) != len(names) or made[0] == names:
            continue
        before, site = made
        sizes = dict(zip(before, operand.dims, strict=True))
        moved = [n for n, size in zip(names, operand.dims, strict=True) if sizes[n] != size]
        if moved:
            told = f"`{' '.join(names)}` is written for what line {site.line} makes as `{' '.join(before)}`"
            op.tr.report(
                Diagnostic(
                    "tracing/forced-dimension", "warning",
                    f"{op.short}: {told}: it fits only where the axes that change places are of one size", op.where,
                    op.name, (), False, operand=moved[0],
                )
            )  # fmt: skip
            return


def _named(op: Op, tensor: Tensor) -> tuple[tuple[str, ...], Site] | None:
    """The names that a product of the same function gave the axes of a tensor, and where."""
    for _ in range(MOST_STEPS):
        making = making_of(tensor)
        if making is None:
            return None
        if making.short == "einsum":
            pattern = next((a for a in (*making.args, *making.kwargs.values()) if isinstance(a, str)), "")
            names = _names(pattern.partition("->")[2], making.name)
            inside = tensor.site is not None and _is_inside(op, tensor.site)
            return (names, tensor.site) if names and inside and tensor.site is not None else None
        short = making.owner.name.rpartition(".")[2] if hasattr(making.owner, "name") else making.short
        if not _keeps_axes(short):
            return None
        kept = [a for a in making.args if isinstance(a, Tensor) and a.dims == tensor.dims and a is not tensor]
        if not kept:
            return None
        tensor = kept[0]
    return None


def _keeps_axes(name: str) -> bool:
    """Whether an operator leaves the axes of its tensor where they are."""
    declared = layer_or_function("torch", name.rstrip("_"))
    elementwise = declared is not None and bool(declared.traits & Trait.ELEMENTWISE)
    return elementwise or name in _SIGNS or bool(_ALONG_AN_AXIS.fullmatch(name))


def _is_inside(op: Op, site: Site) -> bool:
    """Whether it is in the function that is followed."""
    function = op.tr.frame.function
    node = function.node if function is not None else None
    return node is not None and site.path == op.tr.frame.path and node.lineno <= site.line <= (node.end_lineno or 0)


def _names(part: str, operator: str) -> tuple[str, ...]:
    """The names of one operand, which are letters but for einops; empty where some stand for several axes."""
    if "." in part or "(" in part:
        return ()
    return tuple(part.split() if operator.startswith("einops") else part.replace(" ", ""))
