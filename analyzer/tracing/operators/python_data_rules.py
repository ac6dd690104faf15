"""Python's library on data: numbers, text, sequences. What is pure is done by Python itself where all is known."""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import itertools
import json
import math
import operator as python_operators
import posixpath
import re
import string
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from analyzer.tracing.builtins import BUILTINS, EXCEPTIONS, Call
from analyzer.tracing.collected import in_order
from analyzer.tracing.evaluation import call, get_attribute, get_item, iterate
from analyzer.tracing.iteration import known_elements
from analyzer.tracing.known_types import member, returned, value_of
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.plain_data import MOST_ITEMS, NotPlain, applied, as_value, plain_data
from analyzer.tracing.problems import PyRaise
from analyzer.tracing.truths import truth_of
from analyzer.tracing.values import DefaultDict, DequeV, DictV, Iterator_, ListV, Native, Object, Value

LARGEST_FACTORIAL = 200  # of which Python computes the factorial and binomial coefficients here

_PURE: dict[str, Any] = {
    **{f"math.{n}": getattr(math, n) for n in (
        "lcm", "gcd", "isqrt", "hypot", "dist", "degrees", "radians", "asin", "acos", "atan", "atan2", "sinh", "cosh",
        "trunc", "isclose", "isfinite", "isinf", "isnan", "fmod", "copysign", "expm1", "log1p", "erf", "tan",
        "fsum",
    )},
    **{f"operator.{n}": getattr(python_operators, n) for n in (
        "truediv", "mod", "neg", "pos", "eq", "ne", "lt", "le", "gt", "ge", "not_", "truth", "contains", "and_", "or_",
        "xor", "abs", "index",
    )},
    **{f"os.path.{n}": getattr(posixpath, n) for n in ("basename", "dirname", "join", "split", "splitext", "normpath",
                                                       "isabs", "commonprefix")},
    "json.loads": json.loads, "bisect.bisect": bisect.bisect, "bisect.bisect_left": bisect.bisect_left,
    "bisect.bisect_right": bisect.bisect_right, "string.capwords": string.capwords,
}  # fmt: skip
_SMALL = {"math.factorial": math.factorial, "math.comb": math.comb, "math.perm": math.perm}


@operator("types.MappingProxyType", "mapping")
def read_only(op: Op, mapping: Value) -> Value:
    """The dictionary itself: what is written into it is seen."""
    return mapping if isinstance(mapping, DictV) else op.tr.unknown("a mapping")


@operator(" ".join((*_PURE, *_SMALL)), "*args")
def pure(op: Op, args: tuple[Value, ...]) -> Value:
    if op.name in _SMALL and any(not isinstance(a, int) or a > LARGEST_FACTORIAL for a in args):
        return op.tr.unknown(f"{op.short}()", pytype="int")
    function: Any = _PURE.get(op.name) or _SMALL[op.name]
    try:
        return applied(function, args, dict(op.extra))
    except NotPlain:
        return op.tr.unknown(f"{op.short}()")


@operator("operator.itemgetter operator.attrgetter", "*names")
def getter(op: Op, names: tuple[Value, ...]) -> Value:
    def one(c: Call, name: Value) -> Value:
        if op.short == "itemgetter":
            return get_item(c.tr, c.get(0), name, c.node)
        parts = name.split(".") if isinstance(name, str) else ()
        return functools.reduce(lambda value, part: get_attribute(c.tr, value, part, c.node), parts, c.get(0))

    def run(c: Call) -> Value:
        found = tuple(one(c, name) for name in names)
        return found[0] if len(found) == 1 else found

    return Native(op.short, run)


# ----------------------------------------------------------------------------------------------- collections


@operator("collections.defaultdict", "factory=None *args")
def default_dict(op: Op, factory: Value, args: tuple[Value, ...]) -> Value:
    made = BUILTINS["dict"].run(Call(op.tr, args, dict(op.extra), op.node))
    return DefaultDict(factory, made.items, made.open)


@operator("collections.Counter", "values=None")
def counter(op: Op, values: Value) -> Value:
    if values is None:
        return DefaultDict(0, dict(op.extra))
    try:
        data = plain_data(values if isinstance(values, DictV) else ListV(_all(op, values)))
        return DefaultDict(0, dict(collections.Counter(data)))
    except (NotPlain, TypeError):
        return DictV({}, True)


@operator("collections.deque", "values=() maxlen=None")
def deque(op: Op, values: Value, maxlen: Value) -> Value:
    items, endless = iterate(op.tr, values, op.node)
    if isinstance(maxlen, int) and maxlen >= 0:
        return DequeV(() if endless else items, endless, maxlen)
    return ListV(() if endless else items, endless or maxlen is not None)


# ------------------------------------------------------------------------------------------------- itertools


def _all(op: Op, value: Value) -> list[Value]:
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


@operator("itertools.chain", "*iterables")
def chain(op: Op, iterables: tuple[Value, ...]) -> Value:
    return _some(op, lambda: itertools.chain(*(_all(op, i) for i in iterables)))


@operator("itertools.chain.from_iterable", "iterables")
def chain_from(op: Op, iterables: Value) -> Value:
    return _some(op, lambda: itertools.chain(*(_all(op, i) for i in _all(op, iterables))))


@operator("itertools.product", "*iterables repeat=1")
def product(op: Op, iterables: tuple[Value, ...], repeat: Value) -> Value:
    def make() -> Iterator[Value]:
        if not isinstance(repeat, int) or repeat > 100:
            raise NotPlain
        return itertools.product(*(_all(op, i) for i in iterables), repeat=repeat)

    return _some(op, make)


@operator("itertools.combinations itertools.permutations itertools.combinations_with_replacement", "values r=None")
def selections(op: Op, values: Value, r: Value) -> Value:
    def make() -> Iterator[Value]:
        found = _all(op, values)
        number = len(found) if r is None else r
        if not isinstance(number, int) or not 0 <= number <= 100:
            raise NotPlain
        return iter(getattr(itertools, op.short)(found, number))

    return _some(op, make)


@operator("itertools.islice", "values *bounds")
def sliced(op: Op, values: Value, bounds: tuple[Value, ...]) -> Value:
    if not all(b is None or (isinstance(b, int) and b >= 0) for b in bounds) or not 1 <= len(bounds) <= 3:
        return op.tr.unknown("itertools.islice()")
    stop = slice(*bounds).stop
    items, endless = iterate(op.tr, values, op.node)
    known = known_elements(values)
    if endless and (stop is None or known is None or known < stop):
        return Iterator_(lambda: items, True, known=known)
    return _some(op, lambda: islice(items, *bounds))


@operator("itertools.count", "start=0 step=1")
def counted(op: Op, start: Value, step: Value) -> Value:
    if not isinstance(start, int) or not isinstance(step, int):
        return op.tr.unknown("itertools.count()")
    return Iterator_(lambda: itertools.count(start, step), True, known=MOST_ITEMS, once=True)


@operator("itertools.cycle", "values")
def cycled(op: Op, values: Value) -> Value:
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
    return _some(op, lambda: itertools.pairwise(_all(op, values)))


@operator("itertools.zip_longest", "*iterables fillvalue=None")
def zip_longest(op: Op, iterables: tuple[Value, ...], fillvalue: Value) -> Value:
    return _some(op, lambda: itertools.zip_longest(*(_all(op, i) for i in iterables), fillvalue=fillvalue))


@operator("itertools.tee", "values n=2")
def tee(op: Op, values: Value, n: Value) -> Value:
    try:
        found = _all(op, values)
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

    return _some(op, lambda: itertools.accumulate(_all(op, values), add))


@operator("itertools.groupby", "iterable key=None")
def groups(op: Op, iterable: Value, key: Value) -> Value:
    try:
        values = _all(op, iterable)
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


@operator("asyncio.run", "main *rest")
def run_to_its_end(op: Op, main: Value, rest: tuple[Value, ...]) -> Value:
    """A coroutine is followed where it is called, and stands for what it returns."""
    return main


@operator("itertools.compress", "values selectors")
def compressed(op: Op, values: Value, selectors: Value) -> Value:
    def make() -> Iterator[Value]:
        told = [truth_of(selector) for selector in _all(op, selectors)]
        if None in told:
            raise NotPlain
        return iter([value for value, kept in zip(_all(op, values), told, strict=False) if kept])

    return _some(op, make)


@operator("itertools.starmap", "function values")
def starmap(op: Op, function: Value, values: Value) -> Value:
    return _some(op, lambda: (call(op.tr, function, tuple(_all(op, row)), {}) for row in _all(op, values)))


@operator("itertools.takewhile itertools.dropwhile itertools.filterfalse", "function values")
def passing(op: Op, function: Value, values: Value) -> Value:
    def test(value: Value) -> bool:
        truth = truth_of(value if function is None else call(op.tr, function, (value,), {}))
        if truth is None:
            raise NotPlain
        return truth

    return _some(op, lambda: iter(getattr(itertools, op.short)(test, _all(op, values))))


@operator("heapq.heapify", "heap")
def heapified(op: Op, heap: Value) -> Value:
    _on_heap(op, heap)
    return None


@operator("heapq.heappush heapq.heappop heapq.heappushpop heapq.heapreplace", "heap *item")
def of_heap(op: Op, heap: Value, item: tuple[Value, ...]) -> Value:
    return _on_heap(op, heap, *item)


def _on_heap(op: Op, heap: Value, *item: Value) -> Value:
    """What Python's function does to a list of plain data, in place."""
    unknown = op.tr.unknown(f"heapq.{op.short}()")
    if not isinstance(heap, ListV):
        return unknown
    op.tr.touch(heap)
    try:
        data, given = plain_data(heap), map(plain_data, item)
        found = getattr(heapq, op.short)(data, *given)
        heap.items = list(as_value(data).items)
        return as_value(found)
    except (NotPlain, TypeError):
        heap.lose()
        return unknown
    except IndexError as error:
        raise PyRaise("IndexError", str(error)) from error


@operator("heapq.nlargest heapq.nsmallest", "n values *rest")
def extremes(op: Op, n: Value, values: Value, rest: tuple[Value, ...]) -> Value:
    try:
        ordered = in_order(op.tr, _all(op, values), {**op.extra, "reverse": op.short == "nlargest"})
    except NotPlain:
        return op.tr.unknown(f"heapq.{op.short}()")
    return ListV(ordered[:n]) if isinstance(n, int) and not rest else op.tr.unknown(f"heapq.{op.short}()")


# ------------------------------------------------------------------------------------------------ exceptions


@operator(
    " ".join(EXCEPTIONS),
    "*args",
)
def exception(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("exception", {"args": args}, {"name": op.name})


MOST_TRIED = 100_000  # places of the repetitions of a pattern in a short text
MOST_SEARCHED = 300  # characters: a pattern with three loose repetitions takes their number cubed


@operator("re.split re.findall re.match re.fullmatch re.search", "pattern text *rest")
def pattern_parts(op: Op, pattern: Value, text: Value, rest: tuple[Value, ...]) -> Value:
    """What a plain pattern finds in a plain text; one that could take long is not run."""
    if isinstance(pattern, str) and isinstance(text, str) and not rest and not op.extra and _is_quick(pattern, text):
        with suppress(re.error):
            return _found(getattr(re, op.short)(pattern, text))
    return value_of(returned(op.name) or "", f"{op.short}()", "imprecise", f"{op.short}()")


@operator("re.sub re.subn", "pattern repl text *rest")
def substituted(op: Op, pattern: Value, repl: Value, text: Value, rest: tuple[Value, ...]) -> Value:
    if (
        all(isinstance(t, str) for t in (pattern, repl, text))
        and not rest
        and not op.extra
        and _is_quick(pattern, text)
    ):
        with suppress(re.error, IndexError):
            return as_value(getattr(re, op.short)(pattern, repl, text))
    return value_of(returned(op.name) or "", f"{op.short}()", "imprecise", f"{op.short}()")


@operator("re.compile", "pattern *rest")
def compiled_pattern(op: Op, pattern: Value, rest: tuple[Value, ...]) -> Value:
    if not isinstance(pattern, str) or rest or op.extra:
        return value_of("re.Pattern", "a pattern", "imprecise", "a pattern")

    def method(name: str) -> Native:
        def run(c: Call) -> Value:
            text = c.get(0)
            if isinstance(text, str) and len(c.args) == 1 and not c.kwargs and _is_quick(pattern, text):
                with suppress(re.error):
                    return _found(getattr(re, name)(pattern, text))
            return value_of((member("re.Pattern", name) or "-> ")[3:], f"{name}()", "imprecise", f"{name}()")

        return Native(name, run)

    return Object("pattern", {"pattern": pattern} | {n: method(n) for n in _OF_PATTERNS})


_OF_PATTERNS = ("split", "findall", "match", "fullmatch", "search")


def _found(result: Any) -> Value:
    """Lists of texts, or a match with its groups."""
    if not isinstance(result, re.Match):
        return ListV(result) if isinstance(result, list) else None
    return Object("match", {
        "group": Native("group", lambda c: _group(c, result)), "groups": Native("groups", lambda c: result.groups()),
        "groupdict": Native("groupdict", lambda c: DictV(result.groupdict())),
        "start": Native("start", lambda c: result.start()), "end": Native("end", lambda c: result.end()),
    })  # fmt: skip


def _group(c: Call, result: re.Match[str]) -> Value:
    try:
        return result.group(*c.args)
    except (IndexError, TypeError):
        return c.tr.unknown("a group", "imprecise")


def _is_quick(pattern: str, text: str) -> bool:
    """Repetitions inside repeated or alternative groups can take exponential time."""
    loose = sum(map(pattern.count, "*+{"))
    most = 3 if "(" not in pattern else 1 if "|" not in pattern else 0
    once = "|" not in pattern and not any(f"){sign}" in pattern for sign in "*+{")  # each group, or not at all
    if once and (len(text) + 1) ** loose <= MOST_TRIED:
        return True
    return len(text) <= MOST_SEARCHED and loose <= most
