"""Sets and dictionaries made of elements: which of them are equal, and whether that is known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from analyzer.tracing.language.dictionary_objects import plain_store
from analyzer.tracing.language.evaluation import call, iterate
from analyzer.tracing.language.plain_data import NotPlain, hashable, is_plain, plain_data
from analyzer.tracing.language.sets import equals_itself_alone
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import DictV, ListV, SetV, Unknown, Value
from analyzer.tracing.paths.agreement import alike
from analyzer.tracing.paths.tracer import Tracer

MOST_ELEMENTS = 100_000  # of a sequence that is made whole


def as_set(items: Sequence[Value], open: bool = False) -> SetV:
    """A set of the elements; how many there are is not known where two of them may be equal."""
    told = unique(list(items))
    return SetV(told, open or (len(told) > 1 and any(not _tells_apart(v) for v in told)))


def with_element(held: ListV, value: Value) -> SetV:
    """A set and one more element; of a value that is no plain data only itself is the same."""
    if type(value) in _HASHED or is_plain(value):
        return as_set([*held.items, value], held.open)
    told = list(held.items) if any(value is v for v in held.items) else [*held.items, value]
    return SetV(told, held.open or (len(told) > 1 and not all(map(_tells_apart, told))))


def _tells_apart(value: Value) -> bool:
    """Whether it is known which values this one is equal to."""
    return type(value) in _HASHED or equals_itself_alone(value) or is_plain(value)


_HASHED = frozenset((str, int, bytes))  # plain, whatever they hold


def unique(values: list[Value]) -> list[Value]:
    result: list[Value] = []
    plain: set[Any] = set()
    others: set[int] = set()  # by identity
    for value in values:
        if type(value) in _HASHED or (is_plain(value) and hashable(value)):
            if value not in plain:
                plain.add(value)
                result.append(value)
        elif id(value) not in others:
            others.add(id(value))
            result.append(value)
    return result


def as_dict(tr: Tracer, value: Value) -> DictV:
    """The dictionary of a sequence of pairs, or of another dictionary."""
    if isinstance(value, DictV):
        return DictV(value.items, value.open)
    if (held := plain_store(tr, value)) is not None:
        return DictV(held.items, held.open)
    result = DictV()
    if value is None:
        return result
    items, endless = iterate(tr, value, None)
    result.open = endless
    for pair in islice(items, 2 if endless else MOST_ELEMENTS):
        parts = list(pair.items) if isinstance(pair, ListV) and not pair.open else pair
        if isinstance(parts, (tuple, list)) and len(parts) == 2 and hashable(parts[0]):
            result.items[parts[0]] = parts[1]
        else:
            result.open = True
    result.open = result.open or next(items, None) is not None
    return result


def in_order(tr: Tracer, items: list[Value], options: dict[str, Value]) -> list[Value]:
    """The elements sorted; where their order is not known, each may be any of them."""
    key, reverse = options.get("key"), truth_of(options.get("reverse", False))
    try:
        keys = [plain_data(v if key is None else call(tr, key, (v,), {})) for v in items]
        if reverse is None:
            raise NotPlain
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    except (NotPlain, TypeError):
        same = items and all(alike(items[0], other) and not isinstance(other, Unknown) for other in items)
        return items if same else [tr.unknown("an element of a sorted list") for _ in items]
    return [items[i] for i in order]
