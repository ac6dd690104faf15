"""`toolz`, its compiled twin `cytoolz`, and `more_itertools`: rows of the elements of one sequence or of several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice

from analyzer.tracing.language.plain_data import NotPlain
from analyzer.tracing.language.values import Iterator_, ListV, Value
from analyzer.tracing.operators.itertools_rules import all_elements
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.problems import PyRaise


def _toolz(names: str) -> str:
    homes = ("toolz", "toolz.itertoolz", "cytoolz", "cytoolz.itertoolz")
    return " ".join(f"{home}.{name}" for home in homes for name in names.split())


def _over(op: Op, make: Callable[[], Iterator[Value]]) -> Value:
    """An iterator over what `make` gives, if that is known."""
    try:
        found = list(make())
    except NotPlain:
        return op.tr.unknown(f"{op.name}()", "foreign")
    return Iterator_(lambda: iter(found), once=True)


def _count(value: Value) -> int:
    if type(value) is not int or value < 1:
        raise NotPlain
    return value


@operator(_toolz("concat") + " more_itertools.flatten", "seqs")
def concat(op: Op, seqs: Value) -> Value:
    return _over(op, lambda: chain(*(all_elements(op, s) for s in all_elements(op, seqs))))


@operator(_toolz("concatv"), "*seqs")
def concatv(op: Op, seqs: tuple[Value, ...]) -> Value:
    return _over(op, lambda: chain(*(all_elements(op, s) for s in seqs)))


@operator(_toolz("sliding_window"), "n seq")
def sliding_window(op: Op, n: Value, seq: Value) -> Value:
    def make() -> Iterator[Value]:
        found, size = all_elements(op, seq), _count(n)
        return (tuple(found[i : i + size]) for i in range(len(found) - size + 1))

    return _over(op, make)


@operator(_toolz("partition"), "n seq")
def partition(op: Op, n: Value, seq: Value) -> Value:
    """Rows of so many elements; what is left over is dropped."""

    def make() -> Iterator[Value]:
        found, size = all_elements(op, seq), _count(n)
        return (tuple(found[i : i + size]) for i in range(0, len(found) - size + 1, size))

    return _over(op, make)


@operator(_toolz("partition_all"), "n seq")
def partition_all(op: Op, n: Value, seq: Value) -> Value:
    """Rows of so many elements, the last one shorter where some are left over."""
    return _over(op, lambda: _rows(op, seq, n, tuple))


@operator("more_itertools.chunked", "iterable n")
def chunked(op: Op, iterable: Value, n: Value) -> Value:
    return _over(op, lambda: _rows(op, iterable, n, ListV))


def _rows(op: Op, seq: Value, n: Value, make: Callable[[list[Value]], Value]) -> Iterator[Value]:
    found, size = all_elements(op, seq), _count(n)
    return (make(found[i : i + size]) for i in range(0, len(found), size))


@operator(_toolz("take drop"), "n seq")
def part(op: Op, n: Value, seq: Value) -> Value:
    return _over(op, lambda: iter(all_elements(op, seq)[slice(None, n) if op.short == "take" else slice(n, None)]))


@operator(_toolz("cons"), "el seq")
def cons(op: Op, el: Value, seq: Value) -> Value:
    return _over(op, lambda: iter([el, *all_elements(op, seq)]))


@operator(_toolz("first second last"), "seq")
def element(op: Op, seq: Value) -> Value:
    try:
        found = all_elements(op, seq)
    except NotPlain:
        return op.tr.unknown(f"{op.name}()", "foreign")
    place = {"first": 0, "second": 1, "last": len(found) - 1}[op.short]
    for value in islice(found, max(place, 0), max(place, 0) + 1):
        return value
    raise PyRaise("StopIteration" if op.short != "last" else "IndexError", f"{op.short} of too few elements")
