"""Evaluation of expressions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from itertools import islice
from typing import Any

from analyzer.tracing.attributes import get_attribute, get_item
from analyzer.tracing.calls import EnoughYields, call
from analyzer.tracing.definitions import make_lambda
from analyzer.tracing.iteration import iterate
from analyzer.tracing.names import lookup
from analyzer.tracing.tracer import PyRaise, Test, Tracer
from analyzer.tracing.values import (
    Api,
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Module,
    OpenSize,
    Scope,
    SetV,
    Size,
    SliceV,
    Tensor,
    Unknown,
    Value,
)  # fmt: skip
from analyzer.validity.terms import Cond, Poly, all_of, any_of, equal, floor_div, mod, negate, unequal

MOST_ITEMS = 4096  # longest list or string that is built concretely


def evaluate(tr: Tracer, node: ast.expr) -> Value:
    rule = _RULES.get(type(node))
    if rule is None:
        return tr.unknown(type(node).__name__)
    tr.step()
    return rule(tr, node)


def _constant(tr: Tracer, node: ast.Constant) -> Value:
    return node.value


def _name(tr: Tracer, node: ast.Name) -> Value:
    return lookup(tr, node.id, node)


def _attribute(tr: Tracer, node: ast.Attribute) -> Value:
    return get_attribute(tr, evaluate(tr, node.value), node.attr, node)


def _subscript(tr: Tracer, node: ast.Subscript) -> Value:
    value = evaluate(tr, node.value)
    tr.frames[-1].line = node.lineno
    return get_item(tr, value, evaluate(tr, node.slice), node)


def _slice(tr: Tracer, node: ast.Slice) -> SliceV:
    parts = [None if p is None else evaluate(tr, p) for p in (node.lower, node.upper, node.step)]
    return SliceV(*parts)


def _elements(tr: Tracer, nodes: list[ast.expr]) -> tuple[list[Value], bool]:
    items: list[Value] = []
    endless = False
    for node in nodes:
        if isinstance(node, ast.Starred):
            parts, more = iterate(tr, evaluate(tr, node.value), node)
            items.extend(islice(parts, 2) if more else parts)
            endless = endless or more
        else:
            items.append(evaluate(tr, node))
    return items, endless


def _tuple(tr: Tracer, node: ast.Tuple) -> Value:
    items, endless = _elements(tr, node.elts)
    return ListV(items, True) if endless else tuple(items)


def _list(tr: Tracer, node: ast.List) -> Value:
    return ListV(*_elements(tr, node.elts))


def _set(tr: Tracer, node: ast.Set) -> Value:
    return SetV(*_elements(tr, node.elts))


def _dict(tr: Tracer, node: ast.Dict) -> Value:
    result = DictV()
    for key, value in zip(node.keys, node.values, strict=True):
        found = evaluate(tr, value)
        if key is None:
            if isinstance(found, DictV):
                result.items.update(found.items)
                result.open = result.open or found.open
            else:
                result.open = True
            continue
        name = evaluate(tr, key)
        if hashable(name):
            result.items[name] = found
        else:
            result.open = True
    return result


def hashable(value: Value) -> bool:
    """Whether a value can be a key here: concrete, or an object with identity."""
    if isinstance(value, tuple):
        return all(hashable(v) for v in value)
    return value is None or isinstance(
        value, (int, float, str, bytes, bool, Tensor, Api, Class, Function, Instance, Layer, Poly, type(Ellipsis))
    )


# ------------------------------------------------------------------------------------------ comprehensions


def _comprehension(tr: Tracer, node: Any, element: Callable[[], Value]) -> tuple[list[Value], bool]:
    """The elements of a comprehension, and whether there may be more."""
    results: list[Value] = []
    endless = False
    frame = tr.frames[-1]
    outer = frame.scope
    frame.scope = Scope(outer, outer.globals)
    from analyzer.tracing.statements import assign

    def descend(level: int) -> None:
        nonlocal endless
        if level == len(node.generators):
            results.append(element())
            return
        generator = node.generators[level]
        items, more = iterate(tr, evaluate(tr, generator.iter), generator.iter)
        endless = endless or more
        for count, item in enumerate(items):
            tr.step()
            if count >= MOST_ITEMS or (more and count >= 2):
                endless = True
                break
            assign(tr, generator.target, item)
            taken = True
            for test in generator.ifs:
                value = evaluate(tr, test)
                truth = tr.truth(value)
                if truth is None:
                    endless = True  # how many elements there are is not known
                    truth = not results
                if not truth:
                    taken = False
                    break
            if taken:
                descend(level + 1)

    try:
        descend(0)
    finally:
        frame.scope = outer
    return results, endless


def _list_comprehension(tr: Tracer, node: ast.ListComp) -> Value:
    return ListV(*_comprehension(tr, node, lambda: evaluate(tr, node.elt)))


def _set_comprehension(tr: Tracer, node: ast.SetComp) -> Value:
    return SetV(*_comprehension(tr, node, lambda: evaluate(tr, node.elt)))


def _generator(tr: Tracer, node: ast.GeneratorExp) -> Value:
    items, endless = _comprehension(tr, node, lambda: evaluate(tr, node.elt))
    return Iterator_(lambda: iter(items), endless)


def _dict_comprehension(tr: Tracer, node: ast.DictComp) -> Value:
    pairs, endless = _comprehension(tr, node, lambda: (evaluate(tr, node.key), evaluate(tr, node.value)))
    keyed = {k: v for k, v in pairs if hashable(k)}
    return DictV(keyed, endless or any(not hashable(k) for k, _ in pairs))


# ---------------------------------------------------------------------------------------------- operators


def _boolean(tr: Tracer, node: ast.BoolOp) -> Value:
    """`and` / `or` with short circuit; undecided operands that are conditions stay one condition."""
    wanted = isinstance(node.op, ast.And)
    pending: list[Value] = []
    value: Value = wanted
    for index, part in enumerate(node.values):
        value = evaluate(tr, part)
        truth = tr.truth(value)
        last = index == len(node.values) - 1
        if truth is None:
            if isinstance(value, (Cond, Test)) or (isinstance(value, Unknown) and value.pytype == "bool"):
                if last and not pending:
                    return value
                pending.append(value)
                continue
            if last and not pending:
                return value
            if tr.decide(value, part) is not wanted:
                return value if not pending else not wanted
            continue
        if truth is not wanted:
            return value if not pending else not wanted
    if not pending:
        return value
    if all(isinstance(p, Cond) for p in pending):
        return all_of(*pending) if wanted else any_of(*pending)
    for item in pending:  # decide one after another, in order
        if tr.decide(item, node) is not wanted:
            return not wanted
    return wanted


def _unary(tr: Tracer, node: ast.UnaryOp) -> Value:
    value = evaluate(tr, node.operand)
    if isinstance(node.op, ast.Not):
        return invert_truth(tr, value)
    if isinstance(value, Unknown) and value.value is not None:
        value = value.value[0]
    if isinstance(value, Tensor):
        from analyzer.tracing.operators import elementwise

        return elementwise.unary(tr, value, "-" if isinstance(node.op, ast.USub) else "~")
    if isinstance(value, Unknown):
        result = tr.unknown("arithmetic", value.origin, pytype="")
        if isinstance(node.op, ast.USub) and value.term is not None:
            result.term = -value.term
        return result
    if isinstance(value, Poly):
        return -value if isinstance(node.op, ast.USub) else value
    try:
        return _UNARY[type(node.op)](value)
    except TypeError:
        return tr.unknown("arithmetic")


_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert
}  # fmt: skip


def invert_truth(tr: Tracer, value: Value) -> Value:
    truth = tr.truth(value)
    if truth is not None:
        return not truth
    if isinstance(value, Cond):
        return negate(value)
    if isinstance(value, Test):
        opposite = Test(value.subject, value.operation, value.constant, f"not {value.label}")
        opposite.negated = not value.negated
        return opposite
    if isinstance(value, Unknown):
        return not tr.decide(value)
    return tr.unknown("a truth", "data", pytype="bool")


def _binary(tr: Tracer, node: ast.BinOp) -> Value:
    left, right = evaluate(tr, node.left), evaluate(tr, node.right)
    tr.frames[-1].line = node.lineno
    return binary(tr, type(node.op), left, right, node)


def binary(
    tr: Tracer, op: type[ast.operator], left: Value, right: Value, node: ast.AST, in_place: bool = False
) -> Value:
    left, right = _settled(left), _settled(right)
    if isinstance(left, (Instance, Class)) or isinstance(right, (Instance, Class)):
        return _overloaded(tr, op, left, right)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if isinstance(left, (str, DictV)) or isinstance(right, (str, DictV)):
            return tr.unknown("text")
        from analyzer.tracing.operators import elementwise

        return elementwise.binary(tr, _SYMBOLS[op], left, right, node)
    if isinstance(left, ListV) or isinstance(right, ListV):
        return _of_lists(tr, op, left, right, in_place)
    if isinstance(left, OpenSize) or isinstance(right, OpenSize):
        return tr.unknown("a shape")
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _of_unknowns(tr, op, left, right)
    if isinstance(left, Poly) or isinstance(right, Poly):
        return _of_terms(tr, op, left, right)
    if isinstance(left, Cond) or isinstance(right, Cond):
        return tr.unknown("a truth", "data", pytype="bool")
    if isinstance(left, tuple) and isinstance(right, tuple) and op is ast.Add:
        joined = (*left, *right)
        return Size(joined) if isinstance(left, Size) else joined
    return _of_constants(tr, op, left, right)


def _settled(value: Value) -> Value:
    """The constant or tensor that an unknown turned out to be on this path."""
    if isinstance(value, Unknown):
        if value.value is not None:
            return value.value[0]
        if value.tensor is not None and value.tensor.framework != "unknown":
            return value.tensor
    return value


_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_CONSTANT: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}  # fmt: skip


def _of_constants(tr: Tracer, op: type[ast.operator], left: Any, right: Any) -> Value:
    x: Any = left
    y: Any = right
    if op is ast.Mod and isinstance(left, (str, bytes)):
        return _formatted(tr, left, right)
    if not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN):
        return tr.unknown("arithmetic")
    if (
        op is ast.Mult
        and any(isinstance(v, int) and v > MOST_ITEMS for v in (left, right))
        and (isinstance(left, (str, tuple, bytes)) or isinstance(right, (str, tuple, bytes)))
    ):
        return tr.unknown("a long sequence")
    if isinstance(left, int) and isinstance(right, int) and max(left.bit_length(), right.bit_length()) > 4096:
        return tr.unknown("a huge number", pytype="int")
    try:
        if op is ast.Pow:
            if abs(y) > 512 or abs(x) > 1e9:
                return tr.unknown("a huge number")
            return x**y
        if op in (ast.LShift, ast.RShift):
            if not 0 <= y <= 128:
                return tr.unknown("a huge number")
            return x << y if op is ast.LShift else x >> y
        found = _CONSTANT[op](left, right)
    except ZeroDivisionError as error:
        raise PyRaise("ZeroDivisionError", str(error)) from error
    except (TypeError, OverflowError, ValueError, KeyError):
        return tr.unknown("arithmetic")
    return Size(found) if isinstance(left, Size) and isinstance(found, tuple) else found


def _formatted(tr: Tracer, left: Any, right: Any) -> Value:
    parts = right if isinstance(right, tuple) else (right,)
    if all(isinstance(p, (int, float, str)) for p in parts) and len(left) < 500 and "*" not in left:
        try:
            if all(int(n) < 100 for n in __import__("re").findall(r"\d+", left)):
                return left % right
        except (TypeError, ValueError):
            pass
    return tr.unknown("text", pytype="str")


def _of_lists(tr: Tracer, op: type[ast.operator], left: Value, right: Value, in_place: bool) -> Value:
    if op is ast.Add and isinstance(left, ListV):
        items, endless = (right.items, right.open) if isinstance(right, ListV) else ([], True)
        if isinstance(right, (tuple, Iterator_)):
            parts, endless = iterate(tr, right, None)
            items = list(parts)
        if in_place:
            tr.touch(left)
            left.items.extend(items)
            left.open = left.open or endless
            return left
        return ListV([*left.items, *items], left.open or endless)
    if op is ast.Mult:
        sequence, number = (left, right) if isinstance(left, ListV) else (right, left)
        if isinstance(number, int) and number * len(sequence.items) <= MOST_ITEMS:
            return ListV(sequence.items * number, sequence.open)
        return ListV(sequence.items, True)
    if op is ast.Sub and isinstance(left, SetV) and isinstance(right, SetV):
        return SetV([i for i in left.items if i not in right.items], left.open)
    if op is ast.BitOr and isinstance(left, SetV) and isinstance(right, SetV):
        return SetV(dict.fromkeys([*left.items, *right.items]), left.open or right.open)
    if op is ast.Add and isinstance(left, Unknown):
        return ListV((), True)
    return tr.unknown("a list")


def _of_unknowns(tr: Tracer, op: type[ast.operator], left: Value, right: Value) -> Value:
    """Arithmetic on a value of unknown type: it may be a number, and then its term is known."""
    origins = [v.origin for v in (left, right) if isinstance(v, Unknown)]
    origin = "imprecise" if "imprecise" in origins else origins[0]
    result = tr.unknown("arithmetic", origin)
    if any(isinstance(v, (str, bytes)) or (isinstance(v, Unknown) and v.pytype == "str") for v in (left, right)):
        result.pytype = "str"
        return result
    numbers = all(not isinstance(v, Unknown) or v.pytype in ("int", "float", "number") for v in (left, right))
    if (
        any(isinstance(v, float) or (isinstance(v, Unknown) and v.pytype == "float") for v in (left, right))
        or op is ast.Div
    ):
        result.pytype = "float" if numbers else ""
        return result
    if op not in (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod):
        return result
    if any(isinstance(v, (tuple, DictV, type(None))) for v in (left, right)):
        return result
    a, b = tr.term_of(left, "value"), tr.term_of(right, "value")
    if a is None or b is None:
        return result
    found = _of_terms(tr, op, a, b)
    if isinstance(found, (int, Poly)):
        result.term = found
    return result


def _of_terms(tr: Tracer, op: type[ast.operator], left: Value, right: Value) -> Value:
    if not all(isinstance(v, (int, Poly)) for v in (left, right)):
        if isinstance(left, tuple) or isinstance(right, tuple) or isinstance(left, ListV) or isinstance(right, ListV):
            sequence = left if isinstance(left, tuple) else right
            return ListV(sequence, True) if isinstance(sequence, tuple) else tr.unknown("a sequence")
        return tr.unknown("a number", pytype="float" if isinstance(left, float) or isinstance(right, float) else "")
    if op is ast.Add:
        return left + right
    if op is ast.Sub:
        return left - right
    if op is ast.Mult:
        return left * right
    if op in (ast.FloorDiv, ast.Mod):
        if isinstance(right, int) and right == 0:
            raise PyRaise("ZeroDivisionError", "division by zero")
        if isinstance(right, int) and right < 0:
            return tr.unknown("a number", pytype="int")
        return floor_div(left, right) if op is ast.FloorDiv else mod(left, right)
    if op is ast.Div:
        whole = _exact(left, right)
        result = tr.unknown(
            "a number", tr._origin(equal(left, 0)) if isinstance(equal(left, 0), Cond) else "flag", pytype="float"
        )
        if whole is not None:
            result.term = whole  # int(x / y) is exact
        return result
    if op is ast.Pow and isinstance(right, int) and 0 <= right <= 4:
        value: Any = 1
        for _ in range(right):
            value = value * left
        return value
    return tr.unknown("a number", pytype="int")


def _exact(left: Value, right: Value) -> Value:
    if isinstance(right, int) and right > 0:
        rest = mod(left, right)
        if isinstance(rest, int) and rest == 0:
            return floor_div(left, right)
    return None


_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor",
}  # fmt: skip


def _overloaded(tr: Tracer, op: type[ast.operator], left: Value, right: Value) -> Value:
    name = _METHODS.get(_SYMBOLS[op])
    for owner, other, prefix in ((left, right, "__"), (right, left, "__r")):
        if isinstance(owner, Instance) and name:
            found = owner.cls.find(f"{prefix}{name}__")
            if found:
                return call(tr, get_attribute(tr, owner, f"{prefix}{name}__"), (other,), {})
    return tr.unknown("arithmetic")


# -------------------------------------------------------------------------------------------- comparisons


def _compare(tr: Tracer, node: ast.Compare) -> Value:
    left = evaluate(tr, node.left)
    results: list[Value] = []
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(tr, right_node)
        results.append(compare(tr, type(op), left, right, node))
        left = right
    if len(results) == 1:
        return results[0]
    if all(isinstance(r, (bool, Cond)) for r in results):
        return all_of(*results)
    return all(tr.decide(r, node) for r in results)


_CONSTANT_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
_PLAIN = (int, float, str, bytes, bool, tuple, type(None), complex)


def compare(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value, node: ast.AST | None = None) -> Value:
    left, right = _settled(left), _settled(right)
    if op in (ast.Is, ast.IsNot):
        return _identity(tr, left, right, op is ast.IsNot)
    if op in (ast.In, ast.NotIn):
        return _member(tr, left, right, op is ast.NotIn)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _compare_tensors(tr, op, left, right, node)
    if isinstance(left, (ListV,)) and isinstance(right, (ListV, tuple)):
        left, right = (
            tuple(left.items) if not left.open else left,
            tuple(right.items) if isinstance(right, ListV) else right,
        )
    elif isinstance(right, ListV) and isinstance(left, tuple):
        right = tuple(right.items) if not right.open else right
    if isinstance(left, OpenSize) or isinstance(right, OpenSize):
        return _compare_open(tr, op, left, right)
    if isinstance(left, tuple) and isinstance(right, tuple) and op in (ast.Eq, ast.NotEq):
        if len(left) != len(right):
            return op is ast.NotEq
        parts = [compare(tr, ast.Eq, a, b) for a, b in zip(left, right, strict=True)]
        if all(isinstance(p, (bool, Cond)) for p in parts):
            same = all_of(*parts)
            return same if op is ast.Eq else negate(same)
        return tr.unknown("a comparison", pytype="bool")
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _compare_unknown(tr, op, left, right, node)
    if isinstance(left, (int, Poly)) and isinstance(right, (int, Poly)):
        return _compare_terms(op, left, right)
    if isinstance(left, _PLAIN) and isinstance(right, _PLAIN):
        try:
            return _CONSTANT_COMPARE[op](left, right)
        except TypeError:
            return tr.unknown("a comparison", pytype="bool")
    if isinstance(left, (Instance,)) or isinstance(right, Instance):
        return tr.unknown("a comparison", pytype="bool")
    if (
        op in (ast.Eq, ast.NotEq)
        and isinstance(left, (Api, Class, Function, Module))
        and isinstance(right, (Api, Class, Function, Module))
    ):
        same = left is right or left == right
        return same if op is ast.Eq else not same
    if (
        op in (ast.Eq, ast.NotEq)
        and (isinstance(left, str) or isinstance(right, str))
        and (isinstance(left, (int, Poly)) or isinstance(right, (int, Poly)))
    ):
        return op is ast.NotEq
    return tr.unknown("a comparison", pytype="bool")


def _compare_terms(op: type[ast.cmpop], left: Any, right: Any) -> Value:
    if op is ast.Eq:
        return equal(left, right)
    if op is ast.NotEq:
        return unequal(left, right)
    return _CONSTANT_COMPARE[op](left, right)


def _compare_tensors(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value, node: ast.AST | None) -> Value:
    if op in (ast.Eq, ast.NotEq) and (left is None or right is None or isinstance(left, str) or isinstance(right, str)):
        return op is ast.NotEq
    a = left.value if isinstance(left, Tensor) and left.dims == () else left
    b = right.value if isinstance(right, Tensor) and right.dims == () else right
    if isinstance(a, (int, Poly)) and isinstance(b, (int, Poly)):
        return _compare_terms(op, a, b)
    from analyzer.tracing.operators import elementwise

    return elementwise.binary(tr, _COMPARISONS[op], left, right, node, boolean=True)


_COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def _compare_open(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value) -> Value:
    return tr.unknown("a comparison of shapes", "data", pytype="bool")


def _compare_unknown(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value, node: ast.AST | None) -> Value:
    subject, constant = (left, right) if isinstance(left, Unknown) else (right, left)
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
    key = ("compare", op.__name__, id(constant) if not isinstance(constant, _PLAIN) else constant)
    if not isinstance(left, Unknown) or not _can_key(key):
        return tr.unknown("a comparison", subject.origin, pytype="bool")
    if key not in subject.items:
        tr.touch(subject)
        subject.items[key] = tr.unknown("a comparison", subject.origin, pytype="bool")
    return subject.items[key]


def _can_key(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _test(tr: Tracer, subject: Unknown, operation: str, constant: Value, negated: bool) -> Value:
    if operation == "is" and subject.pytype in ("int", "float", "str", "bool", "list", "object"):
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


def _identity(tr: Tracer, left: Value, right: Value, negated: bool) -> Value:
    if isinstance(left, Unknown) and (right is None or isinstance(right, bool)):
        if right is None and (left.tensor is not None or left.term is not None):
            return negated
        return _test(tr, left, "is", right, negated)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return left is right if not negated and left is right else tr.unknown("a comparison", pytype="bool")
    same = left is right or (isinstance(left, (Api, bool)) and left == right and type(left) is type(right))
    return same is not negated


def _member(tr: Tracer, item: Value, container: Value, negated: bool) -> Value:
    items: list[Value] | None = None
    complete = True
    if isinstance(container, (ListV, DictV)):
        items, complete = list(container.items), not container.open
    elif isinstance(container, tuple):
        items = list(container)
    elif isinstance(container, str) and isinstance(item, str):
        return (item in container) is not negated
    if items is None:
        return tr.unknown("a membership test", getattr(container, "origin", "imprecise"), pytype="bool")
    if isinstance(item, Unknown):
        if complete and len(items) <= 8 and all(isinstance(i, (str, int)) for i in items) and items:
            found = [_test(tr, item, "==", i, False) for i in items]
            if any(tr.truth(t) is True for t in found):
                return not negated
            if all(tr.truth(t) is False for t in found):
                return negated
        return tr.unknown("a membership test", item.origin, pytype="bool")
    if isinstance(item, (Poly, Cond, Tensor)):
        return tr.unknown("a membership test", "data", pytype="bool")
    found_any = any(
        i is item
        or (isinstance(i, _PLAIN) and isinstance(item, _PLAIN) and i == item)
        or (isinstance(i, Api) and i == item)
        for i in items
    )
    if found_any:
        return not negated
    if (
        complete
        and all(isinstance(i, (*_PLAIN, Tensor, Api, Class, Function, Layer, Instance)) for i in items)
        and isinstance(item, (*_PLAIN, Tensor, Api, Class, Function, Layer, Instance))
    ):
        return negated
    return tr.unknown("a membership test", pytype="bool")


# -------------------------------------------------------------------------------------------------- others


def _if_expression(tr: Tracer, node: ast.IfExp) -> Value:
    value = evaluate(tr, node.test)
    truth = tr.truth(value)
    if truth is None:
        for part in (node.body, node.orelse):
            if not isinstance(part, (ast.Constant, ast.Name, ast.Attribute)):
                break
        else:
            a, b = evaluate(tr, node.body), evaluate(tr, node.orelse)
            if (isinstance(a, (str, type(None))) and isinstance(b, (str, type(None)))) or a is b:
                if a == b:
                    return a
                if isinstance(a, str) and isinstance(b, str) and not isinstance(value, (Cond, Test)):
                    return tr.unknown("text", pytype="str")
        truth = tr.decide(value, node.test)
    return evaluate(tr, node.body if truth else node.orelse)


def _lambda(tr: Tracer, node: ast.Lambda) -> Value:
    return make_lambda(tr, node)


def _call(tr: Tracer, node: ast.Call) -> Value:
    from analyzer.tracing.calls import call_node

    return call_node(tr, node)


def _joined(tr: Tracer, node: ast.JoinedStr) -> Value:
    text = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
        elif isinstance(part, ast.FormattedValue):
            value = evaluate(tr, part.value)
            if isinstance(value, (str, int)) and part.format_spec is None:
                text += str(value)
            else:
                return tr.unknown("text", pytype="str")
    return text


def _named(tr: Tracer, node: ast.NamedExpr) -> Value:
    from analyzer.tracing.statements import store_name

    value = evaluate(tr, node.value)
    store_name(tr, node.target.id, value)
    return value


def _await(tr: Tracer, node: ast.Await) -> Value:
    return evaluate(tr, node.value)


def _yield(tr: Tracer, node: ast.Yield) -> Value:
    frame = tr.frames[-1]
    value = None if node.value is None else evaluate(tr, node.value)
    if frame.yields is not None:
        frame.yields.append(value)
        if len(frame.yields) >= frame.yield_limit:
            raise EnoughYields
    return tr.unknown("what is sent to a generator")


def _yield_from(tr: Tracer, node: ast.YieldFrom) -> Value:
    frame = tr.frames[-1]
    items, endless = iterate(tr, evaluate(tr, node.value), node)
    for value in islice(items, 3) if endless else items:
        if frame.yields is not None:
            frame.yields.append(value)
            if len(frame.yields) >= frame.yield_limit:
                raise EnoughYields
    return tr.unknown("what a generator returns")


def _starred(tr: Tracer, node: ast.Starred) -> Value:
    return evaluate(tr, node.value)


_RULES: dict[type[ast.expr], Callable[[Tracer, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _if_expression,
    ast.Lambda: _lambda,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.ListComp: _list_comprehension,
    ast.SetComp: _set_comprehension,
    ast.DictComp: _dict_comprehension,
    ast.GeneratorExp: _generator,
    ast.JoinedStr: _joined,
    ast.NamedExpr: _named,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Starred: _starred,
}
