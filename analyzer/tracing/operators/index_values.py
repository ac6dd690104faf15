"""Indices that lie outside what they choose from, as the program writes them or a run on made-up numbers has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op


def check_indices(op: Op, index: Value, size: Any, what: str, *, from_end: bool = False, ignored: Value = None) -> None:
    """Each index lies in [0, size), with `from_end` in [-size, size); `ignored` is a number that may stand outside."""
    if type(size) is not int:
        return
    found = tensor_of(op.tr, index, "torch")
    if found is None or not (found.dtype or "int64").startswith(("int", "uint")):
        op.tr.shared.asks_values = True
        return
    extent = _of_known(found, ignored)
    if extent is None:
        op.tr.shared.asks_values = True
        extent = None if op.tr.sampler is None else op.tr.sampler.extent(found, ignored)
    if extent is None:
        return
    low, high = extent
    outside = high if high >= size else low if low < (-size if from_end else 0) else None
    if outside is not None:
        fail(op, "index", f"index {outside} is outside {what} of size {size}", (found,))


def _of_known(index: Tensor, ignored: Value) -> tuple[int, int] | None:
    """The least and the largest of indices that the program writes down; None where one is not known."""
    if index.framework not in ("torch", "numpy") or not (ignored is None or type(ignored) is int):
        return None
    found = list(_numbers(index.value))
    if not found or any(type(n) is not int for n in found):
        return None
    kept = [n for n in found if n != ignored]
    return (min(kept), max(kept)) if kept else None


def _numbers(elements: Any) -> Iterator[Any]:
    if isinstance(elements, tuple):
        for part in elements:
            yield from _numbers(part)
    else:
        yield elements


def check_along(op: Op, input: Value, dim: Value, index: Value) -> None:
    """The same for what `gather` and its like choose along an axis."""
    owner = tensor_of(op.tr, input, "torch")
    if owner is None or not owner.dims or not isinstance(dim, int):
        return
    if -len(owner.dims) <= dim < len(owner.dims) and isinstance(index, Tensor):
        check_indices(op, index, owner.dims[dim], f"dimension {dim}")
