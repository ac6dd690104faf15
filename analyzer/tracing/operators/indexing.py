"""`x[…]` on tensors and arrays: integers, slices, `None`, `...`, index tensors and masks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from analyzer.tracing.language.memory import write
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Iterator_, ListV, SliceV, Unknown, Value
from analyzer.tracing.operators.element_types import OBJECTS
from analyzer.tracing.operators.element_values import count_true
from analyzer.tracing.operators.index_values import check_indices
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.strides import of_index
from analyzer.tracing.operators.table import Op
from analyzer.tracing.operators.written import of_operands
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.paths import PathEnd, RoundNotTaken
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, Term, equal, floor_div, maximum, minimum


def index_tensor(tr: Tracer, value: Tensor, index: Value, node: ast.AST | None) -> Value:
    index = _of_list(value, index)
    found = of_operands((value, index), _index_tensor(tr, value, index, node))
    if value.framework == "numpy" and isinstance(found, Tensor) and found.dims == () and isinstance(index, int):
        found.scalar = value.dtype not in (None, OBJECTS)
    record("[]", (value,), {"index": index}, found)
    if node is not None and not tr.speculating:
        tr.pass_operator(tr.site(node), "indexing", value.dims is None)
    return found if tr.sampler is None else tr.sampler.indexed(value, index, found)


def _index_tensor(tr: Tracer, value: Tensor, index: Value, node: ast.AST | None) -> Value:
    parts = [_numbered(value, p) for p in index] if isinstance(index, tuple) else [index]
    name = "[None]" if any(part is None for part in parts) else "[]"
    result = Tensor(
        None, value.dtype, value.framework, site=tr.site(node), name=name, sources=(value,), graph=value.graph
    )
    if isinstance(value.value, tuple) and len(parts) == 1:
        known = _of_elements(value, parts[0])
        if known is not None:
            return known
    if isinstance(value.value, tuple) and value.dims is not None and all(map(_is_plain_part, parts)):
        result.value = _cut(value.value, parts)
    if value.dims is None:
        return _of_open(parts, result)
    dims = _indexed(tr, value, parts, node)
    if dims == () and value.dtype == OBJECTS:
        return tr.unknown("an object of an array")
    if dims is not None:
        result.shape.dims = dims
        result.strides = of_index(value, parts, result)
        result.tags = value.tags & {"target", "batch"}
    return result


def _of_elements(value: Tensor, index: Value) -> Value:
    items = value.value
    if isinstance(index, Tensor) and isinstance(index.value, int):
        index = index.value
    if isinstance(index, bool):
        return None
    if isinstance(index, int) and -len(items) <= index < len(items):
        found = items[index]
        if isinstance(found, (int, Poly)):
            return Tensor(
                (), value.dtype, value.framework, site=value.site, value=found, sources=(value,), graph=value.graph
            )
        return None
    if (
        isinstance(index, SliceV)
        and all(p is None or isinstance(p, int) for p in (index.start, index.stop, index.step))
        and index.step != 0
    ):
        cut = items[slice(index.start, index.stop, index.step)]
        rest = (value.dims or ())[1:]
        return Tensor(
            (len(cut), *rest),
            value.dtype,
            value.framework,
            site=value.site,
            value=cut,
            sources=(value,),
            graph=value.graph,
        )
    return None


def _is_plain_part(part: Value) -> bool:
    if isinstance(part, SliceV):
        return all(p is None or isinstance(p, int) for p in (part.start, part.stop, part.step)) and part.step != 0
    return isinstance(part, int) and not isinstance(part, bool)


def _cut(elements: Any, parts: list[Value]) -> Any:
    """The elements that whole numbers and slices choose, an axis each; None where there is none."""
    if not parts:
        return elements
    if not isinstance(elements, tuple):
        return None
    first, rest = parts[0], parts[1:]
    if isinstance(first, SliceV):
        chosen = elements[slice(first.start, first.stop, first.step)]
        found = tuple(_cut(part, rest) for part in chosen)
        return None if not found or any(part is None for part in found) else found
    return _cut(elements[first], rest) if -len(elements) <= first < len(elements) else None


def _of_open(parts: list[Value], result: Tensor) -> Value:
    """A plain slice keeps the rank that is not known."""
    if all(isinstance(p, SliceV) for p in parts):
        return result
    return result


def _indexed(tr: Tracer, value: Tensor, parts: list[Value], node: ast.AST | None) -> tuple[Term, ...] | None:
    dims = list(value.dims or ())
    parts = [_numbered(value, p) for p in parts]
    if value.framework == "numpy" and value.dtype in (None, OBJECTS) and any(map(_names_fields, parts)):
        return None
    consumed = sum(_consumes(p, dims) for p in parts if p is not Ellipsis and p is not None)
    if any(_consumes(p, dims) < 0 for p in parts):
        return None
    if consumed > len(dims):
        op = Op(tr, "indexing", site=tr.site(node))
        fail(op, "rank", f"{consumed} indices for a tensor of {len(dims)} dimensions", (value,))
    if Ellipsis in [p for p in parts if p is Ellipsis]:
        position = next(i for i, p in enumerate(parts) if p is Ellipsis)
        fill = [SliceV()] * (len(dims) - consumed)
        parts = [*parts[:position], *fill, *parts[position + 1 :]]
    result: list[Term] = []
    advanced = _Advanced(value.framework, any(isinstance(p, (Tensor, ListV)) for p in parts))
    axis = 0
    for part in parts:
        advanced.meet(part, len(result))
        if part is None:
            result.append(1)
        elif isinstance(part, SliceV):
            size = _sliced(tr, dims[axis], part)
            result.append(size)
            axis += 1
        elif isinstance(part, (Tensor, ListV)):
            index = tensor_of(tr, part, value.framework)
            if index is None or index.dims is None:
                return None
            if _is_mask(index):
                if not index.dims:
                    return None
                _fits(tr, value, axis, index, node)
                axis += len(index.dims)
                index = Tensor((_selected(tr, index),), "int64", value.framework)
            else:
                check_indices(
                    Op(tr, "indexing", site=tr.site(node)), index, dims[axis], f"dimension {axis}", from_end=True
                )
                axis += 1
            advanced.indices.append(index)
        elif isinstance(part, (int, Poly)) and not isinstance(part, bool):
            size = dims[axis]
            if (
                isinstance(part, int)
                and isinstance(size, int)
                and not -size <= part < size
                and value.framework != "jax"
            ):
                if not size and tr.made_up and tr.path.decisions:
                    raise PathEnd  # callers fill what is empty on this side of a branch
                if part and any(frame.further for frame in tr.frames):
                    raise RoundNotTaken  # the index counts the rounds, or is what earlier ones made of it
                op = Op(tr, "indexing", site=tr.site(node))
                fail(op, "index", f"index {part} is outside dimension {axis} of size {size}", (value,))
            axis += 1
        elif isinstance(part, Unknown) and part.pytype == "int":
            axis += 1
        elif isinstance(part, Unknown):
            return None  # a number, a slice or an index tensor
        else:
            return None
    result.extend(dims[axis:])
    if advanced.indices:
        shape = _together(tr, advanced.indices, value, node)
        if shape is None:
            return None
        result[advanced.place : advanced.place] = list(shape)
    return tuple(result)


class _Advanced:
    """The index arrays of one index, whose common shape stands where they do, or first if others stand between them."""

    def __init__(self, framework: str, given: bool) -> None:
        self.indices: list[Tensor] = []
        self._numbers = framework != "torch" and given  # are index arrays too, beside others
        self._start: int | None = None
        self._ended = self._apart = False

    def meet(self, part: Value, before: int) -> None:
        """Takes note of a part of the index, with so many dimensions of the result before it."""
        if part is None or isinstance(part, SliceV):
            self._ended = self._start is not None
        elif isinstance(part, (Tensor, ListV)) or self._numbers:
            self._apart = self._apart or self._ended
            self._start = before if self._start is None else self._start

    @property
    def place(self) -> int:
        return 0 if self._apart else self._start or 0


def _together(tr: Tracer, indices: list[Tensor], value: Tensor, node: ast.AST | None) -> tuple[Term, ...] | None:
    """The shape to which index arrays are broadcast; None where it is not known."""
    rank = max(len(i.dims or ()) for i in indices)
    shape: list[Term] = []
    for axis in range(-rank, 0):
        size: Term = 1
        for index in indices:
            own = (index.dims or ())[axis] if -axis <= len(index.dims or ()) else 1
            if own == 1 or equal(own, size) is True:
                continue
            if size != 1 and not (isinstance(own, int) and isinstance(size, int)):
                return None
            if size != 1:
                shapes = " and ".join(show_shape(i.dims or ()) for i in indices)
                fail(
                    Op(tr, "indexing", site=tr.site(node)),
                    "index",
                    f"indices of shapes {shapes} cannot be broadcast",
                    (value,),
                )
            size = own
        shape.append(size)
    return tuple(shape)


def _is_mask(index: Tensor) -> bool:
    """Whether it selects where it is true; torch takes bytes so too."""
    return index.dtype == "bool" or (index.dtype == "uint8" and index.framework == "torch")


def _selected(tr: Tracer, mask: Tensor) -> Term:
    """How many elements a mask selects."""
    count = count_true(mask.value)
    return tr.fresh("selected", "unknown", 0) if count is None else count


def _fits(tr: Tracer, value: Tensor, axis: int, mask: Tensor, node: ast.AST | None) -> None:
    """A mask has the sizes of the dimensions that it selects from."""
    if value.framework not in ("torch", "numpy") or mask.dims is None or value.dims is None:
        return
    for a, b in zip(mask.dims, value.dims[axis:], strict=False):
        if equal(a, b) is False:
            shapes = f"{show_shape(mask.dims)} for a tensor of shape {show_shape(value.dims)}"
            fail(Op(tr, "indexing", site=tr.site(node)), "index", f"a mask of shape {shapes}", (value, mask))


MOST_OF_A_LIST = 31  # elements of a list that torch still takes for one index of each axis


def _of_list(value: Tensor, index: Value) -> Value:
    """A list of slices, `None`, tensors or sequences is to torch the tuple of them; one of numbers chooses rows."""
    if value.framework != "torch" or not isinstance(index, ListV) or index.open or len(index.items) > MOST_OF_A_LIST:
        return index
    return tuple(index.items) if any(map(_is_an_index, index.items)) else index


def _is_an_index(part: Value) -> bool:
    """Whether it is no number, as a scalar of NumPy is one."""
    if isinstance(part, Tensor):
        return part.framework == "torch" or bool(part.dims)
    return part is None or part is Ellipsis or isinstance(part, (SliceV, ListV, tuple))


def _numbered(value: Tensor, part: Value) -> Value:
    """A range, or a tuple inside an index, as the index array that its numbers are."""
    if isinstance(part, tuple) and value.framework in ("torch", "numpy"):
        return ListV(part)
    if isinstance(part, Iterator_) and isinstance(part.length, int) and not part.once:
        return Tensor((part.length,), "int64", value.framework)
    return part


def _consumes(part: Value, dims: list[Term]) -> int:
    """How many dimensions an index of a tensor of these sizes takes; -1 if that is not known."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, Tensor):
        if _is_mask(part):
            return -1 if part.dims is None else len(part.dims)
        if part.dtype is None and part.dims != () and part.value is None:
            return 1 if part.dims and all(equal(part.dims[0], size) is False for size in dims) else -1  # a mask fits
        return 1
    if isinstance(part, bool):
        return -1  # a mask of no dimension: one axis more
    if isinstance(part, (SliceV, int, Poly)):
        return 1
    if isinstance(part, ListV):
        return 1 if not part.open and (_all_numbers(part) or _all_truths(part)) else -1
    if isinstance(part, Unknown) and part.pytype == "int":
        return 1
    return -1  # a number, a slice, an axis more, or a tensor


def _names_fields(part: Value) -> bool:
    """Whether it is the name of a field of NumPy's records, or a list of some."""
    names = part.items if isinstance(part, ListV) else (part,)
    return bool(names) and all(isinstance(name, str) for name in names)


def _all_numbers(part: ListV) -> bool:
    """Whether a list holds nothing but numbers, or lists of them."""
    return all(
        _all_numbers(i) if isinstance(i, ListV) else isinstance(i, int) and not isinstance(i, bool) for i in part.items
    )


def _all_truths(part: ListV) -> bool:
    return bool(part.items) and not part.open and all(isinstance(i, bool) for i in part.items)


def _sliced(tr: Tracer, size: Term, part: SliceV) -> Term:
    """The length of ``start:stop:step`` on a dimension."""
    bounds = []
    for bound in (part.start, part.stop, part.step):
        if isinstance(bound, Tensor) and isinstance(number := _number_in(bound), (int, Poly)):
            bound = number
        elif isinstance(bound, Tensor):
            found = None if tr.sampler is None else tr.sampler.scalar(bound)
            bound = found if isinstance(found, int) else tr.unknown("a bound")
        if bound is None or (isinstance(bound, (int, Poly)) and not isinstance(bound, bool)):
            bounds.append(bound)
        elif isinstance(bound, Unknown) and bound.value is None and bound.term is not None:
            bounds.append(bound.term)
        else:
            return tr.fresh("slice", "unknown", 0)
    start, stop, step = bounds
    if isinstance(size, int) and all(b is None or isinstance(b, int) for b in bounds):
        return len(range(*slice(start, stop, step).indices(size))) if step != 0 else 0
    if step not in (None, 1):
        if isinstance(step, int) and step > 1 and start in (None, 0) and stop is None:
            return floor_div(size + step - 1, step)
        return size if step == -1 and start is None and stop is None else tr.fresh("slice", "unknown", 0)
    begin = _bound(size, start, 0)
    end = _bound(size, stop, size)
    if begin is None or end is None:
        return _slice_by_symbols(tr, size, start, stop)
    length: Any = end - begin
    if isinstance(length, int):
        return max(length, 0)
    return maximum(length, 0)


def _number_in(bound: Tensor) -> Any:
    """The element of a scalar; PyTorch takes a tensor of any rank with one element for a number, NumPy does not."""
    found = bound.value
    while bound.framework == "torch" and isinstance(found, tuple) and len(found) == 1:
        (found,) = found
    return found


def _slice_by_symbols(tr: Tracer, size: Term, start: Any, stop: Any) -> Term:
    """`data[i : i + batch]` takes `batch` rows but for the last slice, which may be shorter."""
    if isinstance(start, (int, Poly)) and isinstance(stop, (int, Poly)):
        width = stop - start
        if isinstance(width, int) and width >= 0:
            return width if _common(size, width) else tr.fresh("slice", "unknown", 0, width)
        if isinstance(width, Poly) and width.interval.lo >= 0:
            return width
    return tr.fresh("slice", "unknown", 0)


def _common(size: Term, width: int) -> bool:
    """Full slices are what a program mostly sees; every program must work for them."""
    return not isinstance(size, int) or size >= width


def _bound(size: Term, value: Any, default: Term) -> Any:
    if value is None:
        return default
    if isinstance(value, int) and value < 0:
        return maximum(size + value, 0)
    if isinstance(value, Poly) and value.interval.lo < 0:
        same = equal(value, size)
        return size if same is True else None
    return minimum(value, size)


def assign_item(tr: Tracer, owner: Tensor, index: Value, value: Value) -> None:
    """`x[…] = y`: y must broadcast to the selected part."""
    index = _of_list(owner, index)
    if tr.sampler is not None:
        tr.sampler.assign(owner, index, value, tr.speculating > 0)
    write(tr, owner)
    rows = owner.framework == "numpy" and isinstance(value, (ListV, tuple))
    source = tensor_of(tr, value, owner.framework) if isinstance(value, Tensor) or rows else None
    held = type(value) is tuple or (rows and any(isinstance(v, (tuple, ListV)) for v in _parts_of(value)))
    check_assigned(Op(tr, "assignment", site=tr.site()), owner, index, source, held)


def _parts_of(value: Value) -> Sequence[Value]:
    return value.items if isinstance(value, ListV) else value if isinstance(value, tuple) else ()


def check_assigned(op: Op, owner: Tensor, index: Value, source: Tensor | None, held: bool = False) -> None:
    """Refuses a value that does not broadcast to the part that is selected; `held`: an element may be a part of it."""
    parts = list(index) if isinstance(index, tuple) else [index]
    target = _indexed(op.tr, owner, parts, None) if owner.dims is not None else None
    if target is None or source is None or source.dims is None:
        return
    if target == () and owner.framework == "numpy" and owner.dtype in (None, OBJECTS):
        return  # an object, or what may be one
    if owner.framework == "numpy" and owner.dtype in (None, OBJECTS) and held:
        return  # lists and records are what elements may be
    given = list(source.dims)
    while len(given) > len(target) and given and given[0] == 1:
        given.pop(0)

    pairs = zip(reversed(given), reversed(target), strict=False)
    if len(given) > len(target) or any(a != 1 and equal(a, b) is False for a, b in pairs):
        shapes = f"{show_shape(source.dims)} does not fit the part of shape {show_shape(target)}"
        fail(op, "assignment", f"a value of shape {shapes}", (owner, source))
    if not op.tr.speculating:
        op.tr.pass_operator(op.where, op.name)
