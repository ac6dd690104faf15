"""Builtins that make or walk through sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from analyzer.tracing.attributes import get_attribute
from analyzer.tracing.builtins.call import Call
from analyzer.tracing.calls import call
from analyzer.tracing.displays import hashable
from analyzer.tracing.iteration import iterate, known_elements
from analyzer.tracing.tensors import OpenSize, Size, Tensor
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.truths import truth_of
from analyzer.tracing.values import (
    DictV,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Object,
    SliceV,
    Unknown,
    Value,
)
from analyzer.validity.terms import Cond, Poly, all_of, any_of, equal, substitute


def length(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (ListV, DictV)):
        return c.tr.fresh("len", "unknown", len(value.items)) if value.open else len(value.items)
    if isinstance(value, (str, tuple, bytes)):
        return len(value)
    if isinstance(value, Tensor):
        return c.tr.dimension(value, 0) if value.dims != () else c.tr.unknown("a length")
    if isinstance(value, OpenSize):
        return c.tr.rank_of(value.tensor)
    if isinstance(value, Instance) and value.cls.find("__len__"):
        return call(c.tr, get_attribute(c.tr, value, "__len__"), (), {})
    if isinstance(value, (Layer, Instance)):
        items = value.attrs.get("items")
        if isinstance(items, (ListV, DictV)) and not items.open:
            return len(items.items)
    if isinstance(value, Object):
        from analyzer.tracing.operators.data import length

        return length(c.tr, value)
    if isinstance(value, Unknown):
        if "len()" not in value.attrs:
            c.tr.touch(value)
            found = Unknown("a length", value.origin, f"len({value.label or 'value'})", "int")
            found.term = c.tr.symbols.fresh(
                found.label,
                "param" if value.origin == "param" else "unknown" if value.known_source else "lost",
                0,
                site=c.tr.site(),
            )
            value.attrs["len()"] = found
        return value.attrs["len()"].term
    return c.tr.unknown("a length", pytype="int")


def range_(c: Call) -> Value:
    parts = [p if isinstance(p, bool) else c.tr.term_of(p) for p in (c.get(i) for i in range(len(c.args)))]
    if all(isinstance(p, int) for p in parts) and parts:
        try:
            numbers = range(*(int(p) for p in parts if p is not None))
        except (TypeError, ValueError):
            return c.tr.unknown("a range")
        return Iterator_(lambda: iter(numbers), length=len(numbers))
    defaults = [_default(c.tr, p) for p in parts]
    if defaults and all(isinstance(p, int) for p in defaults):
        for part, value in zip(parts, defaults, strict=True):
            if isinstance(part, Poly):
                c.tr.assume(equal(part, value), "branch")
        numbers = range(*defaults)
        return Iterator_(lambda: iter(numbers), length=len(numbers))

    def some() -> Iterator[Value]:
        start = parts[0] if len(parts) > 1 and isinstance(parts[0], int) else 0
        index = start
        while True:
            yield index if index < start + 2 else c.tr.unknown("an index", "data", pytype="int")
            index += 1

    return Iterator_(some, endless=True)


def _default(tr: Tracer, term: Value) -> Value:
    """A symbol that a user sets is followed with its default where a number is needed."""
    if not isinstance(term, Poly):
        return term
    values = {
        s.name: k.default for s in term.symbols if (k := tr.symbols.known.get(s.name)) and isinstance(k.default, int)
    }
    return substitute(term, values) if values else term


def enumerate_(c: Call) -> Value:
    items, endless = iterate(c.tr, c.get(0), c.node)
    start = c.get(1, "start", 0)
    first = start if isinstance(start, int) else 0
    return Iterator_(lambda: ((first + i, v) for i, v in enumerate(items)), endless, known=known_elements(c.get(0)))


def zip_(c: Call) -> Value:
    parts = [iterate(c.tr, a, c.node) for a in c.args]
    endless = bool(parts) and all(e for _, e in parts)
    return Iterator_(lambda: iter(_zipped([i for i, _ in parts])), endless, known=_fewest_known(c.args))


def _fewest_known(sequences: Sequence[Value]) -> int | None:
    return min((n for n in map(known_elements, sequences) if n is not None), default=None)


def _zipped(iterators: list[Iterator[Value]]) -> Iterator[tuple[Value, ...]]:
    if not iterators:
        return
    while True:
        row: list[Value] = []
        for iterator in iterators:
            try:
                row.append(next(iterator))
            except StopIteration:
                return
        yield tuple(row)


def map_(c: Call) -> Value:
    parts = [iterate(c.tr, a, c.node) for a in c.args[1:]]
    endless = bool(parts) and all(e for _, e in parts)
    return Iterator_(lambda: (call(c.tr, c.args[0], row, {}) for row in _zipped([i for i, _ in parts])), endless)


def filter_(c: Call) -> Value:
    items, endless = iterate(c.tr, c.get(1), c.node)
    del endless
    return Iterator_(lambda: items, True)  # which elements pass is not known


def sequence(make: Callable[[list[Value]], Value]) -> Callable[[Call], Value]:
    def run(c: Call) -> Value:
        if not c.args:
            return make([])
        value = c.get(0)
        if isinstance(value, OpenSize) and value.tensor.dims is not None:
            value = Size(value.tensor.dims)
        if isinstance(value, OpenSize):
            return value
        if isinstance(value, Unknown):
            result = c.tr.unknown("a sequence", value.origin, value.label)
            result.items = value.items
            return result
        items, endless = iterate(c.tr, value, c.node)
        if endless:
            return ListV([v for v, _ in zip(items, range(2), strict=False)], True)
        return make([v for v, _ in zip(items, range(4096), strict=False)])

    return run


def dict_(c: Call) -> Value:
    result = DictV(c.kwargs, c.open_args)
    value = c.get(0)
    if isinstance(value, DictV):
        result.items = {**value.items, **result.items}
        result.open = result.open or value.open
    elif value is not None:
        items, endless = iterate(c.tr, value, c.node)
        result.open = result.open or endless
        for pair, _ in zip(items, range(256), strict=False):
            if isinstance(pair, tuple) and len(pair) == 2 and hashable(pair[0]):
                result.items[pair[0]] = pair[1]
            else:
                result.open = True
    return result


def next_(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, Iterator_):
        items = value.items()
        found = next(items, None)
        rest = items
        if not value.endless:
            value.items = lambda: rest
        return found if found is not None else c.get(1)
    items, _ = iterate(c.tr, value, c.node)
    return next(items, c.get(1))


def iter_(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (Unknown, Object, Instance)):
        return value
    items, endless = iterate(c.tr, value, c.node)
    return Iterator_(lambda: items, endless)


def sorted_(c: Call) -> Value:
    value = c.get(0)
    items, endless = iterate(c.tr, value, c.node)
    if endless:
        return ListV([], True)
    found = list(items)
    if (not c.kwargs and all(isinstance(v, (int, float)) for v in found)) or (
        all(isinstance(v, str) for v in found) and not c.kwargs
    ):
        return ListV(sorted(found))
    return ListV(found)


def reversed_(c: Call) -> Value:
    items, endless = iterate(c.tr, c.get(0), c.node)
    return ListV([], True) if endless else ListV(list(items)[::-1])


def every(wanted: bool) -> Callable[[Call], Value]:
    def run(c: Call) -> Value:
        items, endless = iterate(c.tr, c.get(0), c.node)
        pending: list[Cond] = []
        for value, _ in zip(items, range(256), strict=False):
            truth = truth_of(value)
            if truth is (not wanted):
                return not wanted
            if truth is None:
                if isinstance(value, Cond):
                    pending.append(value)
                else:
                    return c.tr.unknown("a test of many", pytype="bool")
        if endless:
            return c.tr.unknown("a test of many", pytype="bool")

        return (all_of(*pending) if wanted else any_of(*pending)) if pending else wanted

    return run


def slice_(c: Call) -> Value:
    if len(c.args) == 1:
        return SliceV(None, c.args[0])
    return SliceV(*c.args[:3])


def unique(values: list[Value]) -> list[Value]:
    result: list[Value] = []
    for value in values:
        if not any(value is r or (isinstance(value, (int, str)) and value == r) for r in result):
            result.append(value)
    return result
