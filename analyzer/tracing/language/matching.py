"""Structural pattern matching."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from analyzer.tracing.language.builtins.kinds import is_a
from analyzer.tracing.language.collected import MOST_ELEMENTS
from analyzer.tracing.language.comparisons import compare
from analyzer.tracing.language.evaluation import evaluate, get_attribute
from analyzer.tracing.language.values import Class, DictV, Function, Iterator_, ListV, Native, SetV, Value, field_names
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly

Store = Callable[[str, Value], None]


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
    names: list[Value] = []
    if isinstance(kind, Class):
        found = kind.find("__match_args__")
        names = list(found[0]) if found and isinstance(found[0], tuple) else field_names(kind) if kind.dataclass else []
    for number, part in enumerate(pattern.patterns):
        if isinstance(kind, Native) and kind.name in _WHOLE:
            value = subject
        else:
            name = names[number] if number < len(names) else None
            value = get_attribute(tr, subject, name) if isinstance(name, str) else tr.unknown("part of a matched value")
        if not matches(tr, part, value, store):
            return False
    for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        if not matches(tr, part, get_attribute(tr, subject, name), store):
            return False
    return decided or tr.decide(tr.unknown("a class pattern", getattr(subject, "origin", "imprecise")), pattern)
