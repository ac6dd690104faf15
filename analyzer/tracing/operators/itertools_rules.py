"""`itertools`: over elements that are known at once, or one by one over iterators that do something for each."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from analyzer.tracing.language.builtins import BUILTINS
from analyzer.tracing.language.builtins.iterables import chosen
from analyzer.tracing.language.evaluation import call, iterate, seen
from analyzer.tracing.language.lazy_iterators import (
    Derived,
    Passage,
    all_endless,
    any_endless,
    derived,
    is_lazy,
    known_elements,
)
from analyzer.tracing.language.own_truths import own_truth
from analyzer.tracing.language.plain_data import MOST_ITEMS, NotPlain, as_value, plain_data
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import Iterator_, ListV, Value
from analyzer.tracing.operators.table import Op, operator


def all_elements(op: Op, value: Value) -> list[Value]:
    """The elements. Raises NotPlain where their number is not known, or they are many."""
    items, endless = iterate(op.tr, value, op.node)
    found = [] if endless else list(islice(items, MOST_ITEMS + 1))
    if endless or len(found) > MOST_ITEMS:
        raise NotPlain
    return found


def _some(op: Op, make: Callable[[], Iterator[Value]]) -> Value:
    """An iterator over what `make` gives, if that is known and not too much."""
    try:
        found = list(islice(make(), MOST_ITEMS + 1))
    except NotPlain:
        return op.tr.unknown(f"itertools.{op.short}()", "foreign")
    if len(found) > MOST_ITEMS:
        return op.tr.unknown(f"itertools.{op.short}()")
    return Iterator_(lambda: iter(found), once=True)


def _asking(op: Op, values: Sequence[Value], make: Callable[[list[Iterator[Value]]], Iterator[Value]],
            told: Callable[[Sequence[Passage]], tuple[bool, int | None]] = all_endless) -> Value:  # fmt: skip
    """An iterator over others that do something for each element: it asks them when it is asked."""
    return derived(op.tr, tuple(map(seen, values)), lambda _, parts: make(parts), op.node, told)


@operator("itertools.chain", "*iterables")
def chain(op: Op, iterables: tuple[Value, ...]) -> Value:
    if any(map(is_lazy, map(seen, iterables))):
        return _asking(op, iterables, lambda parts: itertools.chain(*parts), any_endless)
    return _some(op, lambda: itertools.chain(*(all_elements(op, i) for i in iterables)))


@operator("itertools.chain.from_iterable", "iterables")
def chain_from(op: Op, iterables: Value) -> Value:
    return _some(op, lambda: itertools.chain(*(all_elements(op, i) for i in all_elements(op, iterables))))


@operator("itertools.product", "*iterables repeat=1")
def product(op: Op, iterables: tuple[Value, ...], repeat: Value) -> Value:
    def make() -> Iterator[Value]:
        if not isinstance(repeat, int) or repeat > 100:
            raise NotPlain
        return itertools.product(*(all_elements(op, i) for i in iterables), repeat=repeat)

    return _some(op, make)


@operator("itertools.combinations itertools.permutations itertools.combinations_with_replacement", "values r=None")
def selections(op: Op, values: Value, r: Value) -> Value:
    def make() -> Iterator[Value]:
        found = all_elements(op, values)
        number = len(found) if r is None else r
        if not isinstance(number, int) or not 0 <= number <= 100:
            raise NotPlain
        return iter(getattr(itertools, op.short)(found, number))

    return _some(op, make)


@operator("itertools.islice", "values *bounds")
def sliced(op: Op, values: Value, bounds: tuple[Value, ...]) -> Value:
    if not all(b is None or (isinstance(b, int) and b >= 0) for b in bounds) or not 1 <= len(bounds) <= 3:
        return op.tr.unknown("itertools.islice()")
    start, stop, step = slice(*bounds).start or 0, slice(*bounds).stop, slice(*bounds).step
    if step == 0:
        return op.tr.unknown("itertools.islice()")
    if is_lazy(values):

        def told(parts: Sequence[Passage]) -> tuple[bool, int | None]:
            endless, known = all_endless(parts)
            return endless and (stop is None or known is None or known < stop), known

        return _asking(op, (values,), lambda parts: islice(parts[0], *bounds), told)
    items, endless = iterate(op.tr, values, op.node)
    known = known_elements(values)
    if endless and (stop is None or known is None or known < stop):
        left = islice(items, start, None, step)
        return Iterator_(lambda: left, True, known=None if known is None else max(known - start, 0) // (step or 1))
    return _some(op, lambda: islice(items, *bounds))


@operator("itertools.count", "start=0 step=1")
def counted(op: Op, start: Value, step: Value) -> Value:
    if not isinstance(start, int) or not isinstance(step, int):
        return op.tr.unknown("itertools.count()")
    return Iterator_(lambda: itertools.count(start, step), True, known=MOST_ITEMS, once=True)


@operator("itertools.cycle", "values")
def cycled(op: Op, values: Value) -> Value:
    if is_lazy(values):
        return _asking(op, (values,), lambda parts: itertools.cycle(parts[0]), lambda _: (True, MOST_ITEMS))
    items, endless = iterate(op.tr, values, op.node)
    if endless:
        return Iterator_(lambda: items, True, known=known_elements(values))
    found = list(items)
    return Iterator_(lambda: itertools.cycle(found), True, known=MOST_ITEMS, once=True) if found else ListV()


@operator("itertools.repeat", "value times=None")
def repeated(op: Op, value: Value, times: Value) -> Value:
    if times is None:
        return Iterator_(lambda: itertools.repeat(value), True, known=MOST_ITEMS, once=True)
    return _some(op, lambda: itertools.repeat(value, times if isinstance(times, int) else MOST_ITEMS + 1))


@operator("itertools.pairwise", "values")
def pairs(op: Op, values: Value) -> Value:
    if is_lazy(values):
        return _asking(op, (values,), lambda parts: itertools.pairwise(parts[0]))
    return _some(op, lambda: itertools.pairwise(all_elements(op, values)))


@operator("itertools.zip_longest", "*iterables fillvalue=None")
def zip_longest(op: Op, iterables: tuple[Value, ...], fillvalue: Value) -> Value:
    if any(map(is_lazy, map(seen, iterables))):
        return _asking(op, iterables, lambda parts: itertools.zip_longest(*parts, fillvalue=fillvalue), any_endless)
    return _some(op, lambda: itertools.zip_longest(*(all_elements(op, i) for i in iterables), fillvalue=fillvalue))


@operator("itertools.tee", "values n=2")
def tee(op: Op, values: Value, n: Value) -> Value:
    try:
        found = all_elements(op, values)
    except NotPlain:
        return op.tr.unknown("itertools.tee()")
    if not isinstance(n, int) or n > MOST_ITEMS:
        return op.tr.unknown("itertools.tee()")
    return tuple(Iterator_(lambda: iter(found), once=True) for _ in range(n))


@operator("itertools.accumulate", "values function=None *rest")
def accumulated(op: Op, values: Value, function: Value, rest: tuple[Value, ...]) -> Value:
    if rest or op.extra:
        return op.tr.unknown("itertools.accumulate()")
    step = BUILTINS["sum"] if function is None else function

    def add(a: Value, b: Value) -> Value:
        return call(op.tr, step, (ListV((b,)), a) if function is None else (a, b), {})

    if is_lazy(values):
        return _asking(op, (values,), lambda parts: itertools.accumulate(parts[0], add))
    return _some(op, lambda: itertools.accumulate(all_elements(op, values), add))


@operator("itertools.takewhile itertools.dropwhile", "test values")
def while_true(op: Op, test: Value, values: Value) -> Value:
    def make(made: Derived, parts: list[Iterator[Value]]) -> Iterator[Value]:
        def holds(item: Value) -> bool:
            truth = truth_of(own_truth(op.tr, call(op.tr, test, (item,), {})))
            made.vague = made.vague or truth is None
            return truth is True or (truth is None and op.short == "takewhile")

        function = itertools.takewhile if op.short == "takewhile" else itertools.dropwhile
        return function(holds, parts[0])

    def told(parts: Sequence[Passage]) -> tuple[bool, int | None]:
        endless, known = all_endless(parts)
        return endless and (known is None or op.short == "dropwhile"), known

    return derived(op.tr, (values,), make, op.node, told)


@operator("itertools.filterfalse", "test values")
def refused(op: Op, test: Value, values: Value) -> Value:
    return chosen(op.tr, test, values, op.node, wanted=False)


@operator("itertools.starmap", "function values")
def mapped_rows(op: Op, function: Value, values: Value) -> Value:
    def one(row: Value) -> Value:
        items, endless = iterate(op.tr, row, op.node)
        return op.tr.unknown("an element") if endless else call(op.tr, function, tuple(items), {})

    return _asking(op, (values,), lambda parts: map(one, parts[0]))


@operator("itertools.groupby", "iterable key=None")
def groups(op: Op, iterable: Value, key: Value) -> Value:
    try:
        values = all_elements(op, iterable)
        keys = [plain_data(v if key is None else call(op.tr, key, (v,), {})) for v in values]
    except NotPlain:
        return op.tr.unknown("itertools.groupby()", "foreign")

    def found() -> Iterator[Value]:
        for _, places in itertools.groupby(range(len(values)), keys.__getitem__):
            inside = list(places)
            held = [values[place] for place in inside]
            yield as_value(keys[inside[0]]), Iterator_(functools.partial(iter, held), once=True)
            held.clear()  # the next group has been asked for

    return Iterator_(found, once=True)


@operator("itertools.compress", "values selectors")
def compressed(op: Op, values: Value, selectors: Value) -> Value:
    def make() -> Iterator[Value]:
        told = [truth_of(selector) for selector in all_elements(op, selectors)]
        if None in told:
            raise NotPlain
        return iter([value for value, kept in zip(all_elements(op, values), told, strict=False) if kept])

    return _some(op, make)
