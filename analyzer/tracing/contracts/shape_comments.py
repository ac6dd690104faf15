"""Shapes that comments and docstrings name: advice where a value never has the shape that prose gives it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from analyzer.tracing.contracts.declared_shapes import Axis, Contract, Sizes, aligned, expression_of, size_of
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.validity.terms import Poly, Term

if TYPE_CHECKING:
    from analyzer.tracing.paths.tracer import Tracer

_COMMENT = re.compile(r"^(?:shape|size|dims?|output|out)?\s*[:=]?\s*[(\[]([^()\[\]]{1,60})[)\]]\s*$", re.IGNORECASE)


def commented(text: str) -> Contract | None:
    """The shape that a comment names: ``(B, C, H, W)``, ``[batch, 10]``, ``shape: (n, 3*d)``."""
    found = _COMMENT.match(text.strip().lstrip("#").strip())
    if found is None or "," not in found[1]:
        return None
    parts = [p.strip().replace("^", "**") for p in found[1].split(",") if p.strip()]
    if any(not re.fullmatch(r"\.\.\.|\*?[A-Za-z_]\w*|\d+|[\w\s*+\-/]+", p) for p in parts):
        return None
    axes = [Axis("many", "...") if p.startswith(("...", "*")) else _axis(_joined(p)) for p in parts]
    return tuple(axes) if sum(a.kind == "many" for a in axes) <= 1 else None


def _joined(text: str) -> str:
    """The name of a size of several words, as code writes it, or an expression without its spaces."""
    return re.sub(r"\s+", "_" if re.fullmatch(r"[A-Za-z][\w\s]*", text) else "", text)


def _axis(text: str) -> Axis:
    node = expression_of(text.replace("/", "//") if "//" not in text else text)
    return Axis("size", text) if isinstance(node, (ast.Name, ast.Constant)) else Axis("any", text)


def check_comment(tr: Tracer, value: Value, node: ast.Assign | ast.AnnAssign | ast.AugAssign, sizes: Sizes) -> None:
    """Advice where a comment at the end of an assignment names a shape that the value never has."""
    lines = tr.shared.comments_of(tr.frame.path)
    text = lines.get(node.end_lineno or node.lineno) if lines else None
    contract = commented(text) if text is not None else None
    if contract is None or not isinstance(value, Tensor) or value.dims is None or value.shape.vague:
        return
    wrong = mismatch(value.dims, contract, sizes)
    if wrong and tr.certain and tr.feasible():
        message = f"the comment names the shape {text}, but {wrong}: {show_shape(value.dims)}"
        problem = Diagnostic(
            "tracing/shape-comment", "note", message, tr.site(node), "comment", (), True, None, text or ""
        )
        tr.report(problem)


def mismatch(dims: tuple[Term, ...], contract: Contract, sizes: Sizes) -> str:
    """In which axis or rank a shape that prose names is not that of the value; empty where it may be."""
    many = next((i for i, a in enumerate(contract) if a.kind == "many"), None)
    least = len(contract) - (many is not None)
    if len(dims) < least or (many is None and len(dims) > least):
        return f"it has {len(dims)} dimensions"
    for axis, size in aligned(contract, dims, many):
        wanted = size_of(axis, sizes)
        if wanted is None:
            sizes.setdefault(axis.text, size)
        elif _differ(size, wanted, sizes):
            return f"`{axis}` is {size}" + ("" if axis.text.isdigit() else f", and {wanted} above")
    return ""


def _differ(size: Term, wanted: Term, sizes: Sizes) -> bool:
    """Whether two sizes differ: numbers, or two that the prose has named and nothing has made the same."""
    if isinstance(size, int) and isinstance(wanted, int):
        return size != wanted
    named = [sizes[n] for n in sizes if n and isinstance(sizes[n], Poly) and _is_declared(sizes[n], sizes)]
    return size != wanted and any(size is n for n in named) and any(wanted is n for n in named)


def _is_declared(size: Poly, sizes: Sizes) -> bool:
    return {s.name for s in size.symbols} <= set(sizes.get("", ()))
