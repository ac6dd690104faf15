"""What pandas' frames and series, and nested lists of numbers, are asked for: shapes, columns, arrays."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.language.evaluation import ATTRIBUTES, ELEMENTS, ITEMS, get_item
from analyzer.tracing.language.plain_data import hashable
from analyzer.tracing.language.rows import FRAME, LIST, SERIES, Rows
from analyzer.tracing.language.tensors import Size, Tensor
from analyzer.tracing.language.values import Bound, ListV, SliceV, Unknown, Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

MOST_ROWS = 64  # of a list that are gone through one by one
# fmt: off
_KEEPING = frozenset((  # the shape stays
    "astype", "fillna", "ffill", "bfill", "interpolate", "copy", "sort_values", "sort_index", "round", "abs", "rank",
    "clip", "shift", "diff", "pct_change", "cumsum", "cumprod", "cummax", "cummin", "isna", "isnull", "notna",
    "notnull", "replace", "infer_objects", "convert_dtypes", "rename", "set_axis", "map", "applymap", "isin", "between",
    "where", "mask", "duplicated",
))
_FEWER = frozenset(("dropna", "drop_duplicates", "query", "nlargest", "nsmallest", "truncate"))  # rows that are left
_CHANGING = frozenset(("insert", "update", "pop"))
_OVER_ROWS = frozenset((
    "sum", "mean", "std", "var", "min", "max", "median", "prod", "any", "all", "nunique", "count", "sem", "skew",
))
# fmt: on
_METHODS = _KEEPING | _FEWER | _CHANGING | _OVER_ROWS | {"index", "size", "head", "tail", "sample", "drop"}
_TRUTHS = ("isna", "isnull", "notna", "notnull", "isin", "between", "duplicated")


@ATTRIBUTES.of(Rows)
def _attribute(tr: Tracer, value: Rows, name: str, node: ast.AST | None) -> Value:
    dims = value.array.dims
    if value.kind == LIST:
        return Bound(value, name)
    if name == "values":
        return _array(value)
    if name == "shape" and dims is not None:
        return Size(dims)
    if name == "columns" and value.kind == FRAME:
        width = value.like(None if dims is None else dims[1:])
        return ListV(value.columns) if value.columns is not None else Rows(LIST, width.array)
    if name == "ndim":
        return 2 if value.kind == FRAME else 1
    if name in ("iloc", "loc"):
        return Rows(name, value.array, value.columns if value.kind == FRAME else None, value)
    if name == "T" and dims is not None:
        return value.like(tuple(reversed(dims)))
    if value.columns is not None and name in value.columns and name not in _METHODS:
        return _column(value)
    return Bound(value, name)


def _array(value: Rows) -> Tensor:
    return Tensor(value.array.dims, value.array.dtype, "numpy", site=value.array.site)


def _column(value: Rows) -> Rows:
    dims = value.array.dims
    return Rows(SERIES, Tensor(None if dims is None else dims[:1], None, "numpy"))


@ITEMS.of(Rows)
def item(tr: Tracer, value: Rows, index: Value, node: ast.AST | None) -> Value:
    dims = value.array.dims
    if value.kind == LIST:
        plainly = isinstance(index, (int, SliceV)) and not isinstance(index, bool)
        return _part(get_item(tr, value.array, index, node)) if plainly else tr.unknown("an item of a list")
    if value.kind in ("iloc", "loc"):
        return _located(tr, value, index, node)
    if dims is None:
        return tr.unknown("a part of a table", "data")
    if isinstance(index, SliceV):
        return _cut(tr, value, index, node)
    rows = tr.fresh("rows", "unknown", 0)
    if _a_truth(index):
        return value.like((rows, *dims[1:]), value.columns)
    if value.kind == FRAME:
        chosen = list(value.columns or ()) if isinstance(index, Rows) else _names(index)
        if chosen is not None and not isinstance(index, Rows):
            return value.like((dims[0], len(chosen)), tuple(chosen))
        if isinstance(index, str):
            return _column(value)
    return tr.unknown("a part of a table", "data")


def _a_truth(index: Value) -> bool:
    """Whether it chooses rows: a comparison of a column."""
    of = index.array if isinstance(index, Rows) else index
    return isinstance(of, Tensor) and (of.dtype == "bool" or (isinstance(index, Rows) and index.kind == SERIES))


def _names(index: Value) -> list[Any] | None:
    if isinstance(index, ListV) and not index.open and all(isinstance(i, str) for i in index.items):
        return list(index.items)
    return None


def _cut(tr: Tracer, value: Rows, index: SliceV, node: ast.AST | None) -> Value:
    found = get_item(tr, value.array, index, node)
    return value.like(found.dims, value.columns) if isinstance(found, Tensor) else tr.unknown("rows", "data")


def _located(tr: Tracer, value: Rows, index: Value, node: ast.AST | None) -> Value:
    """`iloc` counts as an array does, but for its slices, which may reach too far; `loc` names rows and columns."""
    parts = index if isinstance(index, tuple) else (index,)
    dims = value.array.dims
    counted = all(isinstance(p, SliceV) or (isinstance(p, int) and not isinstance(p, bool)) for p in parts)
    if value.kind == "iloc" and counted and dims is not None and len(parts) <= len(dims):
        found = get_item(tr, value.array, index, node)
        if isinstance(found, Tensor) and found.dims is not None:
            if not found.dims:
                return tr.unknown("a number", "data", pytype="number")
            return Rows(FRAME if len(found.dims) == 2 else SERIES, Tensor(found.dims, None, "numpy"))
    everything = isinstance(parts[0], SliceV) and (parts[0].start, parts[0].stop) == (None, None)
    if value.kind == "loc" and len(parts) == 2 and everything and isinstance(parts[1], (str, ListV)):
        return item(tr, Rows(FRAME, value.array, value.columns), parts[1], node)
    return tr.unknown("a part of a table", "data")


def _part(found: Value) -> Value:
    """An element of a nested list: a list again, or a number."""
    if isinstance(found, Tensor) and found.dims:
        return Rows(LIST, Tensor(found.dims, found.dtype, "numpy"))
    if isinstance(found, Tensor) and found.dims == ():
        told = "imprecise" if found.written else "data"
        return (
            found.value
            if found.value is not None
            else record("item", (found,), {}, Unknown("a number", told, pytype="number"))
        )
    return Unknown("an element of a list")


@ELEMENTS.of(Rows)
def _elements(tr: Tracer, value: Rows, node: ast.AST | None) -> Any:
    if value.kind == FRAME and value.columns is not None:
        return iter(value.columns), False
    dims = value.array.dims
    part = value.array if value.kind != FRAME else Tensor(None)  # going over a frame gives the names of its columns
    count = dims[0] if dims and value.kind != FRAME else None

    def each() -> Any:
        return _part(Tensor(part.dims[1:], part.dtype, "numpy") if part.dims else part)

    if isinstance(count, int) and count <= MOST_ROWS:
        return iter([each() for _ in range(count)]), False
    return _forever(tr, each), True


def _forever(tr: Tracer, each: Any) -> Any:
    while True:
        tr.step()
        yield each()


def length(tr: Tracer, value: Rows) -> Value:
    return value.array.dims[0] if value.array.dims else tr.unknown("a length", "data", pytype="int")


def set_column(tr: Tracer, value: Rows, index: Value) -> None:
    """`frame["name"] = …`: one more column unless there is one of the name."""
    dims = value.array.dims
    changed = value.located or value
    tr.touch(changed)
    if value.kind in (LIST, "loc"):
        changed.forgotten()
    if value.kind != FRAME or dims is None:
        return
    if isinstance(index, str) and value.columns is not None:
        if index not in value.columns:
            value.columns = (*value.columns, index)
        value.array = Tensor((dims[0], len(value.columns)), None, "numpy")
    elif isinstance(index, str) or not isinstance(index, Rows):
        value.columns, value.array = None, Tensor((dims[0], tr.fresh("columns", "unknown", 0)), None, "numpy")


def set_names(tr: Tracer, value: Rows, names: Value) -> None:
    """`frame.columns = names`."""
    tr.touch(value)
    dims = value.array.dims
    known = isinstance(names, ListV) and not names.open and dims is not None and len(names.items) == dims[-1]
    value.columns = tuple(names.items) if known else None


def combined(left: Value, right: Value, truth: bool = False) -> Value:
    """Arithmetic with a table, and comparisons: as large as the table beside a number or something smaller."""
    table = left if isinstance(left, Rows) else right
    other = right if table is left else left
    if table.kind == LIST:
        return Unknown("a list", "imprecise")
    if isinstance(other, Rows) and other.kind == FRAME != table.kind:
        table, other = other, table
    plainly = isinstance(other, (int, float))
    if isinstance(other, Rows):  # columns of other names would be added
        named = table.kind == SERIES or (table.columns is not None and other.columns == table.columns)
        smaller = table.kind == FRAME and other.kind == SERIES and not truth
        plainly = named and (smaller or other.array.dims == table.array.dims)
    if not plainly:
        return Unknown("arithmetic of tables", "imprecise")
    found = table.like(table.array.dims, table.columns)
    if truth:
        found.array.dtype = "bool"
    return found


def called(tr: Tracer, value: Rows, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """A method. One that is not known gives an unknown."""
    dims, is_frame = value.array.dims, value.kind == FRAME
    known = f"{'list' if value.kind == LIST else 'DataFrame' if is_frame else 'Series'}.{name}"
    found = None if dims is None else _called(tr, value, name, args, kwargs)
    if found is None:
        if value.kind == LIST or kwargs.get("inplace", False) is not False or name in _CHANGING:
            tr.touch(value)
            value.forgotten()
        return tr.unknown_call(known)
    tr.shared.known_calls[known] += 1
    return found


def _called(tr: Tracer, value: Rows, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value | None:
    dims, is_frame = value.array.dims or (), value.kind == FRAME
    if value.kind == LIST:
        return value.like(dims) if name == "copy" else None
    if kwargs.get("inplace", False) is not False or (kwargs.get("axis") in ("columns", 1) and name in _FEWER):
        return None
    if name in ("to_numpy", "to_list", "tolist"):
        return _array(value) if name == "to_numpy" else Rows(LIST, _array(value))
    if name == "duplicated" and is_frame:
        return Rows(SERIES, Tensor(dims[:1], "bool", "numpy"))
    if name in _KEEPING or (name == "reset_index" and kwargs.get("drop") is True):
        made = value.like(dims, value.columns if name not in ("rename", "set_axis") else None)
        made.array.dtype = "bool" if name in _TRUTHS else None
        return made
    if name in _FEWER:
        return value.like((tr.fresh("rows", "unknown", 0), *dims[1:]), value.columns)
    if name in ("head", "tail"):
        most = args[0] if args else kwargs.get("n", 5)
        plainly = isinstance(most, int) and isinstance(dims[0], int) and most >= 0
        rows = min(most, dims[0]) if plainly else tr.fresh("rows", "unknown", 0)
        return value.like((rows, *dims[1:]), value.columns)
    if name == "sample":
        most = args[0] if args else kwargs.get("n")
        whole = kwargs.get("frac") in (1, 1.0)
        rows = dims[0] if whole else most if isinstance(most, int) else tr.fresh("rows", "unknown", 0)
        return value.like((rows, *dims[1:]), value.columns)
    if name == "drop":
        return _dropped(tr, value, args, kwargs)
    if name in ("pop", "get") and is_frame and args and isinstance(args[0], str) and args[0] in (value.columns or ()):
        column = _column(value)
        if name == "pop":
            tr.touch(value)
            value.columns = tuple(c for c in value.columns or () if c != args[0])
            value.array = Tensor((dims[0], len(value.columns)), None, "numpy")
        return column
    if name in _OVER_ROWS and not args and kwargs.get("axis", 0) in (0, 1, "index", "columns"):
        if not is_frame:
            return Unknown("a number", "data", pytype="bool" if name in ("any", "all") else "number")
        along = 0 if kwargs.get("axis") in (1, "columns") else 1
        return Rows(SERIES, Tensor((dims[along],), None, "numpy"), value.columns if along else None)
    if name in ("unique", "value_counts") and not is_frame:
        found = Tensor((tr.fresh("values", "unknown", 0),), None, "numpy")
        return found if name == "unique" else Rows(SERIES, found)
    return None


def _dropped(tr: Tracer, value: Rows, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value | None:
    """Without some columns or rows."""
    dims = value.array.dims or ()
    axis = kwargs.get("axis", args[1] if len(args) > 1 else 0)
    columns = kwargs.get("columns", args[0] if args and axis in (1, "columns") else None)
    if columns is None:
        plainly = value.kind == FRAME and axis in (0, "index") and bool(args or "index" in kwargs)
        return value.like((tr.fresh("rows", "unknown", 0), *dims[1:]), value.columns) if plainly else None
    named = [columns] if isinstance(columns, str) else _names(columns)
    if named is None or len(dims) != 2:
        return None
    if value.columns is None:
        return value.like((dims[0], dims[1] - len(set(named))))
    if kwargs.get("errors") != "ignore" and set(named) - set(value.columns):
        raise PyRaise("KeyError", f"{named} not found in the columns")
    left = tuple(c for c in value.columns if c not in named)
    return value.like((dims[0], len(left)), left)


def frame_of(tr: Tracer, data: Value, columns: Value) -> Rows | None:
    """`DataFrame(data, columns=…)`; None where its shape is not known."""
    names = tuple(columns.items) if isinstance(columns, ListV) and not columns.open else None
    if isinstance(data, Rows) and data.kind == FRAME and columns is None:
        return data.like(data.array.dims, data.columns)
    items = getattr(data, "items", None)
    if isinstance(items, dict) and not getattr(data, "open", True) and items and columns is None:
        parts = [tensor_of(tr, v, "numpy") for v in items.values() if isinstance(v, (ListV, Tensor, Rows, tuple))]
        lengths = [p.dims[0] for p in parts if p is not None and p.dims]
        if not lengths or len(lengths) < len(items) or not all(hashable(k) for k in items):
            return None
        return Rows(FRAME, Tensor((lengths[0], len(items)), None, "numpy"), tuple(items))
    if isinstance(data, (Tensor, ListV, Rows)):
        found = tensor_of(tr, data, "numpy")
        if found is not None and found.dims is not None and 1 <= len(found.dims) <= 2:
            dims = found.dims if len(found.dims) == 2 else (*found.dims, 1)
            return Rows(FRAME, Tensor(dims, found.dtype, "numpy"), names if names and len(names) == dims[1] else None)
    return None
