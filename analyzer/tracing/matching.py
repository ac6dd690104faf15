"""Structural pattern matching."""

from __future__ import annotations

import ast
from collections.abc import Callable

from analyzer.tracing.attributes import get_attribute
from analyzer.tracing.comparisons import compare
from analyzer.tracing.expressions import evaluate
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import DictV, ListV, Unknown, Value

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
    if isinstance(pattern, ast.MatchSequence):
        items = (
            list(subject.items) if isinstance(subject, ListV) else list(subject) if isinstance(subject, tuple) else None
        )
        if items is None:
            if not isinstance(subject, Unknown):
                return False
            for p in pattern.patterns:
                matches(tr, p, tr.unknown("part of a matched value", subject.origin), store)
            return tr.decide(tr.unknown("a sequence pattern", subject.origin), pattern)
        if any(isinstance(p, ast.MatchStar) for p in pattern.patterns):
            return tr.decide(tr.unknown("a starred pattern"), pattern)
        return len(items) == len(pattern.patterns) and all(
            matches(tr, p, v, store) for p, v in zip(pattern.patterns, items, strict=True)
        )
    if isinstance(pattern, ast.MatchMapping) and isinstance(subject, DictV):
        for key, part in zip(pattern.keys, pattern.patterns, strict=True):
            value = subject.items.get(evaluate(tr, key))
            if value is None or not matches(tr, part, value, store):
                return False
        return True
    if isinstance(pattern, ast.MatchClass):
        for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            matches(tr, part, get_attribute(tr, subject, name), store)
    return tr.decide(tr.unknown("a class pattern"), pattern)
