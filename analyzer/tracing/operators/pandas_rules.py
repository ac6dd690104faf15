"""pandas: tables made of arrays, lists and other tables."""

from __future__ import annotations

from analyzer.tracing.language.rows import FRAME, SERIES, Rows
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.operands import items_of, tensor_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tables import frame_of


@operator("pandas.DataFrame", "data=None index=None columns=None *rest")
def frame(op: Op, data: Value, index: Value, columns: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(columns, Rows):
        columns = None
    array = tensor_of(op.tr, data, "numpy") if isinstance(data, (Tensor, ListV)) else None
    names = columns.items if isinstance(columns, ListV) and not columns.open else None
    if array is not None and array.dims and names and array.dims[0] != 0:
        width = array.dims[1] if len(array.dims) > 1 else 1
        if isinstance(width, int) and width != len(names):
            fail(op, "columns", f"the data has {width} columns, and {len(names)} names are given", (array,))
    return frame_of(op.tr, data, columns) or op.tr.unknown("a table", "data")


@operator("pandas.Series", "data=None *rest")
def series(op: Op, data: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor_of(op.tr, data, "numpy") if isinstance(data, (Tensor, ListV, Rows)) else None
    if found is None or found.dims is None or len(found.dims) != 1:
        return op.tr.unknown("a series", "data")
    return Rows(SERIES, Tensor(found.dims, found.dtype, "numpy"))


@operator("pandas.concat", "objs axis=0 *rest")
def concat(op: Op, objs: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    """Along the rows where all have the same columns; side by side the index decides, unless the rows are as many."""
    parts = items_of(objs)
    tables = [p for p in parts if isinstance(p, Rows) and p.kind in (FRAME, SERIES) and p.array.dims is not None]
    if not tables or len(tables) < len(parts):
        return op.tr.unknown("a table", "data")
    shapes = [t.array.dims or () for t in tables]
    if axis in (0, "index") and len({(t.kind, t.columns) for t in tables}) == 1:
        if tables[0].kind == FRAME and tables[0].columns is None:
            return op.tr.unknown("a table", "data")
        return tables[0].like((sum(s[0] for s in shapes), *shapes[0][1:]), tables[0].columns)
    return op.tr.unknown("a table", "data")


@operator("pandas.isna pandas.isnull pandas.notna pandas.notnull", "obj")
def missing(op: Op, obj: Value) -> Value:
    if isinstance(obj, Rows):
        return obj.like(obj.array.dims, obj.columns)
    return Unknown("whether it is missing", "data", pytype="bool")
