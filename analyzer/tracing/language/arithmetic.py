"""Arithmetic and bitwise operators on values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.dictionary_objects import plain_list
from analyzer.tracing.language.evaluation import call, get_attribute, seen
from analyzer.tracing.language.list_arithmetic import of_lists, repeated_list
from analyzer.tracing.language.memory import written_in_place
from analyzer.tracing.language.operand_refusals import (
    METHODS,
    is_type_of_numbers,
    refuse_module,
    refuse_number,
    refuse_object,
    takes_number,
)
from analyzer.tracing.language.operand_turns import is_refusal, turns
from analyzer.tracing.language.overwriting import fill
from analyzer.tracing.language.own_paths import joined, place_of
from analyzer.tracing.language.plain_data import MOST_ITEMS, NotPlain
from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.set_operators import by_program
from analyzer.tracing.language.sets import of_sets
from analyzer.tracing.language.signatures import refuse
from analyzer.tracing.language.tensor_objects import HOOK, dispatched, tensor_in
from analyzer.tracing.language.tensors import OpenSize, Size, Tensor
from analyzer.tracing.language.type_unions import union_of
from analyzer.tracing.language.values import (
    FREE,
    Api,
    Class,
    DictV,
    Instance,
    KeysV,
    Layer,
    ListV,
    Native,
    Object,
    SetV,
    TupleV,
    Unknown,
    Value,
    field_names,
)
from analyzer.tracing.operators import elementwise
from analyzer.tracing.operators.joined_layers import joined_layers
from analyzer.tracing.operators.scipy_sparse_rules import sparse_operands
from analyzer.tracing.operators.tables import combined
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.choices import origin_of
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Cond, Poly, equal, floor_div, mod

_NUMBERS = frozenset(("int", "float", "number"))  # types of unknown values whose arithmetic is that of numbers

PLAIN = (int, float, str, bytes, bool, tuple, type(None), complex)

_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip

_CONSTANT: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}  # fmt: skip

_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert
}  # fmt: skip


__UNARY_METHODS: dict[type[ast.unaryop], str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}


def unary(tr: Tracer, op: type[ast.unaryop], value: Value) -> Value:
    value = seen(value)
    if isinstance(value, Instance) and value.cls.find(__UNARY_METHODS[op]):
        return call(tr, get_attribute(tr, value, __UNARY_METHODS[op]), (), {})
    if isinstance(value, Tensor):
        return elementwise.unary(tr, value, "-" if op is ast.USub else "~")
    if op is ast.USub and tensor_in(value) is not None and not value.cls.find("__neg__"):
        return dispatched(tr, value, Api("torch.Tensor.neg"), (value,), {})
    if isinstance(value, Unknown):
        result = record(
            "unary -" if op is ast.USub else "unary",
            (value,),
            {},
            tr.unknown("arithmetic", value.origin, pytype=value.pytype if value.pytype in _NUMBERS else ""),
        )
        if op is ast.USub and value.term is not None:
            result.term = -value.term
        return result
    if isinstance(value, Poly):
        return -value if op is ast.USub else value
    try:
        return _UNARY[op](value)
    except TypeError:
        return tr.unknown("arithmetic")


def binary(
    tr: Tracer, op: type[ast.operator], left: Value, right: Value, node: ast.AST, in_place: bool = False
) -> Value:
    left, right = settled(left), settled(right)
    left, right = _plainly(left), _plainly(right)
    if isinstance(left, KeysV) or isinstance(right, KeysV):
        left, right = (SetV(v.items, v.open) if isinstance(v, KeysV) else v for v in (left, right))
    if op is ast.BitOr and (kinds := union_of(left, right)) is not None:
        return kinds
    if isinstance(node, ast.BinOp):
        refuse_module(tr, _SYMBOLS[op], left, node)
        refuse_object(tr, _SYMBOLS[op], left, node)
    if isinstance(left, (Instance, Class)) or isinstance(right, (Instance, Class)):
        return _overloaded(tr, op, left, right, in_place)
    if (isinstance(left, Rows) or isinstance(right, Rows)) and not isinstance(left, ListV):
        return combined(left, right)
    if isinstance(node, ast.BinOp):
        refuse_number(tr, _SYMBOLS[op], left, node)
        takes_number(tr, left, node)
    if op is not ast.BitOr and is_type_of_numbers(left) and isinstance(right, (int, float, Poly)):
        refuse(tr, "python/argument-mismatch", "TypeError", f"`{_SYMBOLS[op]}` takes no type and number", node, True)
    if op is ast.Mult and (repeated := repeated_list(left, right) or repeated_list(right, left)) is not None:
        return of_lists(tr, op, *repeated, in_place)
    if isinstance(left, Layer) or (isinstance(right, Layer) and op is ast.Mult):
        joined_modules = joined_layers(tr, _SYMBOLS[op], left, right, in_place)
        if joined_modules is not None:
            return joined_modules
    if isinstance(left, Object) or isinstance(right, Object):
        made = sparse_operands(tr, _SYMBOLS[op], left, right, node)
        if made is not None:
            return made
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if (
            tr.shared.set_on_libraries.items
            and (own := by_program(tr, _SYMBOLS[op], left, right, in_place)) is not None
        ):
            return own
        left, right = _as_number(tr, left), _as_number(tr, right)
        if isinstance(left, (str, DictV)) or isinstance(right, (str, DictV)):
            return tr.unknown("text")

        result = elementwise.binary(tr, _SYMBOLS[op], left, right, node)
        if in_place and isinstance(left, Tensor) and isinstance(result, Tensor):
            elementwise.keeps_shape(tr, _SYMBOLS[op], left, result, node)
            result.scalar = left.scalar  # an array without axes stays one
            if left.framework in ("torch", "numpy") and not (left.framework == "numpy" and left.dims == ()):
                written_in_place(tr, left, result)
            if tr.sampler is not None and not tr.speculating:
                tr.sampler.in_place(left, result)
        return result
    if op is ast.BitOr and isinstance(left, DictV) and isinstance(right, DictV):
        target = left if in_place else left.twin()
        fill(tr, target, right)
        return target
    if isinstance(left, ListV) or isinstance(right, ListV):
        if isinstance(left, SetV) and isinstance(right, SetV) and op not in (ast.Add, ast.Mult) and op in _CONSTANT:
            try:
                return of_sets(_CONSTANT[op], left, right)
            except NotPlain:
                return SetV((), True)
        return of_lists(tr, op, left, right, in_place)
    if isinstance(left, OpenSize) or isinstance(right, OpenSize):
        return tr.unknown("a shape")
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _of_unknowns(tr, op, left, right)
    if isinstance(left, Poly) or isinstance(right, Poly):
        return _of_terms(tr, op, left, right)
    if isinstance(left, Cond) or isinstance(right, Cond):
        truth = op in (ast.BitAnd, ast.BitOr, ast.BitXor)  # their sums, and products with numbers, are numbers
        return tr.unknown("a truth", "data", pytype="bool" if truth else "")
    if isinstance(left, tuple) and isinstance(right, tuple) and op is ast.Add:
        joined = (*left, *right)
        return Size(joined) if isinstance(left, Size) else joined
    return _of_constants(tr, op, left, right)


def _as_number(tr: Tracer, value: Value) -> Value:
    """What was computed of a value that has turned out to be a whole number since, as ``width ** -0.5``, is one too."""
    if isinstance(value, Unknown) and not value.pytype and all(_turned_out(tr, v) for v in value.factors or [None]):
        tr.touch(value)
        value.pytype = "float"
    return value


def _turned_out(tr: Tracer, value: Value) -> bool:
    """Whether it is a number, or has served as a size; that it was added to something makes it none."""
    if not isinstance(value, Unknown):
        return _is_number(value)
    return value.pytype in _NUMBERS or (
        value.tensor is None and value.term is not None and tr.path.assumes(value.term >= 1)
    )


def settled(value: Value) -> Value:
    """The constant or tensor that an unknown turned out to be on this path."""
    if isinstance(value, Unknown):
        if value.value is not None:
            return value.value[0]
        if value.tensor is not None and value.tensor.framework != "unknown":
            return value.tensor
    return value


def _of_constants(tr: Tracer, op: type[ast.operator], left: Any, right: Any) -> Value:
    x: Any = left
    y: Any = right
    if op is ast.Mod and isinstance(left, (str, bytes)):
        return _formatted(tr, left, right)
    if not isinstance(left, PLAIN) or not isinstance(right, PLAIN):
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
    except (TypeError, OverflowError, ValueError, KeyError) as error:
        if tr.sampler is not None and isinstance(error, TypeError):
            raise PyRaise("TypeError", str(error)) from error
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


def _of_unknowns(tr: Tracer, op: type[ast.operator], left: Value, right: Value) -> Value:
    """Arithmetic on a value of unknown type: it may be a number, and then its term is known."""
    origins = [v.origin for v in (left, right) if isinstance(v, Unknown)]
    origin = next((o for o in origins if o not in FREE), origins[0])
    result = record(_SYMBOLS[op], (left, right), {}, tr.unknown("arithmetic", origin))
    if op is ast.Div and (place := joined(place_of(left), (right,))):
        result.kind, result.pytype, result.place = "pathlib.Path", "object", place
        return result
    if any(isinstance(v, (str, bytes)) or (isinstance(v, Unknown) and v.pytype == "str") for v in (left, right)):
        result.pytype = "str"
        return result
    numbers = all(v.pytype in _NUMBERS if isinstance(v, Unknown) else _is_number(v) for v in (left, right))
    if (
        any(isinstance(v, float) or (isinstance(v, Unknown) and v.pytype == "float") for v in (left, right))
        or op is ast.Div
    ):
        result.pytype = "float" if numbers else ""
        result.factors = (left, right)
        return result
    result.pytype = "number" if numbers else ""
    result.factors = (left, right)
    if op not in (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod):
        return result
    if all(isinstance(v, (int, Poly)) or (isinstance(v, Unknown) and v.pytype == "int") for v in (left, right)):
        result.pytype = "int"
    if any(isinstance(v, (tuple, DictV, type(None))) for v in (left, right)):
        result.pytype = "list" if op is ast.Add and not any(isinstance(v, DictV) for v in (left, right)) else ""
        return result
    if op is ast.Add and all(isinstance(v, Unknown) and v.term is None and v.pytype == "" for v in (left, right)):
        return result  # two sequences, perhaps
    a, b = tr.term_of(left, "value"), tr.term_of(right, "value")
    if a is None or b is None:
        return result
    found = _of_terms(tr, op, a, b)
    if isinstance(found, (int, Poly)):
        result.term = found
    return result


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float, complex, Poly)) and not isinstance(value, bool)


def _of_terms(tr: Tracer, op: type[ast.operator], left: Value, right: Value) -> Value:
    if not all(isinstance(v, (int, Poly)) for v in (left, right)):
        if isinstance(left, tuple) or isinstance(right, tuple) or isinstance(left, ListV) or isinstance(right, ListV):
            sequence = left if isinstance(left, tuple) else right
            return TupleV(sequence, True) if isinstance(sequence, tuple) else tr.unknown("a sequence")
        imaginary = any(isinstance(v, complex) for v in (left, right))
        floating = any(isinstance(v, float) for v in (left, right))
        return tr.unknown("a number", pytype="number" if imaginary else "float" if floating else "")
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
            "a number",
            origin_of(tr.symbols, equal(left, 0)) if isinstance(equal(left, 0), Cond) else "flag",
            pytype="float",
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


def _plainly(value: Value) -> Value:
    """The elements of a named tuple that has no arithmetic of its own."""
    if not isinstance(value, Instance) or not value.cls.tuple or value.open:
        return value
    if any(value.cls.find(f"__{prefix}{name}__") for name in METHODS.values() for prefix in ("", "r")):
        return value
    names = [name for name in field_names(value.cls) if name in value.attrs]
    return tuple(value.attrs[name] for name in names)


_IN_TORCH = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "matmul": "matmul"}


def _overloaded(tr: Tracer, op: type[ast.operator], left: Value, right: Value, in_place: bool) -> Value:
    name = METHODS.get(_SYMBOLS[op])
    if in_place and isinstance(left, Instance) and name and left.cls.find(f"__i{name}__"):
        told = call(tr, get_attribute(tr, left, f"__i{name}__"), (right,), {})
        if not is_refusal(told):
            return told
    answered = False
    for owner, method, other in turns(left, right, f"__{name}__", f"__r{name}__") if name else ():
        told = call(tr, get_attribute(tr, owner, method), (other,), {})
        if not is_refusal(told):
            return told
        answered = True
    if answered:
        return tr.unknown("arithmetic")  # the other operand's library may answer
    tensors = [v for v in (left, right) if isinstance(v, Instance) and (tensor_in(v) is not None or v.cls.find(HOOK))]
    if tensors and not in_place:
        function = Native(f"torch.Tensor.{name}", lambda c: binary(c.tr, op, c.get(0), c.get(1), c.node))
        known = Api(f"torch.Tensor.{_IN_TORCH[name]}") if name in _IN_TORCH else function
        return dispatched(tr, tensors[0], known, (left, right), {})
    lists = plain_list(tr, left), plain_list(tr, right)
    if lists != (left, right) and not any(isinstance(v, (Instance, Class)) for v in lists):
        changed = in_place and lists[0] is not left and not left.cls.find(f"__i{name}__")
        found = of_lists(tr, op, *lists, in_place=changed)
        return left if changed else found
    return tr.unknown("arithmetic")
