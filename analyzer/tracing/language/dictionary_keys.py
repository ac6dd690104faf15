"""Which keys a dictionary certainly lacks."""

from __future__ import annotations

from analyzer.tracing.language.plain_data import is_plain
from analyzer.tracing.language.values import Api, DictV, Value
from analyzer.tracing.operators.element_types import dtype_name


def lacks(owner: DictV, key: Value) -> bool:
    """Whether none of its keys can be equal to this one: it is empty, or each differs in a part that is known.

    Of a dictionary that nobody knows to be whole nothing is said.
    """
    whole = not (owner.open or owner.given or owner.choices)
    return whole and all(_differ(own, key) for own in owner.items)


def _differ(one: Value, other: Value) -> bool:
    if is_plain(one) and is_plain(other):
        return bool(one != other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) != len(other) or any(map(_differ, one, other))
    if isinstance(one, Api) and isinstance(other, Api):
        names = dtype_name(one), dtype_name(other)
        return None not in names and names[0] != names[1]
    return False
