"""Python's conversions of a tensor to one number or one truth, which need exactly one element."""

from __future__ import annotations

import ast

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import product

_EAGER = ("torch", "numpy")


def demand_one_element(tr: Tracer, value: Value, wanted: str, node: ast.AST | None = None) -> None:
    """Raise, as the framework does, where a tensor has no element or more than one."""
    if not isinstance(value, Tensor) or value.framework not in _EAGER or value.dims is None:
        return
    size = product(value.dims)
    if size == 1 if isinstance(size, int) else size.interval.lo <= 1:
        return
    op = Op(tr, wanted, node if isinstance(node, ast.Call) else None, tr.site(node))
    sentence = f"only one element can be converted, and the tensor has the shape {show_shape(value.dims)}"
    fail(op, "one-element", sentence, (value,))
