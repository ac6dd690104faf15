"""Python's library on data: numbers, text, sequences. What is pure is done by Python itself where all is known."""

from __future__ import annotations

import bisect
import collections
import fnmatch
import functools
import heapq
import math
import operator as python_operators
import posixpath
import re
import statistics
import string
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from analyzer.tracing.language.builtins import BUILTINS, EXCEPTIONS, Call
from analyzer.tracing.language.collected import in_order
from analyzer.tracing.language.evaluation import get_attribute, get_item, iterate
from analyzer.tracing.language.known_types import member, returned, value_of
from analyzer.tracing.language.own_paths import function_place
from analyzer.tracing.language.plain_data import MOST_ITEMS, NotPlain, applied, as_value, plain_data
from analyzer.tracing.language.values import DefaultDict, DequeV, DictV, Iterator_, ListV, Native, Object, Value
from analyzer.tracing.operators.itertools_rules import all_elements
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.problems import PyRaise

LARGEST_FACTORIAL = 200  # of which Python computes the factorial and binomial coefficients here

_PURE: dict[str, Any] = {
    **{f"math.{n}": getattr(math, n) for n in (
        "lcm", "gcd", "isqrt", "hypot", "dist", "degrees", "radians", "asin", "acos", "atan", "atan2", "sinh", "cosh",
        "trunc", "isclose", "isfinite", "isinf", "isnan", "fmod", "copysign", "expm1", "log1p", "erf", "tan",
        "fsum", "atanh", "acosh", "asinh", "lgamma", "gamma", "erfc", "ldexp", "remainder", "nextafter", "ulp",
        "frexp", "modf",
    )},
    **{f"statistics.{n}": getattr(statistics, n) for n in (
        "mean", "fmean", "median", "median_low", "median_high", "mode", "multimode", "stdev", "pstdev", "variance",
        "pvariance", "harmonic_mean", "geometric_mean", "quantiles",
    )},
    **{f"operator.{n}": getattr(python_operators, n) for n in (
        "truediv", "mod", "neg", "pos", "eq", "ne", "lt", "le", "gt", "ge", "not_", "truth", "contains", "and_", "or_",
        "xor", "abs", "index",
    )},
    **{f"os.path.{n}": getattr(posixpath, n) for n in ("basename", "dirname", "join", "split", "splitext", "normpath",
                                                       "isabs", "commonprefix")},
    "bisect.bisect": bisect.bisect, "bisect.bisect_left": bisect.bisect_left,
    "bisect.bisect_right": bisect.bisect_right, "string.capwords": string.capwords,
    **{f"fnmatch.{n}": getattr(fnmatch, n) for n in ("fnmatch", "fnmatchcase", "translate")},
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
        found = op.tr.unknown(f"{op.short}()")
        found.place = function_place(op.name, args)
        return found


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
        data = plain_data(values if isinstance(values, DictV) else ListV(all_elements(op, values)))
        return DefaultDict(0, dict(collections.Counter(data)))
    except (NotPlain, TypeError):
        return DictV({}, True)


@operator("collections.deque", "values=() maxlen=None")
def deque(op: Op, values: Value, maxlen: Value) -> Value:
    items, endless = iterate(op.tr, values, op.node)
    if isinstance(maxlen, int) and maxlen >= 0:
        return DequeV(() if endless else items, endless, maxlen)
    return ListV(() if endless else items, endless or maxlen is not None)


@operator("asyncio.run", "main *rest")
def run_to_its_end(op: Op, main: Value, rest: tuple[Value, ...]) -> Value:
    """A coroutine is followed where it is called, and stands for what it returns."""
    return main


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
        ordered = in_order(op.tr, all_elements(op, values), {**op.extra, "reverse": op.short == "nlargest"})
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


@operator("re.split re.findall re.match re.fullmatch re.search re.finditer", "pattern text *rest")
def pattern_parts(op: Op, pattern: Value, text: Value, rest: tuple[Value, ...]) -> Value:
    """What a plain pattern finds in a plain text; one that could take long is not run."""
    if isinstance(pattern, str) and isinstance(text, str) and not rest and not op.extra and _is_quick(pattern, text):
        with suppress(re.error):
            return _found(getattr(re, op.short)(pattern, text))
    return value_of(returned(op.name) or "", f"{op.short}()", "imprecise", f"{op.short}()")


@operator("fnmatch.filter", "names pat")
def filtered(op: Op, names: Value, pat: Value) -> Value:
    """Names that fit a pattern of the shell's."""
    try:
        found = all_elements(op, names)
    except NotPlain:
        return ListV((), True)
    known = [name for name in found if isinstance(name, str)]
    whole = isinstance(pat, str) and len(known) == len(found)
    return ListV(fnmatch.filter(known, str(pat)) if whole else (), not whole)


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
    op.tr.forget((repl,))  # a function is called for each place
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

    def substituting(name: str) -> Native:
        def run(c: Call) -> Value:
            repl, text = c.get(0, "repl"), c.get(1, "string")
            plain = isinstance(repl, str) and isinstance(text, str) and len(c.args) + len(c.kwargs) == 2
            if plain and _is_quick(pattern, text):
                with suppress(re.error, IndexError):
                    return as_value(getattr(re, name)(pattern, repl, text))
            c.tr.forget((repl,))
            return value_of((member("re.Pattern", name) or "-> ")[3:], f"{name}()", "imprecise", f"{name}()")

        return Native(name, run)

    methods = {n: method(n) for n in _OF_PATTERNS} | {n: substituting(n) for n in ("sub", "subn")}
    return Object("pattern", {"pattern": pattern} | methods)


_OF_PATTERNS = ("split", "findall", "match", "fullmatch", "search", "finditer")


def _found(result: Any) -> Value:
    """Lists of texts, or a match with its groups."""
    if isinstance(result, Iterator):
        matches = list(islice(result, MOST_ITEMS))
        return Iterator_(lambda: map(_found, matches), once=True)
    if not isinstance(result, re.Match):
        return ListV(result) if isinstance(result, list) else None
    return Object("match", {
        name: Native(name, _asked(getattr(result, name))) for name in _OF_MATCHES
    })  # fmt: skip


_OF_MATCHES = ("group", "groups", "groupdict", "start", "end", "span")


def _asked(method: Callable[..., Any]) -> Callable[[Call], Value]:
    """What a match says of its groups."""

    def run(c: Call) -> Value:
        try:
            told = method(*map(plain_data, c.args), **{k: plain_data(v) for k, v in c.kwargs.items()})
        except (IndexError, TypeError, NotPlain):
            return c.tr.unknown("a group", "imprecise")
        return DictV(told) if isinstance(told, dict) else told

    return run


def _is_quick(pattern: str, text: str) -> bool:
    """Repetitions inside repeated or alternative groups can take exponential time."""
    loose = sum(map(pattern.count, "*+{"))
    most = 3 if "(" not in pattern else 1 if "|" not in pattern else 0
    once = "|" not in pattern and not any(f"){sign}" in pattern for sign in "*+{")  # each group, or not at all
    if once and (len(text) + 1) ** loose <= MOST_TRIED:
        return True
    return len(text) <= MOST_SEARCHED and loose <= most
