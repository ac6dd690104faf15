"""Membership of a value in a container, a range or a text."""

from __future__ import annotations

import ast
import math

from analyzer.tracing.imports.configurations import is_mapping as is_configuration
from analyzer.tracing.imports.registries import filled
from analyzer.tracing.language.arithmetic import PLAIN
from analyzer.tracing.language.container_values import is_empty
from analyzer.tracing.language.dictionary_objects import store_of
from analyzer.tracing.language.enumerations import members_of
from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.identity import against_constant, is_any_value, same_name, same_type
from analyzer.tracing.language.lazy_iterators import step_through
from analyzer.tracing.language.mapping_methods import holds, is_mapping
from analyzer.tracing.language.negation import invert_truth
from analyzer.tracing.language.orderings import comparable, compare_values, fields_of_both, is_enum_member, member_value
from analyzer.tracing.language.sets import equals_itself_alone
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import (
    Address,
    Api,
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Unknown,
    Value,
)
from analyzer.tracing.operators.element_types import dtype_name, is_type_named
from analyzer.tracing.operators.torch_modules import children_by_name
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Cond, Poly


def member(tr: Tracer, item: Value, container: Value, negated: bool) -> Value:
    """``item in container``, or ``not in`` where it is negated."""
    items: list[Value] | None = None
    complete = True
    if filled(tr, container, item):
        return (item in container.items) is not negated
    if is_empty(container) and tr.knows_objects:
        return negated
    if isinstance(container, (ListV, DictV)):
        items, complete = list(container.items), not container.open
    elif isinstance(container, tuple):
        items = list(container)
    elif isinstance(container, Class) and isinstance(item, Instance):
        members = members_of(container)
        items = list(members.items.values()) if members is not None and is_enum_member(item) else None
    elif isinstance(container, str) and isinstance(item, str):
        return (item in container) is not negated
    if isinstance(container, Instance) and container.cls.find("__contains__"):
        found = call(tr, get_attribute(tr, container, "__contains__"), (item,), {})
        return invert_truth(tr, found) if negated else found
    if is_configuration(container):
        return member(tr, item, DictV(container.attrs), negated)
    if isinstance(container, (Layer, Instance)) and (named := children_by_name(container)) is not None:
        return member(tr, item, named, negated)
    if (held := store_of(tr, container)) is not None:
        return member(tr, item, held, negated)
    if is_mapping(container) and container.cls.find("__getitem__"):
        return holds(tr, container, item) is not negated
    if isinstance(container, Iterator_) and isinstance(container.length, int) and isinstance(item, int):
        return (item in range(*container.bounds)) is not negated
    if isinstance(container, (Iterator_, Instance)) and _compared(item):
        found = _met(tr, item, container)
        return tr.unknown("a membership test", pytype="bool") if found is None else found is not negated
    if items is None and isinstance(container, Tensor) and isinstance(item, Tensor):
        return tr.unknown("a membership test", pytype="bool")  # how many of some are among others is no free choice
    if items is None:
        return tr.unknown("a membership test", getattr(container, "origin", "imprecise"), pytype="bool")
    if getattr(container, "doubtful", False):
        return tr.unknown("a membership test", pytype="bool")
    if type(item) is str and (found := _text_among(item, container, items)) is not None and (found or complete):
        return found is not negated
    item, items = comparable(member_value(item)), [comparable(member_value(i)) for i in items]
    if isinstance(item, Unknown) and not isinstance(item, Address):
        if item.pytype == "bool" and all(any(i is truth for i in items) for truth in (True, False)):
            return not negated
        if complete and len(items) <= 8 and all(isinstance(i, (str, int)) for i in items) and items:
            if item.element is not None:
                return tr.unknown("a membership test", pytype="bool")
            found = [against_constant(tr, item, "==", i, False) for i in items]
            if any(truth_of(t) is True for t in found):
                return not negated
            if all(truth_of(t) is False for t in found):
                return negated
        return tr.unknown("a membership test", item.origin, pytype="bool")
    if isinstance(item, Poly) and _covered(item, items):
        return not negated
    if isinstance(item, (Poly, Cond, Tensor)):
        return tr.unknown("a membership test", "imprecise" if isinstance(item, Tensor) else "data", pytype="bool")
    if any(is_same_member(i, item) for i in items):
        return not negated
    found = [_equals(tr, i, item) for i in items]
    if any(found):
        return not negated
    if complete and None not in found:
        return negated
    return tr.unknown("a membership test", pytype="bool")


def _text_among(item: str, container: Value, items: list[Value]) -> bool | None:
    """Whether a text is one of the elements; None where some are no texts, which may be equal to it."""
    if isinstance(container, DictV) and item in container.items:
        return True
    return item in items if all(type(i) is str for i in items) else None


def _covered(item: Poly, items: list[Value]) -> bool:
    """Whether a few numbers are all that a size can be."""
    low, high = item.interval.lo, item.interval.hi
    if not (abs(low) < math.inf and abs(high) < math.inf) or high - low >= MOST_COVERED:
        return False
    return all(n in [i for i in items if type(i) is int] for n in range(int(low), int(high) + 1))


MOST_COVERED = 64  # numbers of an interval that are looked up one by one


_COMPARED = (*PLAIN, Tensor, Api, Class, Function, Layer)


def _compared(value: Value) -> bool:
    """Whether it is known which values this one equals."""
    if isinstance(value, tuple):
        return all(map(_compared, value))
    return (isinstance(value, _COMPARED) and not is_any_value(value)) or equals_itself_alone(value)


def is_same_member(element: Value, item: Value) -> bool:
    """Whether an element is certainly the item: equal plain data, or one value."""
    if isinstance(element, PLAIN) and isinstance(item, PLAIN):
        return element is item or bool(element == item)
    if same_type(element, item):
        return True
    return element is item or (isinstance(element, Api) and same_name(element, item))


def _equals(tr: Tracer, element: Value, item: Value) -> bool | None:
    """Whether two values that are not one and no plain data are known to be equal, or not to be."""
    fields = fields_of_both(element, item)
    if fields is not None:
        return truth_of(compare_values(tr, ast.Eq, *fields))
    if (same := same_type(element, item)) is not None:
        return same
    for kind, text in ((element, item), (item, element)):
        if isinstance(kind, Api) and dtype_name(kind) is not None and isinstance(text, str):
            return is_type_named(kind, text)
    if isinstance(element, float) and isinstance(item, float) and element != element and item != item:
        return None  # no number equals itself as one object
    return False if _compared(element) and _compared(item) else None


def _met(tr: Tracer, item: Value, container: Iterator_ | Instance) -> bool | None:
    """Whether going over a container meets an item; what is gone through once is used up to it, as Python does."""
    passage = step_through(tr, container, None)
    for element in passage.items:
        tr.step()
        if passage.endless:
            return None
        if is_same_member(element, item):
            return True
        if not _compared(element):
            return None
    return False
