"""Comparisons, identity, membership and negation of values."""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from analyzer.tracing.arithmetic import PLAIN, settled
from analyzer.tracing.attained import record
from analyzer.tracing.configurations import is_mapping as is_configuration
from analyzer.tracing.dictionary_objects import store_of
from analyzer.tracing.evaluation import call, get_attribute
from analyzer.tracing.lazy_iterators import step_through
from analyzer.tracing.mapping_methods import holds, is_mapping
from analyzer.tracing.operators import elementwise
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.tables import combined
from analyzer.tracing.operators.torch_modules import children_by_name
from analyzer.tracing.operators.version_rules import is_version
from analyzer.tracing.operators.written import origin_of_kind
from analyzer.tracing.plain_data import NotPlain, plain_data
from analyzer.tracing.python_version import compared, is_python_version
from analyzer.tracing.registries import filled
from analyzer.tracing.rows import Rows
from analyzer.tracing.sets import equals_itself_alone, of_sets
from analyzer.tracing.tensors import OpenSize, Size, Tensor
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.truths import Test, is_unread, truth_of
from analyzer.tracing.values import (
    Api,
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    KeysV,
    Layer,
    ListV,
    Module,
    Native,
    Object,
    SetV,
    Unknown,
    Value,
    field_names,
)
from analyzer.validity.terms import Cond, Poly, all_of, equal, negate, unequal

_CONSTANT_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip

_COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def compare(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value, node: ast.AST | None = None) -> Value:
    left, right = settled(left), settled(right)
    if op not in (ast.Is, ast.IsNot):
        left, right = _member_value(left), _member_value(right)
    if op in _CONSTANT_COMPARE:
        left, right = _comparable(left), _comparable(right)
    if is_version(left) and is_version(right) and op in _CONSTANT_COMPARE:
        return _CONSTANT_COMPARE[op](left.data["order"], right.data["order"])
    if op in _COMPARISONS and is_python_version(left) and (known := compared(_COMPARISONS[op], right)) is not None:
        return known
    if left is not right and any(is_unread(v) or _of_type(v) for v in (left, right)):
        return tr.unknown("a comparison with an attribute", pytype="bool")
    if op in (ast.Is, ast.IsNot):
        return _identity(tr, left, right, op is ast.IsNot)
    for value in (left, right):
        tr.read(value)
    if op in (ast.In, ast.NotIn):
        return _member(tr, left, right, op is ast.NotIn)
    if isinstance(left, Rows) or isinstance(right, Rows):
        return combined(left, right, truth=True)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _compare_tensors(tr, op, left, right, node)
    if op in (ast.Eq, ast.NotEq) and _no_range(left, right):
        return op is ast.NotEq
    if isinstance(left, Iterator_) and isinstance(right, Iterator_) and op in (ast.Eq, ast.NotEq):
        return _compare_ranges(tr, left, right, op is ast.NotEq)
    if isinstance(left, SetV) or isinstance(right, SetV):
        pass
    elif (
        isinstance(left, tuple) is not isinstance(right, tuple)
        and isinstance(left, ListV) is not isinstance(right, ListV)
        and isinstance(left, (ListV, tuple))
        and isinstance(right, (ListV, tuple))
        and not (isinstance(left, Size) or isinstance(right, Size))
    ):
        return op is ast.NotEq  # a list and a tuple
    elif isinstance(left, (ListV,)) and isinstance(right, (ListV, tuple)):
        left, right = (
            tuple(left.items) if not left.open else left,
            tuple(right.items) if isinstance(right, ListV) else right,
        )
    elif isinstance(right, ListV) and isinstance(left, tuple):
        right = tuple(right.items) if not right.open else right
    if isinstance(left, OpenSize) or isinstance(right, OpenSize):
        return tr.unknown("a comparison of shapes", _origin_of_sizes(tr, left, right), pytype="bool")
    if isinstance(left, tuple) and isinstance(right, tuple) and op in (ast.Eq, ast.NotEq):
        if len(left) != len(right):
            return op is ast.NotEq
        parts = [compare(tr, ast.Eq, a, b) for a, b in zip(left, right, strict=True)]
        if all(isinstance(p, (bool, Cond)) for p in parts):
            same = all_of(*parts)
            return same if op is ast.Eq else negate(same)
        return tr.unknown("a comparison", pytype="bool")
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _compare_unknown(tr, op, left, right)
    if isinstance(left, (int, Poly)) and isinstance(right, (int, Poly)):
        return _compare_terms(op, left, right)
    if isinstance(left, PLAIN) and isinstance(right, PLAIN):
        try:
            return _CONSTANT_COMPARE[op](left, right)
        except TypeError:
            return tr.unknown("a comparison", pytype="bool")
    if isinstance(left, (Instance,)) or isinstance(right, Instance):
        return _compare_instances(tr, op, left, right)
    if isinstance(left, (SetV, DictV)) or isinstance(right, (SetV, DictV)):
        try:
            return of_sets(_CONSTANT_COMPARE[op], left, right)
        except NotPlain:
            return tr.unknown("a comparison", pytype="bool")
    if (
        op in (ast.Eq, ast.NotEq)
        and isinstance(left, (Api, Class, Function, Module))
        and isinstance(right, (Api, Class, Function, Module))
    ):
        same = _same_name(left, right)
        return same if op is ast.Eq else not same
    if op in (ast.Eq, ast.NotEq) and (same := _same_type(left, right)) is not None:
        return same is (op is ast.Eq)
    if (
        op in (ast.Eq, ast.NotEq)
        and (isinstance(left, str) or isinstance(right, str))
        and (isinstance(left, (int, Poly)) or isinstance(right, (int, Poly)))
    ):
        return op is ast.NotEq
    return tr.unknown("a comparison", pytype="bool")


def _of_type(value: Value) -> bool:
    """Whether it is an attribute of an element type: ``tf.int32.as_numpy_dtype``."""
    return isinstance(value, Api) and "." in value.name and dtype_name(Api(value.name.rpartition(".")[0])) is not None


def _origin_of_sizes(tr: Tracer, *sizes: Value) -> str:
    """Free where tensors that are given to the program have them, not where this analysis has lost them."""
    tensors = [size.tensor for size in sizes if isinstance(size, OpenSize)]
    lost = any(t.shape.vague or origin_of_kind(t, tr.in_definition) != "data" for t in tensors)
    return "imprecise" if lost else "data"


_COMPARING = {ast.Eq: ("__eq__", "__eq__"), ast.NotEq: ("__ne__", "__ne__"), ast.Lt: ("__lt__", "__gt__"),
              ast.LtE: ("__le__", "__ge__"), ast.Gt: ("__gt__", "__lt__"), ast.GtE: ("__ge__", "__le__")}  # fmt: skip


def _comparable(value: Value) -> Value:
    """Keys of a dictionary as the set that they compare as, and a named tuple as the tuple of its fields."""
    if isinstance(value, KeysV):
        return SetV(value.items, value.open)
    if not isinstance(value, Instance) or not value.cls.tuple or value.open or not value.cls.closed:
        return value
    if any(value.cls.find(name) for name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__new__")):
        return value
    names = field_names(value.cls)
    return tuple(value.attrs[n] for n in names) if all(n in value.attrs for n in names) else value


def _no_range(left: Value, right: Value) -> bool:
    """Whether one is a range and the other a container of another type."""
    ranges = [v for v in (left, right) if isinstance(v, Iterator_) and isinstance(v.length, int)]
    others = [
        v for v in (left, right) if isinstance(v, (ListV, DictV, str, int, float)) or type(v) in (tuple, type(None))
    ]
    return len(ranges) == len(others) == 1


def _compare_ranges(tr: Tracer, left: Iterator_, right: Iterator_, negated: bool) -> Value:
    if isinstance(left.length, int) and isinstance(right.length, int):
        return (range(*left.bounds) == range(*right.bounds)) is not negated
    return negated is not True if left is right else tr.unknown("a comparison", pytype="bool")


def is_member(value: Value) -> bool:
    """Whether it is a member of an enumeration that equals itself alone."""
    if not isinstance(value, Instance) or not {"enum.Enum", "enum.Flag"}.issuperset(value.cls.library_bases):
        return False
    return bool(value.cls.library_bases) and value.cls.closed and value.cls.find("__eq__") is None


def _compare_instances(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value) -> Value:
    """By the object's own method; objects without one are equal to themselves alone."""
    for owner, other, name in ((left, right, _COMPARING[op][0]), (right, left, _COMPARING[op][1])):
        if isinstance(owner, Instance) and owner.cls.find(name):
            return call(tr, get_attribute(tr, owner, name), (other,), {})
        plain = isinstance(owner, Instance) and set(owner.cls.library_bases) <= {"torch.nn.Module"} and owner.cls.closed
        if op is ast.NotEq and plain and owner.cls.find("__eq__"):
            told = call(tr, get_attribute(tr, owner, "__eq__"), (other,), {})
            return not told if isinstance(told, bool) else tr.unknown("a comparison", pytype="bool")
    if op in (ast.Eq, ast.NotEq) and (fields := _fields_of_both(left, right)) is not None:
        return compare(tr, op, *fields)
    if op in _ORDERED and _fields_of_both(left, right) is not None and left.cls.ordered:
        with suppress(NotPlain, TypeError):
            a, b = (plain_data(fields) for fields in _fields_of_both(left, right) or ())
            return _CONSTANT_COMPARE[op](a, b)
    if op in (ast.Eq, ast.NotEq) and (is_member(left) or is_member(right)) and not _asks(left) and not _asks(right):
        return (left is right) is (op is ast.Eq)
    kept = [v for v in (left, right) if isinstance(v, Instance)]
    if op in (ast.Eq, ast.NotEq) and not any(
        v.cls.find("__eq__") or v.cls.by_fields or not v.cls.closed or v.cls.library_bases for v in kept
    ):
        return (left is right) is (op is ast.Eq)
    return tr.unknown("a comparison", pytype="bool")


_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def _asks(value: Value) -> bool:
    """Whether an object that is no plain member of an enumeration may say itself what it equals."""
    return (
        isinstance(value, Instance) and not is_member(value) and (bool(value.cls.library_bases) or not value.cls.closed)
    )


def _fields_of_both(left: Value, right: Value) -> tuple[Value, Value] | None:
    """The fields of two objects of one class that are equal where their fields are."""
    if not (isinstance(left, Instance) and isinstance(right, Instance)) or left.cls is not right.cls:
        return None
    cls = left.cls
    names = field_names(cls)
    if not (cls.by_fields and cls.closed and names) or cls.library_bases or left.open or right.open:
        return None
    names = [name for name in names if not _left_out(cls, name)]
    if any(name not in value.attrs for name in names for value in (left, right)):
        return None
    return tuple(left.attrs[n] for n in names), tuple(right.attrs[n] for n in names)


def _left_out(cls: Class, name: str) -> bool:
    """Whether a field says that it is not compared."""
    found = cls.find(name)
    return found is not None and isinstance(found[0], Object) and found[0].data.get("compare") is False


def _compare_terms(op: type[ast.cmpop], left: Any, right: Any) -> Value:
    if op is ast.Eq:
        return equal(left, right)
    if op is ast.NotEq:
        return unequal(left, right)
    return _CONSTANT_COMPARE[op](left, right)


def _compare_tensors(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value, node: ast.AST | None) -> Value:
    if any(isinstance(v, Tensor) and "may be None" in v.tags for v in (left, right)) and (
        left is None or right is None
    ):
        return tr.unknown("whether there is a gradient", pytype="bool")
    if op in (ast.Eq, ast.NotEq) and (left is None or right is None or isinstance(left, str) or isinstance(right, str)):
        return op is ast.NotEq
    for tensor, other in ((left, right), (right, left)):
        if isinstance(tensor, Tensor) and tensor.framework == "torch" and isinstance(other, (ListV, tuple, DictV)):
            return op is ast.NotEq if op in (ast.Eq, ast.NotEq) else tr.unknown("a comparison", pytype="bool")
    if op is ast.Eq and not tr.compiled and _of_graph(left) and _of_graph(right):
        if left is right:
            return True
        different = left.dims is not None and right.dims is not None and len(left.dims) != len(right.dims)
        return False if different else tr.unknown("a comparison", pytype="bool")
    a = left.value if isinstance(left, Tensor) and left.dims == () else left
    b = right.value if isinstance(right, Tensor) and right.dims == () else right
    if isinstance(a, (int, Poly)) and isinstance(b, (int, Poly)):
        return _compare_terms(op, a, b)

    return elementwise.binary(tr, _COMPARISONS[op], left, right, node, boolean=True)


def _member_value(value: Value) -> Value:
    """A member of an enumeration that is a text or a number too, as which it is compared."""
    if not isinstance(value, Instance) or MIXED_IN.isdisjoint(value.cls.library_bases):
        return value
    if "enum.Enum" not in value.cls.library_bases or any(value.cls.find(n) for n in ("__eq__", "__new__")):
        return value
    return value.attrs.get("value", value)


MIXED_IN = frozenset(("builtins.str", "builtins.int", "builtins.float"))  # members of an enumeration compare as these


def _of_graph(value: Value) -> bool:
    """Whether it stands for what a graph will compute: to Keras and TensorFlow 1 such tensors are equal as objects."""
    return isinstance(value, Tensor) and value.graph


def _compare_unknown(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value) -> Value:
    subject, constant = (left, right) if isinstance(left, Unknown) else (right, left)
    if op in _ORDERED and subject.term is None and _real(subject) and isinstance(constant, (int, float)):
        told = tr.unknown("a comparison", subject.origin, pytype="bool")
        return record(_COMPARISONS[op], (left, right), {}, told)
    if (isinstance(constant, (int, Poly)) and not isinstance(constant, bool)) or (
        isinstance(constant, Unknown) and subject.term is not None and constant.term is not None
    ):
        numeric = subject.term is not None or subject.pytype == "int" or op not in (ast.Eq, ast.NotEq)
        if subject.pytype != "float" and (numeric or isinstance(constant, Poly)):
            a, b = tr.term_of(left), tr.term_of(right)
            if a is not None and b is not None and (subject.term is None or op is not None):
                return _compare_terms(op, a, b)
    if op in (ast.Eq, ast.NotEq) and isinstance(constant, (str, int, float, bool, type(None))):
        return _test(tr, subject, "==", constant, op is ast.NotEq)
    if op in _COMPARISONS and (getattr(left, "element", None) or getattr(right, "element", None)) is not None:
        told = tr.unknown("a comparison", subject.origin, pytype="bool")
        return record(_COMPARISONS[op], (left, right), {}, told)
    key = ("compare", op.__name__, id(constant) if not isinstance(constant, PLAIN) else constant)
    if not isinstance(left, Unknown) or not _can_key(key):
        return tr.unknown("a comparison", subject.origin, pytype="bool")
    if key not in subject.items:
        tr.touch(subject)
        subject.items[key] = tr.unknown("a comparison", subject.origin, pytype="bool")
    return subject.items[key]


def _real(value: Unknown) -> bool:
    """Whether it is read from a tensor of numbers with a point."""
    making = value.element.making if value.element is not None else None
    source = making.args[0] if making is not None and making.args else None
    return isinstance(source, Tensor) and (source.dtype or "").startswith("float")


def _can_key(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _test(tr: Tracer, subject: Unknown, operation: str, constant: Value, negated: bool) -> Value:
    if operation == "is" and subject.pytype in _never_is(constant):
        return negated
    key = (operation, constant, type(constant).__name__)
    test = subject.items.get(key)
    if not isinstance(test, Test):
        tr.touch(subject)
        test = subject.items[key] = Test(
            subject, operation, constant, f"{subject.label or 'value'} {operation} {constant!r}"
        )
    if not negated:
        return test
    opposite = Test(subject, operation, constant, f"{subject.label or 'value'} not {operation} {constant!r}")
    opposite.negated = True
    return opposite


def _names_type(name: str) -> bool:
    return name == "NoneType" or isinstance(vars(builtins).get(name), type)


def _never_is(constant: Value) -> tuple[str, ...]:
    """Types of which no value is None; of truths one is True, and so may any object be."""
    return ("int", "float", "str", "list", *(() if isinstance(constant, bool) else ("bool", "object")))


def _same_type(left: Value, right: Value) -> bool | None:
    """Whether one of Python's types is another or a class; None where one is something else."""
    if not any(isinstance(v, Native) and _names_type(v.name) for v in (left, right)):
        return None
    if left is right:
        return True
    named = [v.name for v in (left, right) if isinstance(v, Native)]
    both = len({*named}) == 2 and all(map(_names_type, named))
    return False if both or isinstance(left, Class) or isinstance(right, Class) else None


def _same_name(left: Value, right: Value) -> bool:
    """Whether two values are one; a framework has several names for one element type, and for one class of layers."""
    if not (isinstance(left, Api) and isinstance(right, Api)):
        return left is right
    if all(v.name.startswith("torch.nn.") and _same_layer(left.name) == _same_layer(v.name) for v in (left, right)):
        return True
    homes = left.name.partition(".")[0] == right.name.partition(".")[0]
    return left == right or (homes and dtype_name(left) is not None and dtype_name(left) == dtype_name(right))


def _same_layer(name: str) -> str:
    """`torch.nn.Linear` of `torch.nn.modules.linear.Linear`."""
    last = name.rpartition(".")[2]
    return f"torch.nn.{last}" if name.startswith("torch.nn.modules.") and last[:1].isupper() else name


def _identity(tr: Tracer, left: Value, right: Value, negated: bool) -> Value:
    if isinstance(left, Unknown) and (right is None or isinstance(right, bool)):
        if right is None and (left.tensor is not None or left.term is not None):
            return negated
        return _test(tr, left, "is", right, negated)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return left is right if not negated and left is right else tr.unknown("a comparison", pytype="bool")
    if right is None and isinstance(left, Tensor) and "may be None" in left.tags:
        return tr.unknown("whether there is a gradient", pytype="bool")
    if right is None and isinstance(left, Poly) and any(tr.symbols.kind(s.name) in _MAYBE_NONE for s in left.symbols):
        return tr.unknown("whether a size is known", pytype="bool")
    same = _same_name(left, right) or (isinstance(left, bool) and left == right and type(left) is type(right))
    return same is not negated


_MAYBE_NONE = ("batch", "lost")  # a size that Keras leaves open, and what this analysis took for one


def _member(tr: Tracer, item: Value, container: Value, negated: bool) -> Value:
    items: list[Value] | None = None
    complete = True
    if filled(tr, container, item):
        return (item in container.items) is not negated
    if isinstance(container, (ListV, DictV)):
        items, complete = list(container.items), not container.open
    elif isinstance(container, tuple):
        items = list(container)
    elif isinstance(container, Class) and isinstance(item, Instance):
        members = container.scope.names.get("__members__")
        items = list(members.items.values()) if isinstance(members, DictV) and is_member(item) else None
    elif isinstance(container, str) and isinstance(item, str):
        return (item in container) is not negated
    if isinstance(container, Instance) and container.cls.find("__contains__"):
        found = call(tr, get_attribute(tr, container, "__contains__"), (item,), {})
        return invert_truth(tr, found) if negated else found
    if is_configuration(container):
        return _member(tr, item, DictV(container.attrs), negated)
    if isinstance(container, (Layer, Instance)) and (named := children_by_name(container)) is not None:
        return _member(tr, item, named, negated)
    if (held := store_of(tr, container)) is not None:
        return _member(tr, item, held, negated)
    if is_mapping(container) and container.cls.find("__getitem__"):
        return holds(tr, container, item) is not negated
    if isinstance(container, Iterator_) and isinstance(container.length, int) and isinstance(item, int):
        return (item in range(*container.bounds)) is not negated
    if isinstance(container, (Iterator_, Instance)) and _compared(item):
        found = _met(tr, item, container)
        return tr.unknown("a membership test", pytype="bool") if found is None else found is not negated
    if items is None:
        return tr.unknown("a membership test", getattr(container, "origin", "imprecise"), pytype="bool")
    item, items = _comparable(_member_value(item)), [_comparable(_member_value(i)) for i in items]
    if isinstance(item, Unknown):
        if item.pytype == "bool" and all(any(i is truth for i in items) for truth in (True, False)):
            return not negated
        if complete and len(items) <= 8 and all(isinstance(i, (str, int)) for i in items) and items:
            if item.element is not None:
                return tr.unknown("a membership test", pytype="bool")
            found = [_test(tr, item, "==", i, False) for i in items]
            if any(truth_of(t) is True for t in found):
                return not negated
            if all(truth_of(t) is False for t in found):
                return negated
        return tr.unknown("a membership test", item.origin, pytype="bool")
    if isinstance(item, Poly) and _covered(item, items):
        return not negated
    if isinstance(item, (Poly, Cond, Tensor)):
        return tr.unknown("a membership test", "imprecise" if isinstance(item, Tensor) else "data", pytype="bool")
    if any(_is_member(i, item) for i in items):
        return not negated
    found = [_equals(tr, i, item) for i in items]
    if any(found):
        return not negated
    if complete and None not in found:
        return negated
    return tr.unknown("a membership test", pytype="bool")


def _covered(item: Poly, items: list[Value]) -> bool:
    """Whether a few numbers are all that a size can be."""
    low, high = item.interval.lo, item.interval.hi
    if not (abs(low) < math.inf and abs(high) < math.inf) or high - low >= MOST_COVERED:
        return False
    return all(n in [i for i in items if type(i) is int] for n in range(int(low), int(high) + 1))


MOST_COVERED = 64
_COMPARED = (*PLAIN, Tensor, Api, Class, Function, Layer)


def _compared(value: Value) -> bool:
    """Whether it is known which values this one equals."""
    if isinstance(value, tuple):
        return all(map(_compared, value))
    return isinstance(value, _COMPARED) or equals_itself_alone(value)


def _is_member(element: Value, item: Value) -> bool:
    if isinstance(element, PLAIN) and isinstance(item, PLAIN):
        return bool(element == item)
    if _same_type(element, item):
        return True
    return element is item or (isinstance(element, Api) and _same_name(element, item))


def _equals(tr: Tracer, element: Value, item: Value) -> bool | None:
    """Whether two values that are not one and no plain data are known to be equal, or not to be."""
    fields = _fields_of_both(element, item)
    if fields is not None:
        return truth_of(compare(tr, ast.Eq, *fields))
    if (same := _same_type(element, item)) is not None:
        return same
    return False if _compared(element) and _compared(item) else None


def _met(tr: Tracer, item: Value, container: Iterator_ | Instance) -> bool | None:
    """Whether going over a container meets an item; what is gone through once is used up to it, as Python does."""
    passage = step_through(tr, container, None)
    for element in passage.items:
        tr.step()
        if passage.endless:
            return None
        if _is_member(element, item):
            return True
        if not _compared(element):
            return None
    return False


def invert_truth(tr: Tracer, value: Value, node: ast.AST | None = None) -> Value:
    tr.read(value)
    truth = truth_of(value)
    if truth is not None:
        return not truth
    if isinstance(value, Cond):
        return negate(value)
    if isinstance(value, Test):
        opposite = Test(value.subject, value.operation, value.constant, f"not {value.label}")
        opposite.negated = not value.negated
        return opposite
    if isinstance(value, (Unknown, Tensor)):
        return not tr.decide(value, node)
    lost = isinstance(value, (Instance, Api)) or is_unread(value)
    return tr.unknown("a truth", "imprecise" if lost else "data", pytype="bool")
