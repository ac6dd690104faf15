"""Operands that Python's operators take from no program: a text and a number, a device, a module of torch."""

from __future__ import annotations

import ast

from analyzer.frameworks.api_tables import framework_data
from analyzer.tracing.language.known_types import DEVICE
from analyzer.tracing.language.signatures import refuse
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    Api,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    Layer,
    ListV,
    Native,
    SetV,
    Unknown,
    Value,
)
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.table import rules
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly

METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip


def is_object(cls: Value) -> bool:
    """Whether it is `object`, the base of all classes."""
    return isinstance(cls, Native) and cls.name == "object"


def is_type_of_numbers(value: Value) -> bool:
    """Whether it is a type of numbers: ``int``, ``torch.float32``, ``numpy.int64``."""
    return isinstance(value, (Native, Api)) and dtype_name(value) is not None


def refuse_number(tr: Tracer, symbol: str, left: Value, node: ast.BinOp) -> None:
    """A sequence and a number that is written there: no array, whose sum would be one.

    Devices, functions, dictionaries and sets have no arithmetic with numbers.
    """
    if not isinstance(node.right, ast.Constant) or not isinstance(node.right.value, (int, float)):
        return
    kind = ""
    if isinstance(left, Unknown) and left.kind == DEVICE:
        kind = "device"
    elif symbol == "+" and isinstance(left, (tuple, str)):
        kind = "tuple" if isinstance(left, tuple) else "text"
    elif symbol == "+" and type(left) is ListV and not left.open:
        kind = "list"
    kind = kind or _without_arithmetic(left)
    if kind:
        message = f"`{symbol}` takes no {kind} and number"
        refuse(tr, "python/argument-mismatch", "TypeError", message, node, certain=True)


def _without_arithmetic(value: Value) -> str:
    """What it is, where that has no arithmetic with numbers at all."""
    if isinstance(value, Function) or (isinstance(value, Bound) and isinstance(value.function, Function)):
        return "function"
    if isinstance(value, Api):
        home, _, name = value.name.rpartition(".")
        told = framework_data(home.partition(".")[0])["modules"].get(home, {}) if home in _CALLABLES else {}
        called = value.name in rules() or told.get(name) is not None
        return "function" if called and dtype_name(value) is None else ""
    return "dictionary" if type(value) is DictV else "set" if type(value) is SetV else ""


_CALLABLES = ("torch.nn", "torch.nn.functional", "keras.activations", "keras.layers", "keras.initializers")


def takes_number(tr: Tracer, left: Value, node: ast.BinOp) -> None:
    """Remember that an operator has taken a number that is written there, which it may refuse on another path."""
    if isinstance(node.right, ast.Constant) and isinstance(left, (int, float, Poly, Tensor)):
        place = (tr.frame.path, node.lineno, "TypeError")
        tr.passed[place] += 1
        tr.seen.add(place)


def refuse_module(tr: Tracer, symbol: str, left: Value, node: ast.BinOp) -> None:
    """A module of torch and a number that is written there: sequences and lists of modules alone have operators."""
    if not isinstance(node.right, ast.Constant) or not isinstance(node.right.value, (int, float)):
        return
    if isinstance(left, Layer):
        home, _, kind = left.name.rpartition(".")
        plain = home == "torch.nn" and kind[:1].isupper() and not kind.endswith(_ADDED)
    else:
        plain = (
            isinstance(left, Instance)
            and set(left.cls.library_bases) == {"torch.nn.Module"}
            and left.cls.closed
            and not left.cls.find(f"__{METHODS.get(symbol, '')}__")
        )
    if plain:
        kind = left.name if isinstance(left, Layer) else left.cls.name
        message = f"`{symbol}` takes no module ({kind.rpartition('.')[2]}) and number"
        refuse(tr, "python/argument-mismatch", "TypeError", message, node, certain=True)


def refuse_object(tr: Tracer, symbol: str, left: Value, node: ast.BinOp) -> None:
    """An object and a number that is written there, where all its classes are the program's and define no operator."""
    if not isinstance(left, Instance) or not isinstance(node.right, ast.Constant):
        return
    own = all(_adds_no_operator(c) for c in left.cls.mro) and left.cls.metaclass is None
    if not own or left.cls.tuple or type(node.right.value) not in (int, float):
        return
    if left.cls.find(f"__{METHODS.get(symbol, '')}__") is None:
        message = f"`{symbol}` takes no {left.cls.name} and number"
        refuse(tr, "python/argument-mismatch", "TypeError", message, node, certain=True)


def _adds_no_operator(cls: Value) -> bool:
    """Whether a class has the operators that its statement defines: a decorator may add some."""
    if not isinstance(cls, Class):
        return is_object(cls)
    marks = [ast.unparse(mark).partition("(")[0] for mark in cls.node.decorator_list]
    return all(mark.rpartition(".")[2] == "dataclass" for mark in marks) and (cls.dataclass or not marks)


_ADDED = ("Sequential", "List", "Dict", "Parameter", "Buffer")  # ends of names of what has operators
