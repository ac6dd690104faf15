"""Builtins that make or walk through sequences."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.changed_unknowns import LENGTH
from analyzer.tracing.language.collected import MOST_ELEMENTS, as_dict, as_set, in_order
from analyzer.tracing.language.container_values import exactly
from analyzer.tracing.language.dictionary_objects import store_of
from analyzer.tracing.language.enumerations import members_of
from analyzer.tracing.language.evaluation import call, get_attribute, iterate, seen
from analyzer.tracing.language.iteration import fields_of
from analyzer.tracing.language.lazy_iterators import (
    FEW,
    Derived,
    at_its_end,
    derived,
    is_lazy,
    is_plain_iterator,
    iter_forever,
    known_elements,
    step_through,
)
from analyzer.tracing.language.overwriting import fill
from analyzer.tracing.language.own_truths import own_truth
from analyzer.tracing.language.plain_data import is_plain
from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.shuffled import in_any_order
from analyzer.tracing.language.tensor_objects import tensor_in
from analyzer.tracing.language.tensors import OpenSize, Size, Tensor
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import (
    CHILDREN,
    FREE,
    Class,
    DictV,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Object,
    SetV,
    SliceV,
    Unknown,
    Value,
    open_like,
)
from analyzer.tracing.operators import data, tables
from analyzer.tracing.paths.agreement import alike
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.questions import independent
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Cond, Poly, all_of, any_of, equal, substitute


def _least(value: ListV | DictV) -> int:
    """How many elements an open container has at least: those of a set that are not known may be equal.

    Those of a list may stand for the rounds of a loop of which nobody knows the number: it may be one.
    """
    if value.doubtful:
        return 0
    if isinstance(value, DictV):
        return len(value.items)
    if not isinstance(value, SetV):
        return min(len(value.items), 1)
    return max(sum(map(is_plain, value.items)), min(len(value.items), 1))


def length(c: Call) -> Value:
    value = c.get(0)
    c.tr.read(value)
    if isinstance(value, (ListV, DictV)):
        return c.tr.fresh("len", "unknown", _least(value)) if value.open else len(value.items)
    if isinstance(value, (str, tuple, bytes)):
        return len(value)
    if isinstance(value, Class) and (members := members_of(value)) is not None:
        return len(set(members.items.values()))
    if isinstance(value, Iterator_) and isinstance(value.length, int):
        return value.length
    if isinstance(value, Iterator_) and not value.once and not value.endless and not value.taken:
        return len(list(iterate(c.tr, value, c.node)[0]))  # the pairs of a dictionary
    if isinstance(value, Instance) and (fields := fields_of(value)) is not None:
        return len(fields)
    if isinstance(value, Tensor):
        return c.tr.dimension(value, 0) if value.dims != () else c.tr.unknown("a length")
    if isinstance(value, OpenSize):
        return c.tr.rank_of(value.tensor)
    if isinstance(value, Instance) and value.cls.find("__len__"):
        return call(c.tr, get_attribute(c.tr, value, "__len__"), (), {})
    if (held := store_of(c.tr, value) or tensor_in(value)) is not None:
        return length(replace(c, args=(held,)))
    if isinstance(value, (Layer, Instance)):
        items = value.attrs.get(CHILDREN)
        if isinstance(items, (ListV, DictV)) and not items.open:
            return len(items.items)
    if isinstance(value, Rows):
        return tables.length(c.tr, value)
    if isinstance(value, Object):
        return data.length(c.tr, value)
    if is_plain_iterator(value):
        raise PyRaise("TypeError", "an iterator has no len()")
    if isinstance(value, Unknown):
        if LENGTH not in value.attrs:
            c.tr.touch(value)
            found = Unknown("a length", value.origin, f"len({value.label or 'value'})", "int")
            found.term = c.tr.symbols.fresh(
                found.label,
                "param" if value.origin == "param" else "unknown" if value.known_source else "lost",
                0,
                site=c.tr.site(),
            )
            value.attrs[LENGTH] = found
        found = value.attrs[LENGTH]
        return found if found.term is None else found.term
    return c.tr.unknown("a length", pytype="int")


def range_(c: Call) -> Value:
    parts = [p if isinstance(p, bool) else c.tr.term_of(p) for p in (c.get(i) for i in range(len(c.args)))]
    if all(isinstance(p, int) for p in parts) and parts:
        try:
            numbers = range(*(int(p) for p in parts if p is not None))
        except (TypeError, ValueError):
            return c.tr.unknown("a range")
        return _of_range(numbers)
    defaults = [_default(c.tr, p) for p in parts]
    if defaults and all(isinstance(p, int) for p in defaults):
        for part, value in zip(parts, defaults, strict=True):
            if isinstance(part, Poly):
                c.tr.assume(equal(part, value), "branch")
        numbers = range(*defaults)
        return _of_range(numbers)

    def some() -> Iterator[Value]:
        start = parts[0] if len(parts) > 1 and isinstance(parts[0], int) else 0
        index = start
        while True:
            yield index if index < start + 2 else c.tr.unknown("an index", "data", pytype="int")
            index += 1

    open_ = all(c.tr.symbols.kind(s.name) in _CHOSEN for p in parts if isinstance(p, Poly) for s in p.symbols)
    chosen = open_ and all(p is None or isinstance(p, (int, Poly)) for p in parts)
    return Iterator_(some, endless=True, known=None if chosen else 1)  # that it has a second one nobody knows


_CHOSEN = ("flag", "param", "batch")  # symbols of which a user or caller may choose every value


def _of_range(numbers: range) -> Iterator_:
    bounds = (numbers.start, numbers.stop, numbers.step)
    return Iterator_(lambda: iter(numbers), length=len(numbers), bounds=bounds)


def _default(tr: Tracer, term: Value) -> Value:
    """A symbol that a user sets is followed with its default where a number is needed."""
    if not isinstance(term, Poly):
        return term
    values = {
        s.name: k.default for s in term.symbols if (k := tr.symbols.known.get(s.name)) and isinstance(k.default, int)
    }
    return substitute(term, values) if values else term


def enumerate_(c: Call) -> Value:
    start = c.get(1, "start", 0)
    first = start if isinstance(start, int) else 0
    return _lazily(c, c.args[:1], lambda parts: enumerate(parts[0], first))


def zip_(c: Call) -> Value:
    return _lazily(c, c.args, _zipped)


def _lazily(c: Call, sequences: Sequence[Value], make: Callable[[list[Iterator[Value]]], Iterator[Value]]) -> Value:
    """An iterator over others, which are begun when it is."""
    if any(map(is_lazy, map(seen, sequences))):
        return derived(c.tr, sequences, lambda _, parts: make(parts), c.node)
    endless = bool(sequences) and all(iterate(c.tr, s, c.node)[1] for s in sequences)
    return Iterator_(
        lambda: make([iterate(c.tr, s, c.node)[0] for s in sequences]), endless,
        known=min((n for n in map(known_elements, sequences) if n is not None), default=None), once=True,
    )  # fmt: skip


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
    function = c.get(0)
    sequences = tuple(map(seen, c.args[1:]))
    return derived(
        c.tr, sequences, lambda _, parts: map(lambda *row: call(c.tr, function, row, {}), *parts), c.node,
    )  # fmt: skip


def filter_(c: Call) -> Value:
    """Those that pass; where one is not decided, how many there are is not known."""
    return chosen(c.tr, c.get(0), c.get(1), c.node)


def chosen(tr: Tracer, test: Value, values: Value, node: ast.AST | None, wanted: bool = True) -> Value:
    """An iterator over the elements of which a test tells what is wanted."""

    def passes(made: Derived, parts: list[Iterator[Value]]) -> Iterator[Value]:
        passed_over = 0
        for item in parts[0]:
            tr.step()
            truth = truth_of(own_truth(tr, item if test is None else call(tr, test, (item,), {})))
            endless = made.passages[0].endless
            passed_over = 0 if truth is wanted else passed_over + 1
            if truth is wanted or (truth is None and endless):
                made.vague = made.vague or truth is None
                yield item
            elif truth is None or (endless and passed_over >= MOST_PASSED):
                made.vague = True
                yield from iter_forever(tr, lambda: tr.unknown("an element that passes a filter"))

    return derived(tr, (values,), passes, node)


def sequence(make: Callable[[list[Value]], Value]) -> Callable[[Call], Value]:
    def run(c: Call) -> Value:
        if not c.args:
            return exactly(made) if type(made := make([])) is ListV else made
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
            most = 1 if isinstance(value, SetV) else 2  # elements of a set that are not known may be one
            known = [v for v, _ in zip(items, range(most), strict=False)]
            made = open_like(() if make is tuple else None, known)
            made.doubtful = getattr(value, "vague", False) or (getattr(value, "doubtful", False) and len(known) < 2)
            return made
        if isinstance(value, SetV) and make is not SetV:
            items = iter(set_order(c.tr, value))
        found = list(islice(items, MOST_ELEMENTS + 1))
        if len(found) > MOST_ELEMENTS:
            return c.tr.unknown("a long sequence", pytype="list")
        return exactly(made) if type(made := make(found)) is ListV else made

    return run


def set_order(tr: Tracer, value: SetV) -> list[Value]:
    """The elements as a list has them: numbers as Python keeps them, others in an order that no one knows."""
    items = list(value.items)
    if len(items) < 2 or all(alike(items[0], other) for other in items):
        return items
    if all(type(i) is int for i in items):
        return list(set(items))
    kind = "str" if all(isinstance(i, str) for i in items) else ""
    return [tr.unknown("an element of a set", pytype=kind) for _ in items]


def set_(c: Call) -> Value:
    if not c.args:
        return SetV()
    found = sequence(ListV)(c)
    if not isinstance(found, ListV):
        return found
    made = as_set(found.items, found.open)
    made.doubtful = found.doubtful
    return made


def dict_(c: Call) -> Value:
    result = exactly(as_dict(c.tr, c.get(0)))
    fill(c.tr, result, DictV(c.kwargs), c.open_args)
    result.items.update(c.kwargs)
    return result


def next_(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, Instance) and value.cls.find("__next__"):
        return _step_of(c, value)
    passage = step_through(c.tr, value, c.node)
    for found in passage.items:
        return found
    if len(c.args) > 1:
        return c.get(1)
    if isinstance(value, Iterator_) and not passage.endless:
        raise at_its_end(value)
    return c.tr.unknown("an element")


def _step_of(c: Call, value: Instance) -> Value:
    try:
        return call(c.tr, get_attribute(c.tr, value, "__next__"), (), {})
    except PyRaise as error:
        if error.name != "StopIteration" or len(c.args) < 2:
            raise
        return c.get(1)


def iter_(c: Call) -> Value:
    value = c.get(0)
    if len(c.args) > 1:
        return c.tr.unknown("an iterator")
    if isinstance(value, Instance) and value.cls.find("__iter__"):
        return call(c.tr, get_attribute(c.tr, value, "__iter__"), (), {})
    if isinstance(value, Object) and value.kind == "loader":
        batches, endless = iterate(c.tr, value, c.node)
        return value if endless else Iterator_(lambda: batches, once=True)
    if isinstance(value, (Unknown, Object, Instance)) or (isinstance(value, Iterator_) and value.once):
        return value
    return _lazily(c, c.args[:1], lambda parts: parts[0])


def sorted_(c: Call) -> Value:
    items, endless = iterate(c.tr, c.get(0), c.node)
    return exactly(ListV([], True) if endless else ListV(in_order(c.tr, in_any_order(list(items)), c.kwargs)))


def reversed_(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, Instance) and value.cls.find("__reversed__"):
        return call(c.tr, get_attribute(c.tr, value, "__reversed__"), (), {})
    if is_plain_iterator(value):
        raise PyRaise("TypeError", "an iterator is not reversible")
    items, endless = iterate(c.tr, value, c.node)
    if endless:
        return ListV([], True)
    found = list(items)[::-1]
    return Iterator_(lambda: iter(found), once=True)


MOST_TESTED = 256  # elements of what has no end
MOST_PASSED = 1_000  # of which a filter looks at for one that passes


def every(wanted: bool) -> Callable[[Call], Value]:
    def run(c: Call) -> Value:
        passage = step_through(c.tr, c.get(0), c.node)
        pending: list[Value] = []
        for number, value in enumerate(passage.items):
            known = passage.known
            if passage.endless and number >= (FEW if known is None or number >= known else MOST_TESTED):
                break
            value = own_truth(c.tr, value)
            truth = truth_of(value)
            if truth is (not wanted):
                return not wanted
            if truth is None:
                pending.append(value)
        endless = passage.endless
        if endless or not all(isinstance(value, Cond) for value in pending):
            free = not endless and all(isinstance(v, Tensor) or getattr(v, "origin", "") in FREE for v in pending)
            free = free and independent(pending)
            return c.tr.unknown("a test of many", "data" if free else "imprecise", pytype="bool")
        return (all_of(*pending) if wanted else any_of(*pending)) if pending else wanted

    return run


def slice_(c: Call) -> Value:
    if len(c.args) == 1:
        return SliceV(None, c.args[0])
    return SliceV(*c.args[:3])
