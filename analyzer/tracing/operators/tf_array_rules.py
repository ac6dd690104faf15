"""tf.TensorArray: tensors of one shape that a loop writes one by one."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import shape_value
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import product

KIND = "tensor array"


@operator("tf.TensorArray", "dtype size=None dynamic_size=None *rest")
def tensor_array(op: Op, dtype: Value, size: Value, dynamic_size: Value, rest: tuple[Value, ...]) -> Value:
    told = op.extra.get("element_shape")
    dims = shape_value(op, told) if told is not None else None
    count = op.tr.term_of(size) if size is not None else 0
    made = Tensor(dims, None, "tf", site=op.where) if dims is not None else None
    return Object(KIND, {}, {"size": count, "grows": dynamic_size not in (None, False), "element": made}, op.where)


def array_method(tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """A method; those that write give the array itself, as it is afterwards."""
    data: dict[str, Any] = owner.data
    element = data["element"]
    given = args[-1] if args else kwargs.get("value")
    if name in ("write", "unstack", "scatter", "split"):
        tr.touch(owner)
        _write(tr, data, name, args[0] if args else kwargs.get("index"), given)
        return owner
    if name in ("mark_used", "close"):
        return None
    if name == "identity":
        return owner
    if name == "size":
        return data["size"] if data["size"] is not None else tr.unknown("a size", "data", pytype="int")
    dims = element.dims if isinstance(element, Tensor) else None
    if name == "read":
        return _made(tr, dims, element)
    if name == "stack":
        return _made(tr, None if dims is None else (_count(tr, data), *dims), element)
    if name == "concat" and dims:
        return _made(tr, (product((_count(tr, data), dims[0])), *dims[1:]), element)
    if name == "gather" and dims is not None:
        chosen = tensor_of(tr, given, "tf")
        return _made(tr, (*chosen.dims, *dims) if chosen is not None and chosen.dims is not None else None, element)
    return tr.unknown_call(f"TensorArray.{name}")


def _write(tr: Tracer, data: dict[str, Any], name: str, index: Value, given: Value) -> None:
    value = tensor_of(tr, given, "tf")
    if name != "write":
        known = name == "unstack" and value is not None and bool(value.dims)
        data["element"] = _made(tr, value.dims[1:], value) if known and value is not None and value.dims else "several"
        data["size"] = value.dims[0] if known and value is not None and value.dims else None
        return
    before = data["element"]
    same = value is not None and (before is None or (isinstance(before, Tensor) and before.dims == value.dims))
    data["element"] = value if same else "several"
    if data["grows"]:
        place, size = tr.term_of(index), data["size"]
        known = isinstance(place, int) and isinstance(size, int) and not tr.doubts
        data["size"] = max(place + 1, size) if known and isinstance(place, int) and isinstance(size, int) else None


def _count(tr: Tracer, data: dict[str, Any]) -> Any:
    return data["size"] if data["size"] is not None else tr.fresh("size", "lost", 0)


def _made(tr: Tracer, dims: Any, source: Value) -> Tensor:
    sources = (source,) if isinstance(source, Tensor) else ()
    graph = any(s.graph for s in sources)
    return Tensor(dims, sources[0].dtype if sources else None, "tf", site=tr.site(), sources=sources, graph=graph)
