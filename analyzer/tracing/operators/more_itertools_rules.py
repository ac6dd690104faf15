"""`more_itertools`: single elements, rows, and questions about all elements of an iterable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, pairwise, zip_longest

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.plain_data import MOST_ITEMS, NotPlain, is_plain, plain_data
from analyzer.tracing.language.values import DictV, Iterator_, ListV, Value
from analyzer.tracing.operators.itertools_rules import all_elements
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.problems import PyRaise


def _names(names: str) -> str:
    homes = ("more_itertools", "more_itertools.more", "more_itertools.recipes")
    return " ".join(f"{home}.{name}" for home in homes for name in names.split())


def _over(op: Op, make: Callable[[], Iterator[Value]]) -> Value:
    """An iterator over what `make` gives, if that is known."""
    try:
        found = list(make())
    except NotPlain:
        return op.tr.unknown(f"{op.name}()", "foreign")
    return Iterator_(lambda: iter(found), once=True)


@operator(_names("first last one only nth"), "iterable *rest")
def element(op: Op, iterable: Value, rest: tuple[Value, ...]) -> Value:
    """One element by its place; of too few the default, where one is given."""
    place = rest[0] if op.short == "nth" and rest else 0
    given = rest[1:] if op.short == "nth" else rest
    try:
        found = all_elements(op, iterable)
    except NotPlain:
        return op.tr.unknown(f"{op.name}()", "foreign")
    if type(place) is not int or place < 0:
        return op.tr.unknown(f"{op.name}()", "foreign")
    if op.short in ("one", "only") and len(found) > 1:
        raise PyRaise("ValueError", "an iterable has more than one element")
    if len(found) > place:
        return found[-1] if op.short == "last" else found[place]
    if given or "default" in op.extra:
        return op.extra.get("default", given[0] if given else None)
    if op.short in ("only", "nth"):
        return None
    raise PyRaise("ValueError", "an iterable has no element")


@operator(_names("ilen"), "iterable")
def count(op: Op, iterable: Value) -> Value:
    try:
        return len(all_elements(op, iterable))
    except NotPlain:
        return op.tr.unknown("a number", "imprecise", pytype="int")


@operator(_names("all_equal all_unique"), "iterable")
def alike(op: Op, iterable: Value) -> Value:
    try:
        found = [plain_data(v) for v in all_elements(op, iterable)]
    except NotPlain:
        return op.tr.unknown("a test", "imprecise", pytype="bool")
    if op.short == "all_equal":
        return all(v == found[0] for v in found)
    return all(found[i] not in found[:i] for i in range(len(found)))


@operator(_names("take"), "n iterable")
def taken(op: Op, n: Value, iterable: Value) -> Value:
    try:
        return ListV(all_elements(op, iterable)[: n if type(n) is int and n >= 0 else MOST_ITEMS])
    except NotPlain:
        return ListV((), True)


@operator(_names("windowed"), "seq n fillvalue=None step=1")
def windows(op: Op, seq: Value, n: Value, fillvalue: Value, step: Value) -> Value:
    """Rows of so many neighbours; one alone is filled up."""

    def make() -> Iterator[Value]:
        found = all_elements(op, seq)
        if type(n) is not int or step != 1 or not 1 <= n <= MOST_ITEMS:
            raise NotPlain
        if len(found) < n:
            return iter([(*found, *[fillvalue] * (n - len(found)))] if found else [])
        return (tuple(found[i : i + n]) for i in range(len(found) - n + 1))

    return _over(op, make)


@operator(_names("pairwise triplewise"), "iterable")
def neighbours(op: Op, iterable: Value) -> Value:
    def make() -> Iterator[Value]:
        found = all_elements(op, iterable)
        return pairwise(found) if op.short == "pairwise" else zip(found, found[1:], found[2:], strict=False)

    return _over(op, make)


@operator(_names("batched"), "iterable n *rest")
def batches(op: Op, iterable: Value, n: Value, rest: tuple[Value, ...]) -> Value:
    def make() -> Iterator[Value]:
        found = all_elements(op, iterable)
        if type(n) is not int or n < 1 or rest or op.extra:
            raise NotPlain
        return (tuple(found[i : i + n]) for i in range(0, len(found), n))

    return _over(op, make)


@operator(_names("zip_equal"), "*iterables")
def rows(op: Op, iterables: tuple[Value, ...]) -> Value:
    def make() -> Iterator[Value]:
        found = [all_elements(op, part) for part in iterables]
        if len({len(part) for part in found}) > 1:
            raise PyRaise("UnequalIterablesError", "iterables have different lengths")
        return zip(*found, strict=True)

    return _over(op, make)


@operator(_names("interleave interleave_longest roundrobin"), "*iterables")
def in_turn(op: Op, iterables: tuple[Value, ...]) -> Value:
    def make() -> Iterator[Value]:
        found = [all_elements(op, part) for part in iterables]
        if op.short == "interleave":
            return chain.from_iterable(zip(*found, strict=False))
        nothing = object()
        return (v for v in chain.from_iterable(zip_longest(*found, fillvalue=nothing)) if v is not nothing)

    return _over(op, make)


@operator(_names("distribute divide"), "n iterable")
def shares(op: Op, n: Value, iterable: Value) -> Value:
    """So many iterators: `divide` gives runs, `distribute` every n-th element."""
    try:
        found = all_elements(op, iterable)
    except NotPlain:
        return op.tr.unknown(f"{op.name}()", "foreign")
    if type(n) is not int or not 1 <= n <= MOST_ITEMS:
        return op.tr.unknown(f"{op.name}()", "foreign")
    if op.short == "distribute":
        parts = [found[i::n] for i in range(n)]
    else:
        size, more = divmod(len(found), n)
        ends = [0]
        for i in range(n):
            ends.append(ends[-1] + size + (i < more))
        parts = [found[a:b] for a, b in pairwise(ends)]
    return ListV(Iterator_(lambda part=part: iter(part), once=True) for part in parts)  # type: ignore[misc]


@operator(_names("unique_everseen"), "iterable key=None")
def once_each(op: Op, iterable: Value, key: Value) -> Value:
    def make() -> Iterator[Value]:
        found: list[Value] = []
        kept: list[Value] = []
        for value in all_elements(op, iterable):
            told = plain_data(value if key is None else call(op.tr, key, (value,), {}))
            if told not in kept:
                kept.append(told)
                found.append(value)
        return iter(found)

    return _over(op, make)


@operator(_names("always_iterable"), "obj *rest")
def as_iterable(op: Op, obj: Value, rest: tuple[Value, ...]) -> Value:
    """None is nothing, a text or a number one element."""
    if obj is None:
        return Iterator_(lambda: iter(()), once=True)
    if isinstance(obj, (str, bytes, int, float)) and not rest and not op.extra:
        return Iterator_(lambda: iter((obj,)), once=True)
    return _over(op, lambda: iter(all_elements(op, obj))) if not rest and not op.extra else op.tr.unknown(op.name)


@operator(_names("collapse"), "iterable *rest")
def flat(op: Op, iterable: Value, rest: tuple[Value, ...]) -> Value:
    """The elements of nested lists and tuples, from left to right."""

    def inside(value: Value) -> Iterator[Value]:
        if isinstance(value, (ListV, tuple)) and not isinstance(value, DictV):
            for part in all_elements(op, value):
                yield from inside(part)
        elif is_plain(value):
            yield value
        else:
            raise NotPlain

    def make() -> Iterator[Value]:
        if rest or op.extra:
            raise NotPlain
        return inside(ListV(all_elements(op, iterable)))

    return _over(op, make)


@operator(_names("consume"), "iterator n=None")
def gone(op: Op, iterator: Value, n: Value) -> Value:
    if n is None:
        try:
            all_elements(op, iterator)
        except NotPlain:
            op.tr.forget((iterator,))
    else:
        op.tr.forget((iterator,))
    return None
