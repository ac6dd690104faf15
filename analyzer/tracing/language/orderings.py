"""Equality and order of values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from analyzer.tracing.language.arithmetic import PLAIN, settled
from analyzer.tracing.language.enumerations import MIXED_IN
from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.identity import against_constant, is_any_value, may_be_one, same_name, same_type
from analyzer.tracing.language.known_types import DEVICE
from analyzer.tracing.language.operand_turns import is_refusal, turns
from analyzer.tracing.language.plain_data import NotPlain, plain_data
from analyzer.tracing.language.python_version import compared, is_python_version
from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.sets import of_sets
from analyzer.tracing.language.tensors import OpenSize, Size, Tensor
from analyzer.tracing.language.truths import is_unread
from analyzer.tracing.language.values import (
    Address,
    Api,
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    KeysV,
    ListV,
    Module,
    Object,
    OneOfTwo,
    SetV,
    TupleV,
    Unknown,
    Value,
    field_names,
)
from analyzer.tracing.operators import elementwise
from analyzer.tracing.operators.element_types import OBJECTS, are_equal_types, dtype_name, is_type_named
from analyzer.tracing.operators.gradient_presence import whether_gradients
from analyzer.tracing.operators.tables import combined
from analyzer.tracing.operators.version_rules import is_version
from analyzer.tracing.operators.written import origin_of_kind
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Cond, Poly, all_of, equal, negate, unequal

_CONSTANT_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip


_COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def compare_values(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value, node: ast.AST | None = None) -> Value:
    """What ``left op right`` is for ``==``, ``!=``, ``<``, ``<=``, ``>`` and ``>=``."""
    left, right = settled(left), settled(right)
    left, right = member_value(left), member_value(right)
    if op in _CONSTANT_COMPARE:
        left, right = comparable(left), comparable(right)
    if is_version(left) and is_version(right) and op in _CONSTANT_COMPARE:
        return _CONSTANT_COMPARE[op](left.data["order"], right.data["order"])
    if op in _COMPARISONS and is_python_version(left) and (known := compared(_COMPARISONS[op], right)) is not None:
        return known
    if left is not right and any(is_unread(v) or of_type(v) for v in (left, right)):
        return tr.unknown("a comparison with an attribute", pytype="bool")
    for value in (left, right):
        tr.read(value)
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
        isinstance(left, (tuple, TupleV)) is not isinstance(right, (tuple, TupleV))
        and isinstance(left, ListV) is not isinstance(right, ListV)
        and isinstance(left, (ListV, tuple))
        and isinstance(right, (ListV, tuple))
        and not (isinstance(left, Size) or isinstance(right, Size))
    ):
        return op is ast.NotEq  # a list and a tuple
    elif isinstance(left, (ListV,)) and isinstance(right, (ListV, tuple)):
        left, right = (
            tuple(left.items) if not left.open else left,
            tuple(right.items) if isinstance(right, ListV) and not right.open else right,
        )
    elif isinstance(right, ListV) and isinstance(left, tuple):
        right = tuple(right.items) if not right.open else right
    if isinstance(left, OpenSize) or isinstance(right, OpenSize):
        return tr.unknown("a comparison of shapes", _origin_of_sizes(tr, left, right), pytype="bool")
    if isinstance(left, tuple) and isinstance(right, tuple) and op in (ast.Eq, ast.NotEq):
        if len(left) != len(right):
            return op is ast.NotEq
        parts = [_same(tr, a, b) for a, b in zip(left, right, strict=True)]
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
        doubtful = is_any_value(left) or is_any_value(right) or may_be_one(left, right)
        one: bool | None = same_name(left, right) or (None if doubtful else False)
        if one is False and isinstance(left, Api) and isinstance(right, Api):
            one = are_equal_types(left, right)
        return tr.unknown("a comparison", pytype="bool") if one is None else one is (op is ast.Eq)
    named = is_type_named(left, right) if isinstance(left, Api) else is_type_named(right, left)
    if op in (ast.Eq, ast.NotEq) and named is not None:
        return named is (op is ast.Eq)
    if op in (ast.Eq, ast.NotEq) and (same := same_type(left, right)) is not None:
        return same is (op is ast.Eq)
    if (
        op in (ast.Eq, ast.NotEq)
        and (isinstance(left, str) or isinstance(right, str))
        and (isinstance(left, (int, Poly)) or isinstance(right, (int, Poly)))
    ):
        return op is ast.NotEq
    return tr.unknown("a comparison", pytype="bool")


def _same(tr: Tracer, left: Value, right: Value) -> Value:
    """Whether two elements of sequences are equal: what is one object is, whatever it says itself."""
    if left is right and isinstance(left, (float, Instance)):
        return True
    return compare_values(tr, ast.Eq, left, right)


def of_type(value: Value) -> bool:
    """Whether it is an attribute of an element type: ``tf.int32.as_numpy_dtype``."""
    return isinstance(value, Api) and "." in value.name and dtype_name(Api(value.name.rpartition(".")[0])) is not None


def _origin_of_sizes(tr: Tracer, *sizes: Value) -> str:
    """Free where tensors that are given to the program have them, not where this analysis has lost them."""
    tensors = [size.tensor for size in sizes if isinstance(size, OpenSize)]
    lost = any(t.shape.vague or origin_of_kind(t, tr.in_definition) != "data" for t in tensors)
    return "imprecise" if lost else "data"


_COMPARING = {ast.Eq: ("__eq__", "__eq__"), ast.NotEq: ("__ne__", "__ne__"), ast.Lt: ("__lt__", "__gt__"),
              ast.LtE: ("__le__", "__ge__"), ast.Gt: ("__gt__", "__lt__"), ast.GtE: ("__ge__", "__le__")}  # fmt: skip


def comparable(value: Value) -> Value:
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


def is_enum_member(value: Value) -> bool:
    """Whether it is a member of an enumeration that equals itself alone."""
    if not isinstance(value, Instance) or not {"enum.Enum", "enum.Flag"}.issuperset(value.cls.library_bases):
        return False
    return bool(value.cls.library_bases) and value.cls.closed and value.cls.find("__eq__") is None


def _compare_instances(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value) -> Value:
    """By the object's own method; objects without one are equal to themselves alone."""
    refused = False
    for owner, name, other in turns(left, right, *_COMPARING[op]) or _by_equality(op, left, right):
        told = call(tr, get_attribute(tr, owner, name), (other,), {})
        if is_refusal(told):
            refused = True
        elif op is ast.NotEq and name == "__eq__":
            return not told if isinstance(told, bool) else tr.unknown("a comparison", pytype="bool")
        else:
            return told
    if refused:
        known = op in (ast.Eq, ast.NotEq) and all(_is_own(v) or isinstance(v, PLAIN) for v in (left, right))
        return (left is right) is (op is ast.Eq) if known else tr.unknown("a comparison", pytype="bool")
    if op in (ast.Eq, ast.NotEq) and (fields := fields_of_both(left, right)) is not None:
        return compare_values(tr, op, *fields)
    if op in _ORDERED and fields_of_both(left, right) is not None and left.cls.ordered:
        with suppress(NotPlain, TypeError):
            a, b = (plain_data(fields) for fields in fields_of_both(left, right) or ())
            return _CONSTANT_COMPARE[op](a, b)
    if (
        op in (ast.Eq, ast.NotEq)
        and (is_enum_member(left) or is_enum_member(right))
        and not _asks(left)
        and not _asks(right)
    ):
        return (left is right) is (op is ast.Eq)
    kept = [v for v in (left, right) if isinstance(v, Instance)]
    if op in (ast.Eq, ast.NotEq) and not any(
        v.cls.find("__eq__") or v.cls.by_fields or not v.cls.closed or v.cls.library_bases for v in kept
    ):
        return (left is right) is (op is ast.Eq)
    return tr.unknown("a comparison", pytype="bool")


def _by_equality(op: type[ast.cmpop], left: Value, right: Value) -> list[tuple[Instance, str, Value]]:
    """An object that has no `__ne__` differs from what its `__eq__` says it does not equal."""
    return [t for t in turns(left, right, "__eq__", "__eq__") if _is_own(t[0])] if op is ast.NotEq else []


def _is_own(value: Value) -> bool:
    """Whether its class has its methods from the program alone, or from a module of torch, which compares nothing."""
    return isinstance(value, Instance) and value.cls.closed and set(value.cls.library_bases) <= {"torch.nn.Module"}


_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def _asks(value: Value) -> bool:
    """Whether an object that is no plain member of an enumeration may say itself what it equals."""
    return is_any_value(value) or (
        isinstance(value, Instance)
        and not is_enum_member(value)
        and (bool(value.cls.library_bases) or not value.cls.closed)
    )


def fields_of_both(left: Value, right: Value) -> tuple[Value, Value] | None:
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
    absent = any(isinstance(v, Tensor) and v.framework == "torch" and "may be None" in v.tags for v in (left, right))
    if absent and op in (ast.Eq, ast.NotEq) and not tr.decide(whether_gradients(tr)):
        return op is ast.NotEq  # None is no number
    if op in (ast.Eq, ast.NotEq) and (left is None or right is None or isinstance(left, str) or isinstance(right, str)):
        if any(_may_hold_text(v) for v in (left, right)):
            return tr.unknown("whether texts in an array are equal", pytype="bool")
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


def member_value(value: Value) -> Value:
    """A member of an enumeration that is a text or a number too, as which it is compared."""
    if not isinstance(value, Instance) or set(MIXED_IN).isdisjoint(value.cls.library_bases):
        return value
    if "enum.Enum" not in value.cls.library_bases or any(value.cls.find(n) for n in ("__eq__", "__new__")):
        return value
    return value.attrs.get("value", value)


def _may_hold_text(value: Value) -> bool:
    """Whether it is or may be an array of objects, each of which is compared by itself."""
    array = isinstance(value, Tensor) and value.framework == "numpy" and value.value is None
    return array and value.dtype in (None, OBJECTS)


def _of_graph(value: Value) -> bool:
    """Whether it stands for what a graph will compute: to Keras and TensorFlow 1 such tensors are equal as objects."""
    return isinstance(value, Tensor) and value.graph


def _compare_unknown(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value) -> Value:
    subject, constant = (left, right) if isinstance(left, Unknown) else (right, left)
    if left is right and (subject.kind == DEVICE or isinstance(left, _ADDRESSES)) and op in (ast.Eq, ast.NotEq):
        return op is ast.Eq
    if isinstance(left, Address) and isinstance(right, Address) and op in (ast.Eq, ast.NotEq):
        return op is ast.NotEq
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
        return against_constant(tr, subject, "==", constant, op is ast.NotEq)
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


_ADDRESSES = (Address, OneOfTwo)


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
