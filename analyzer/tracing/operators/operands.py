"""Values as tensors."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.tensors import OpenSize, Shape, Size, Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.element_types import OBJECTS
from analyzer.tracing.operators.element_values import are_truths, joined
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Cond, Poly


def tensor_of(tr: Tracer, value: Value, framework: str, name: str = "") -> Tensor | None:
    """The value as a tensor: numbers are scalars, nested lists arrays, unknowns tensors of unknown rank."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Rows):
        return Tensor(value.array.dims, value.array.dtype, framework)
    if isinstance(value, Unknown):
        if value.value is not None:
            return tensor_of(tr, value.value[0], framework, name)
        if value.pytype in ("float", "int", "number"):
            return Tensor((), None, framework, value=value.term)
        if value.pytype == "str" and framework == "numpy":
            return Tensor((), None, framework)
        if value.pytype == "bool":
            return Tensor(Shape(None, vague=True), "bool", framework)  # a comparison of what may be tensors
        if value.tensor is None and value.term is not None and tr.path.assumes(value.term >= 1):
            return Tensor((), None, framework, value=value.term)  # a layer has taken it as a size
        tensor = tr.tensor_of(value, framework)
        if tensor.framework == "unknown":
            tensor.framework = framework
        return tensor
    if isinstance(value, Cond):
        return Tensor(Shape(None, vague=True), "bool", framework)  # of unknowns, which may be tensors
    if isinstance(value, (bool, int, float, Poly, complex)):
        number = value if isinstance(value, (int, Poly)) and not isinstance(value, bool) else None
        kind = "complex64" if isinstance(value, complex) and framework == "torch" else None
        return Tensor((), kind, framework, value=number)
    if isinstance(value, str) and framework == "numpy":
        return Tensor((), None, framework)
    if isinstance(value, Size):
        return Tensor((len(value),), "int32" if framework == "tf" else None, framework, value=tuple(value))
    if isinstance(value, OpenSize):
        return Tensor((tr.rank_of(value.tensor),), None, framework)
    if isinstance(value, (tuple, ListV)):
        return _array(tr, value, framework)
    return None


def as_numpy(value: Tensor, site: Site | None = None) -> Tensor:
    """The same elements as an array of NumPy's."""
    kind = OBJECTS if value.dtype == "string" else value.dtype
    return Tensor(
        value.shape, kind, "numpy", site=site or value.site, value=value.value, sources=(value,), graph=value.graph
    )


def items_of(value: Value) -> list[Value]:
    """The elements of a list or tuple; none where they are not all known."""
    if isinstance(value, ListV):
        return [] if value.open else list(value.items)
    return list(value) if isinstance(value, tuple) else []


def _array(tr: Tracer, value: Any, framework: str) -> Tensor | None:
    items = value.items if isinstance(value, ListV) else list(value)
    if isinstance(value, ListV) and value.open:
        first = tensor_of(tr, items[0], framework) if items and isinstance(items[0], (ListV, tuple, Tensor)) else None
        if first is not None and first.dims is not None:
            return Tensor((tr.fresh("rows", "unknown", 0), *first.dims), None, framework)
        if items and all(isinstance(i, (int, float, Poly)) for i in items):  # numbers stand beside numbers alone
            return Tensor(Shape((tr.fresh("rows", "lost", 0),), vague=True), None, framework)
        return Tensor(None, None, framework)
    if not items:
        return Tensor((0,), None, framework)
    if all(isinstance(i, (int, Poly)) for i in items):
        elements = joined(tuple(items))
        return Tensor((len(items),), "bool" if are_truths(elements) else None, framework, value=elements)
    parts = [tensor_of(tr, i, framework) for i in items[:64]]
    if any(p is None or p.dims is None for p in parts):
        return Tensor(None, None, framework)
    first_dims = parts[0].dims  # type: ignore[union-attr]
    if any(p.dims != first_dims for p in parts if p is not None):
        return Tensor(None, None, framework)
    assert first_dims is not None
    nested = tuple(p.value for p in parts if p is not None)
    known = joined(nested) if len(items) <= 64 and all(v is not None for v in nested) else None
    types = {p.dtype for p in parts if p is not None} if len(items) <= 64 else set()
    arrays = all(isinstance(i, Tensor) for i in items) or types == {"bool"}
    sources = tuple(p for p in parts if p is not None and p.graph)
    return Tensor(
        (len(items), *first_dims),
        types.pop() if arrays and len(types) == 1 else None,
        framework,
        value=known,
        sources=sources,
        graph=bool(sources),
    )


def unknown_tensor(op: Op, framework: str, sources: tuple[Tensor, ...] = (), dims: Any = None) -> Tensor:
    """A result that this analysis cannot tell."""
    op.blind = op.blind or dims is None
    return Tensor(
        Shape(dims, vague=True), None, framework, site=op.where, sources=sources, graph=any(t.graph for t in sources)
    )
