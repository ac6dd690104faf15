"""Structural pattern matching."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from analyzer.tracing.language.absent_attributes import lacks_attribute
from analyzer.tracing.language.builtins.kinds import is_a
from analyzer.tracing.language.collected import MOST_ELEMENTS
from analyzer.tracing.language.comparisons import compare
from analyzer.tracing.language.evaluation import evaluate, get_attribute
from analyzer.tracing.language.plain_data import is_plain
from analyzer.tracing.language.values import (
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    ListV,
    Native,
    SetV,
    Unknown,
    Value,
    field_names,
)
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly

Store = Callable[[str, Value], None]


def fits(tr: Tracer, pattern: ast.pattern, subject: Value, store: Store) -> bool:
    """Whether the subject fits the pattern on this path; names are bound where all of it does."""
    captured: list[tuple[str, Value]] = []
    found = matches(tr, pattern, subject, lambda name, value: captured.append((name, value)))
    for name, value in captured if found else ():
        store(name, value)
    return found


def matches(tr: Tracer, pattern: ast.pattern, subject: Value, store: Store) -> bool:
    """Whether the subject fits the pattern on this path; captures names through `store`."""
    if isinstance(pattern, ast.MatchValue):
        return tr.decide(compare(tr, ast.Eq, subject, evaluate(tr, pattern.value)), pattern)
    if isinstance(pattern, ast.MatchSingleton):
        return tr.decide(compare(tr, ast.Is, subject, pattern.value), pattern)
    if isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None and not matches(tr, pattern.pattern, subject, store):
            return False
        if pattern.name:
            store(pattern.name, subject)
        return True
    if isinstance(pattern, ast.MatchOr):
        return any(matches(tr, p, subject, store) for p in pattern.patterns)
    if isinstance(pattern, ast.MatchStar):
        if pattern.name:
            store(pattern.name, subject)
        return True
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(tr, pattern, subject, store)
    if isinstance(pattern, ast.MatchMapping):
        return _mapping(tr, pattern, subject, store)
    if isinstance(pattern, ast.MatchClass):
        return _class(tr, pattern, subject, store)
    return tr.decide(tr.unknown("a pattern"), pattern)


def _sequence(tr: Tracer, pattern: ast.MatchSequence, subject: Value, store: Store) -> bool:
    parts = pattern.patterns
    star = next((n for n, p in enumerate(parts) if isinstance(p, ast.MatchStar)), None)
    if isinstance(subject, Iterator_) and isinstance(subject.length, int) and not subject.once:
        return _parts(tr, parts, star, range(*subject.bounds), store)
    if isinstance(subject, (tuple, ListV)) and not isinstance(subject, SetV):
        items = list(subject.items if isinstance(subject, ListV) else subject)
        if not getattr(subject, "open", False):
            return _parts(tr, parts, star, items, store)
    elif subject is None or isinstance(subject, (str, bytes, int, float, DictV, Poly, Function, Class)):
        return False
    origin = getattr(subject, "origin", "imprecise")
    for p in parts:
        matches(tr, p, tr.unknown("part of a matched value", origin), store)
    return tr.decide(tr.unknown("a sequence pattern", origin), pattern)


def _parts(tr: Tracer, parts: list[ast.pattern], star: int | None, items: Sequence[Value], store: Store) -> bool:
    """Whether known elements fit; a range is as long as it says, and what a star takes of it is not made whole."""
    if len(items) != len(parts) if star is None else len(items) < len(parts) - 1:
        return False
    if star is not None:
        end = len(items) - (len(parts) - 1 - star)
        between = items[star:end]
        long = len(between) > MOST_ELEMENTS
        items = [*items[:star], ListV(between[:2] if long else between, long), *items[end:]]
    return all(matches(tr, p, v, store) for p, v in zip(parts, items, strict=True))


def _mapping(tr: Tracer, pattern: ast.MatchMapping, subject: Value, store: Store) -> bool:
    if isinstance(subject, DictV):
        keys = [evaluate(tr, key) for key in pattern.keys]
        if any(key == other and is_plain(key) for n, key in enumerate(keys) for other in keys[:n]):
            raise PyRaise("ValueError", "a mapping pattern asks for a key twice")
        if not subject.open or all(key in subject.items for key in keys):
            for key, part in zip(keys, pattern.patterns, strict=True):
                if key not in subject.items or not matches(tr, part, subject.items[key], store):
                    return False
            if pattern.rest:
                rest = {k: v for k, v in subject.items.items() if k not in keys}
                store(pattern.rest, DictV(rest, subject.open))
            return True
    elif subject is None or isinstance(subject, (str, bytes, int, float, tuple, ListV, Poly, Function, Class)):
        return False
    for p in pattern.patterns:
        matches(tr, p, tr.unknown("part of a matched value"), store)
    if pattern.rest:
        store(pattern.rest, DictV({}, True))
    return tr.decide(tr.unknown("a mapping pattern"), pattern)


_WHOLE = ("bool", "bytes", "dict", "float", "int", "list", "set", "str", "tuple")  # whose one part is the value itself


def _class(tr: Tracer, pattern: ast.MatchClass, subject: Value, store: Store) -> bool:
    kind = evaluate(tr, pattern.cls)
    if is_a(subject, kind) is False:
        return False
    decided = is_a(subject, kind) is True
    whole = isinstance(kind, Native) and kind.name in _WHOLE
    names = [*((None,) * len(pattern.patterns) if whole else _placed(kind, len(pattern.patterns))), *pattern.kwd_attrs]
    known = [name for name in names if name is not None]
    if len({*known}) < len(known):
        raise PyRaise("TypeError", "a class pattern asks for an attribute twice")
    for name, part in zip(names, (*pattern.patterns, *pattern.kwd_patterns), strict=True):
        if isinstance(subject, Instance) and name is not None and _lacks(tr, subject, name):
            return False
        value = subject if whole else tr.unknown("part of a matched value")
        if not matches(tr, part, value if name is None else get_attribute(tr, subject, name), store):
            return False
    return decided or tr.decide(tr.unknown("a class pattern", getattr(subject, "origin", "imprecise")), pattern)


def _placed(kind: Value, count: int) -> list[str | None]:
    """The attributes that patterns by position stand for, as the class says; None for what is not known."""
    if not isinstance(kind, Class):
        return [None] * count
    found = kind.find("__match_args__")
    names: Value = found[0] if found is not None else tuple(field_names(kind)) if kind.dataclass or kind.fields else ()
    if found is None and count and (not kind.closed or kind.library_bases):
        return [*names, *[None] * count][:count] if isinstance(names, tuple) else [None] * count
    if isinstance(names, Unknown):
        return [None] * count
    if not isinstance(names, tuple) or len(names) < count:
        raise PyRaise("TypeError", f"{kind.name}() accepts fewer patterns by position")
    if any(not isinstance(name, (str, Unknown)) for name in names[:count]):
        raise PyRaise("TypeError", "an element of __match_args__ is no text")
    return [name if isinstance(name, str) else None for name in names[:count]]


def _lacks(tr: Tracer, subject: Instance, name: str) -> bool:
    return name not in subject.attrs and subject.cls.find(name) is None and lacks_attribute(tr, subject, name)
