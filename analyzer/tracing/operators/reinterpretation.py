"""Memory read as elements of another type: ``x.view(torch.int64)``, ``array.view(np.uint8)``."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.operators.element_types import item_size
from analyzer.tracing.operators.table import Op
from analyzer.validity.terms import Term, floor_div


def reinterpreted(op: Op, source: Tensor, dtype: str | None) -> Tensor:
    """The last size changes by the ratio of the sizes of the elements; it is open where one type is not known."""
    result = Tensor(None, dtype, source.framework, site=op.where, sources=(source,), graph=source.graph)
    if source.dims:
        result.shape.dims = (*source.dims[:-1], _last(op, source, dtype))
    elif source.dims is not None:
        result.shape.dims = ()
    return result


def _last(op: Op, source: Tensor, dtype: str | None) -> Term:
    assert source.dims
    open_type = op.tr.types_open and (source.dtype or "").startswith(("float", "bfloat"))
    before, after = None if open_type else item_size(source.dtype), item_size(dtype)
    if before is None or after is None:
        return op.tr.fresh("size", "unknown", 0)
    return source.dims[-1] * (before // after) if before >= after else floor_div(source.dims[-1], after // before)
