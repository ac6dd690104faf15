"""What TensorFlow operators share: operands as tensors, results like an operand, shapes as values."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.operands import items_of, tensor_of
from analyzer.tracing.operators.table import Op
from analyzer.validity.terms import Poly


def tensor(op: Op, value: Value) -> Tensor | None:
    found = tensor_of(op.tr, value, "tf")
    if found is not None and found.framework != "tf":
        found = Tensor(
            found.shape,
            found.dtype,
            "tf",
            site=found.site,
            name=found.name,
            value=found.value,
            sources=(found,),
            graph=found.graph,
            tags=found.tags,
        )
        found.operation = found.sources[0].operation
    return found


def text_tensor(op: Op, value: Value) -> Tensor | None:
    """A text, or lists of texts, as a tensor; None of anything else."""
    found = tensor_of(op.tr, value, "numpy") if _is_text(value) else None
    if found is None or found.dims is None:
        return None
    return Tensor(found.dims, "string", "tf", site=op.where)


def _is_text(value: Value) -> bool:
    if isinstance(value, (tuple, ListV)):
        parts = items_of(value)
        return bool(parts) and all(map(_is_text, parts))
    return isinstance(value, str) or (isinstance(value, Unknown) and value.pytype == "str")


def tensors_of(op: Op, values: Value) -> tuple[tuple[Tensor, ...], bool]:
    """The elements of a list as tensors, and whether there are some, all of known rank."""
    found = [tensor(op, item) for item in items_of(values)]
    tensors = tuple(f for f in found if f is not None)
    return tensors, bool(found) and len(tensors) == len(found) and all(t.dims is not None for t in tensors)


def like(op: Op, source: Tensor, dims: Any, dtype: str | None = None, **more: Any) -> Tensor:
    return Tensor(dims, dtype, "tf", site=op.where, sources=(source,), graph=source.graph, **more)


def shape_value(op: Op, value: Value) -> tuple[Any, ...] | None:
    """A shape argument: a list, a tuple, or a tensor whose elements are known."""
    if isinstance(value, (int, Poly)) and not isinstance(value, bool):
        return (value,)
    if isinstance(value, Tensor) and value.dims == () and (size := op.tr.term_of(value)) is not None:
        return (size,)
    if (
        isinstance(value, Tensor)
        and value.value is None
        and value.dims is not None
        and len(value.dims) == 1
        and isinstance(value.dims[0], int)
    ):
        return None
    found = plain(op.tr, value)
    if dropped(found) or not isinstance(found, tuple) or any(isinstance(v, (tuple, str, float)) for v in found):
        return None
    return found
