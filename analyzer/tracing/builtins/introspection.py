"""Builtins that ask about types, attributes and the program itself."""

from __future__ import annotations

import ast
import re
from array import array
from collections import deque
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from analyzer.frameworks.api_tables import framework_data
from analyzer.tracing.arithmetic import UNION
from analyzer.tracing.attribute_hooks import own_reader, read
from analyzer.tracing.attributes import function_lacks, names_of_module
from analyzer.tracing.builtins.call import Call
from analyzer.tracing.dictionary_objects import Attributes, inherits_dictionary, inherits_list, names_held
from analyzer.tracing.evaluation import evaluate, get_attribute
from analyzer.tracing.framework_api import has_name
from analyzer.tracing.known_types import class_of
from analyzer.tracing.lazy_modules import provide
from analyzer.tracing.libraries import MARK
from analyzer.tracing.object_attributes import answers_itself, brought, class_has, lacks_attribute
from analyzer.tracing.operators.layer_attributes import has_attribute, lacks_private
from analyzer.tracing.overwriting import set_somewhere
from analyzer.tracing.paths import PathEnd
from analyzer.tracing.plain_data import NotPlain, applied
from analyzer.tracing.problems import PyRaise
from analyzer.tracing.rows import FRAME, SERIES, Rows
from analyzer.tracing.setting_attributes import delete_attribute, set_attribute
from analyzer.tracing.tensors import Tensor
from analyzer.tracing.truths import Test, is_unread
from analyzer.tracing.values import (
    Api,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Module,
    Native,
    Object,
    Partial,
    Scope,
    SetV,
    SliceV,
    SuperV,
    Unknown,
    Value,
)
from analyzer.validity.terms import Cond, Poly


def isinstance_(c: Call) -> Value:
    value, kind = c.get(0), c.get(1)
    kinds = list(_kinds(kind))
    answers = [is_a(value, k) for k in kinds]
    if any(a is True for a in answers):
        return True
    if all(a is False for a in answers):
        return False
    if isinstance(value, Unknown):
        key = ("isinstance", repr(kinds))
        if key not in value.items:
            names = tuple(k.name for k in kinds if isinstance(k, Native) and k.name in _NARROWING)
            c.tr.touch(value)
            value.items[key] = Test(
                value, "isinstance", names if len(names) == len(kinds) else (), f"isinstance({value.label})"
            )
        return value.items[key]
    return c.tr.unknown("a type test", pytype="bool")


def _kinds(kind: Value) -> Iterator[Value]:
    """The types of a tuple, which may be nested, and of a union."""
    if isinstance(kind, Object) and kind.kind == UNION:
        yield from kind.data["types"]
    elif isinstance(kind, tuple):
        for part in kind:
            yield from _kinds(part)
    else:
        yield kind


_NARROWING = ("int", "float", "str", "bool", "list", "dict")
_PARAMETERS = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")
_STATISTICS = ("running_mean", "running_var", "grad", "tensor")
_TENSORS = ("torch.Tensor", "tf.Tensor", "numpy.ndarray", "torch.FloatTensor", "keras.KerasTensor")


_BASES = re.compile(
    r"torch\.nn\.(RNN\w*Base|Hardtanh|Upsample|Container|NLLLoss|ConstantPad\dd)"
)  # of other public layers


def _is_layer(name: str, kind: str) -> bool | None:
    """Whether a layer of PyTorch's public names is one of another class; None where that is not known here."""
    if kind in ("torch.nn.Module", "torch.nn.modules.module.Module") and name.startswith("torch.nn."):
        return True
    public = all(n.startswith("torch.nn.") and n.count(".") == 2 for n in (name, kind))
    return False if public and not _BASES.fullmatch(kind) and "Lazy" not in name else None


def is_a(value: Value, kind: Value) -> bool | None:
    if isinstance(value, Unknown) and value.pytype == "str" and getattr(kind, "name", "") == "type":
        return False
    if isinstance(kind, Unknown) or isinstance(value, Unknown) or is_unread(value):
        return None
    if isinstance(value, Api) and value.name.endswith(".__version__"):
        return None
    if isinstance(value, Rows) and isinstance(kind, (Native, Api, Class)):
        named = kind.name in (value.kind, *(("pandas.core.frame.DataFrame",) if value.kind == FRAME else ()))
        return named or (None if kind.name.startswith(("collections", "typing", "pandas")) else False)
    if isinstance(kind, Native):
        known = {
            "int": (int, Poly), "float": (float,), "str": (str,), "bool": (bool, Cond), "list": (ListV,),
            "tuple": (tuple,),
            "dict": (DictV,), "set": (SetV,), "type": (Class, Api), "slice": (SliceV,), "bytes": (bytes,),
            "NoneType": (type(None),), "range": (),
        }.get(kind.name)  # fmt: skip
        if known is None:
            return None
        if kind.name == "int" and isinstance(value, bool):
            return True
        if kind.name == "list" and isinstance(value, SetV):
            return False
        if kind.name == "range":
            return False if value is None or isinstance(value, (*_PLAIN, Tensor, Function, Class)) else None
        if isinstance(value, Tensor) and value.dims == () and kind.name in ("int", "float", "bool"):
            return False if _whole_in_array(value) else None
        return isinstance(value, known) if not isinstance(value, Instance) else _inherits(value, kind.name)
    if isinstance(kind, Class):
        if isinstance(value, Tensor):
            library = kind.path.startswith(MARK)  # what gives one of its own tensors gives no plain one
            return False if kind.closed and (library or "torch.Tensor" not in kind.library_bases) else None
        return (
            kind in value.cls.mro
            if isinstance(value, Instance)
            else False
            if isinstance(value, (int, float, str, bytes, tuple, ListV, DictV, Layer)) or value is None
            else False
            if isinstance(value, (Function, Bound)) and _takes_no_functions(kind)
            else None
        )
    if isinstance(kind, Api):
        plainly = _of_library(value, kind.name)
        if plainly is not None:
            return plainly
        if isinstance(value, Tensor):
            if kind.name in _TENSORS:
                framework = "tf" if kind.name == "tf.Tensor" else "numpy" if kind.name.startswith("numpy") else "torch"
                return value.framework == framework if value.framework in ("torch", "numpy") else None
            if kind.name in _PARAMETERS and ("variable" in value.tags or value.framework == "unknown"):
                return None if value.sources or value.name in _STATISTICS else True
            return False if kind.name.startswith(("torch.nn.", "typing.", "collections.")) else None
        if isinstance(value, Layer):
            return True if value.name == kind.name else _is_layer(value.name, kind.name)
        if value is None or isinstance(value, (int, float, str, bytes, bool, ListV, DictV, tuple)):
            return (
                None
                if kind.name.startswith(("collections", "typing", "numbers", "numpy", "torch.Size", "tf.TensorShape"))
                else False
            )
        if isinstance(value, Instance):
            plain = value.cls.closed and not value.cls.library_bases and kind.name in _TENSORS
            return True if kind.name in value.cls.library_bases else False if plain else None
    return None


def _takes_no_functions(kind: Class) -> bool:
    """Whether no function can be of the class: nothing in it answers for itself who is of it, as protocols do."""
    plain = all(b.startswith(("torch.", "collections.OrderedDict", "builtins.")) for b in kind.library_bases)
    return kind.closed and plain and not any(b.node.keywords for b in kind.mro if isinstance(b, Class))


def _whole_in_array(value: Tensor) -> bool:
    """Whether it is a whole number or truth of NumPy: none of its types inherits from one of Python's."""
    return value.framework == "numpy" and (value.dtype or "").startswith(("int", "uint", "bool"))


def _inherits(value: Instance, kind: str) -> bool | None:
    """Whether an object of a class is of a builtin type."""
    if kind == "dict" and inherits_dictionary(value):
        return True
    if kind == "list" and inherits_list(value):
        return True
    if kind == "tuple" and value.cls.tuple:
        return True
    plain = value.cls.closed and set(value.cls.library_bases) <= {
        *_MODULES,
        "collections.OrderedDict",
        "builtins.dict",
        "builtins.list",
    }
    return False if plain else None


_PLAIN = (int, float, str, bytes, tuple, ListV, DictV, SetV)
_OF_FUNCTIONS = ("types.FunctionType", "types.LambdaType", "types.MethodType")
_ITERABLE = (str, bytes, tuple, ListV, DictV, Iterator_)
_MODULES = ("torch.nn.Module", "torch.nn.modules.module.Module")


def _of_library(value: Value, kind: str) -> bool | None:
    """Whether a value is of one of the library's kinds that say it plainly."""
    if kind == "functools.partial":
        return isinstance(value, Partial)
    if kind in _OF_FUNCTIONS:  # no class inherits from them
        if value is None or isinstance(value, (*_PLAIN, Tensor, Layer, Instance, Class)):
            return False
        return True if isinstance(value, Function) and not value.decorated and "Method" not in kind else None
    if kind == "numpy.ndarray" and (value is None or isinstance(value, _PLAIN)):
        return False
    if kind in ("collections.abc.Iterable", "typing.Iterable", "collections.abc.Sequence", "typing.Sequence"):
        if value is None or isinstance(value, (bool, int, float, Poly, Function, Class)):
            return False
        iterable = _ITERABLE if kind.endswith("Iterable") else (str, bytes, tuple, ListV)
        return True if isinstance(value, iterable) and not isinstance(value, SetV) else None
    if kind.rpartition(".")[0] in ("collections.abc", "typing"):
        told = _of_protocol(value, kind.rpartition(".")[2])
        if told is not None:
            return told
    if kind in ("collections.abc.Callable", "typing.Callable"):
        return True if isinstance(value, (Function, Class, Partial, Native, Bound, Layer)) else None
    if kind in _MODULES and isinstance(value, Layer):
        return value.name.startswith("torch.nn.")
    if not kind.startswith("torch.nn.") or kind.rpartition(".")[2].startswith("_"):
        return None
    if isinstance(value, Layer) and value.name != kind and kind not in _MODULES:
        return None if _may_derive(value.name, kind) else False
    if isinstance(value, Instance) and value.cls.closed and set(value.cls.library_bases) <= set(_MODULES):
        return kind in _MODULES and bool(value.cls.library_bases)
    return None


def _of_protocol(value: Value, protocol: str) -> bool | None:
    """Whether a plain value has one of the protocols of `collections.abc`."""
    if not (value is None or isinstance(value, _PLAIN)):
        return None
    mapping, sized = isinstance(value, DictV), isinstance(value, (str, bytes, tuple, ListV, DictV, SetV))
    if protocol in ("Mapping", "MutableMapping"):
        return mapping
    if protocol in ("Collection", "Sized", "Container", "Reversible"):
        return None if protocol == "Reversible" and isinstance(value, SetV) else sized
    if protocol == "Hashable":
        return False if mapping or isinstance(value, ListV) else None if isinstance(value, (tuple, SetV)) else True
    return None


def _may_derive(name: str, kind: str) -> bool:
    """Whether a class of torch's layers may inherit from another: lazy ones do, and some that only fix arguments."""
    own, base = name.rpartition(".")[2], kind.rpartition(".")[2]
    return "Lazy" in own or "Norm" in own or "Upsampl" in own or base in ("Hardtanh", "RNNBase") or base in own


def hasattr_(c: Call) -> Value:
    value, name = c.get(0), c.get(1)
    if isinstance(name, str):
        reader = own_reader(value, name) if isinstance(value, Instance) else None
        if reader is not None:
            return _answers(c, reader, name)
        if _asks_itself(value, name):
            found = value.cls.find("__getattr__")
            return _answers(c, Bound(value, found[0], found[1]), name) if found is not None else False
        if isinstance(value, Instance) and not value.open:
            if name in value.attrs or value.cls.find(name):
                return True
            if lacks_attribute(c.tr, value, name):
                return False
        plainly = _has(value, name)
        if plainly is not None:
            return plainly
        known = class_has(value, name) if isinstance(value, Class) else None
        if known is not None:
            return known
        if isinstance(value, Module):
            return provide(c.tr, value.scope, name) or c.tr.unknown("an attribute test", pytype="bool")
        if isinstance(value, Layer) and (has_attribute(value, name) or lacks_private(value, name)):
            return has_attribute(value, name)
        if isinstance(value, Api) and has_name(f"{value.name}.{name}", c.tr.shared.versions):
            return True
        if isinstance(value, Api) and value.name == "torch.Tensor" and name in _of_torch_tensors():
            return True
        if isinstance(value, Unknown):
            key = ("hasattr", name)
            if key not in value.items:
                c.tr.touch(value)
                value.items[key] = c.tr.unknown(
                    "an attribute test", "imprecise", f"hasattr({value.label}, {name!r})", "bool"
                )
            return value.items[key]
    return c.tr.unknown("an attribute test", pytype="bool")


def _of_torch_tensors() -> Container[str]:
    """The attributes of PyTorch's tensors."""
    found: Container[str] = framework_data("torch")["attributes"]["torch.Tensor"]
    return found


def _asks_itself(value: Value, name: str) -> bool:
    """Whether what an object says of the attribute is known from its class's own `__getattr__`."""
    if not isinstance(value, Instance) or name in value.attrs or value.cls.find(name) or brought(value.cls, name):
        return False
    return answers_itself(value)


def _answers(c: Call, reader: Bound, name: str) -> Value:
    """Whether a class that reads its attributes itself finds one."""
    try:
        with c.tr.guarded(True):
            found = read(c.tr, reader, name)
    except PyRaise as error:
        return False if error.name == "AttributeError" else c.tr.unknown("an attribute test", pytype="bool")
    return c.tr.unknown("an attribute test", pytype="bool") if isinstance(found, Unknown) else True


_TYPES = ((bool, bool), (int, int), (str, str), (bytes, bytes), (SetV, set), (ListV, list))
_OF_ROWS = frozenset((*dir(deque), *dir(array)))  # what else a row of values may be


def _has(value: Value, name: str) -> bool | None:
    """Whether a value of a builtin type has an attribute; None where it is of another, or may be of a subclass."""
    if value is None:
        return hasattr(None, name)
    if type(value) is tuple:
        return hasattr(tuple, name)
    plain = next((kind for of, kind in _TYPES if isinstance(value, of)), None)
    if plain is None or name == "value" or (plain is list and name in _OF_ROWS and not hasattr(list, name)):
        return None
    return hasattr(plain, name)


def getattr_(c: Call) -> Value:
    value, name = c.get(0), c.get(1)
    if not isinstance(name, str):
        return c.tr.unknown("a computed attribute")
    if len(c.args) > 2:
        reader = own_reader(value, name) if isinstance(value, Instance) else None
        if reader is None and _asks_itself(value, name):
            found = value.cls.find("__getattr__")
            reader = Bound(value, found[0], found[1]) if found is not None else None
        if reader is not None:
            try:
                with c.tr.guarded(True):
                    return read(c.tr, reader, name)
            except PyRaise as error:
                if error.name != "AttributeError":
                    raise
                return c.args[2]
        if isinstance(value, Instance) and name not in value.attrs and not value.cls.find(name):
            return c.args[2] if lacks_attribute(c.tr, value, name) else c.tr.unknown("an attribute")
        if _has(value, name) is False or (isinstance(value, Class) and class_has(value, name) is False):
            return c.args[2]
        if (isinstance(value, Layer) and lacks_private(value, name)) or function_lacks(value, name):
            return c.args[2]
        if isinstance(value, Layer) and not has_attribute(value, name):
            return c.tr.unknown("an attribute")
        if isinstance(value, Unknown) and value.attrs.get(name) is None:
            return get_attribute(c.tr, value, name)
    return get_attribute(c.tr, value, name, c.node)


def dir_(c: Call) -> Value:
    """The names of a class or an object, in order; more may follow where a class of another library is among them."""
    value = c.get(0)
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, Class):
        return c.tr.unknown("dir()", "imprecise", pytype="list")
    names = {*dir(object), *(value.attrs if isinstance(value, Instance) else ())}
    for base in cls.mro:
        names.update(base.scope.names if isinstance(base, Class) else ())
    whole = cls.closed and not cls.library_bases and not (isinstance(value, Instance) and value.open)
    return ListV(sorted(names), not whole)


def setattr_(c: Call) -> Value:
    owner, name = c.get(0), c.get(1)
    if isinstance(name, str):
        set_attribute(c.tr, owner, name, c.get(2))
    elif isinstance(owner, Instance):
        set_somewhere(c.tr, Attributes(owner), c.get(2))
    return None


def delattr_(c: Call) -> Value:
    if isinstance(c.get(1), str):
        delete_attribute(c.tr, c.get(0), c.get(1))
    return None


def method_of_kind(kind: str) -> Callable[[Call], Value]:
    """`staticmethod(f)` and `classmethod(f)`, also where a class is given `f` later."""

    def run(c: Call) -> Value:
        function = c.get(0)
        if isinstance(function, Function):
            return replace(function, kind=kind)
        return function if function is not None else c.tr.unknown(f"{kind}()")

    return run


def property_(c: Call) -> Value:
    """`name = property(getter)` in a class."""
    getter = c.get(0)
    return replace(getter, kind="property") if isinstance(getter, Function) else c.tr.unknown("a property")


def identity(c: Call) -> Value:
    return c.tr.unknown("what tells an object from others", pytype="int")


def plain(function: Callable[..., Any]) -> Callable[[Call], Value]:
    """A builtin that is itself applied to plain values."""

    def run(c: Call) -> Value:
        if c.args and all(isinstance(a, (int, float, str)) and not (isinstance(a, str) and len(a) > 100)
                          for a in c.args):  # fmt: skip
            with suppress(NotPlain):
                return applied(function, c.args, c.kwargs)
        return c.tr.unknown(f"{function.__name__}()", "imprecise", pytype="int" if function is ord else "str")

    return run


def super_(c: Call) -> Value:
    frame = next((f for f in reversed(c.tr.frames) if f.owner is not None), None)
    if len(c.args) == 2 and isinstance(c.args[0], Class):
        return SuperV(c.args[0], c.args[1])
    if frame is None or frame.owner is None:
        return c.tr.unknown("super()")
    return SuperV(frame.owner, frame.first)


def globals_(c: Call) -> Value:
    return DictV(dict(c.tr.frame.scope.globals.names), True)


def type_(c: Call) -> Value:
    value = c.get(0)
    if len(c.args) == 3:
        return _made_class(c)
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Rows) and value.kind in (FRAME, SERIES):
        return Api(value.kind)
    if isinstance(value, Tensor) and value.framework == "numpy":
        return Api("numpy.ndarray")
    return class_of(value)


def _made_class(c: Call) -> Value:
    """`type(name, bases, names)`."""
    name, bases, names = c.args
    if not isinstance(name, str) or not isinstance(bases, tuple) or not isinstance(names, DictV) or c.node is None:
        return c.tr.unknown("a class made at run time")
    known = (Class, Api, Unknown)
    bases = tuple(
        b if isinstance(b, known) else c.tr.unknown("a base class")
        for b in bases
        if not (isinstance(b, Native) and b.name == "object")
    )
    scope = Scope(c.tr.frame.scope, c.tr.frame.scope.globals)
    scope.names.update({str(k): v for k, v in names.items.items()})
    node = ast.ClassDef(name, [], [], [], [])
    return Class(name, bases, scope, ast.copy_location(node, c.node), c.tr.frame.path)


def issubclass_(c: Call) -> Value:
    cls, kinds = c.get(0), c.get(1)
    if isinstance(cls, Class):
        answers = [True if k in cls.mro else None if not isinstance(k, (Class, Api)) or not cls.closed
                   or (isinstance(k, Api) and cls.library_bases) else False
                   for k in (kinds if isinstance(kinds, tuple) else (kinds,))]  # fmt: skip
        if any(answers):
            return True
        if None not in answers:
            return False
    if isinstance(cls, Api) and isinstance(kinds, Api) and (told := _is_layer(cls.name, kinds.name)) is not None:
        return told or cls.name == kinds.name
    return c.tr.unknown("a test", "imprecise", pytype="bool")


def callable_(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (Function, Bound, Class, Native, Layer, Partial)):
        return True
    if value is None or isinstance(value, (int, float, str, tuple, ListV, DictV, Tensor)):
        return False
    if isinstance(value, Instance) and (value.cls.find("__call__") or set(value.cls.library_bases) & {*_MODULES}):
        return True
    if isinstance(value, Instance) and value.cls.closed and all(b.startswith("enum.") for b in value.cls.library_bases):
        return False
    return c.tr.unknown("a test", getattr(value, "origin", "imprecise"), pytype="bool")


def locals_(c: Call) -> Value:
    return DictV(dict(c.tr.frame.scope.names), True)


def vars_(c: Call) -> Value:
    """`vars(args)` of a namespace or an object is what it holds."""
    subject = c.get(0)
    if isinstance(subject, Module):
        return names_of_module(c.tr, subject)
    if isinstance(subject, Instance) and not subject.open and not subject.cls.library_bases:
        return names_held(subject)
    if isinstance(subject, (Object, Instance)):
        return DictV(dict(subject.attrs), not (isinstance(subject, Object) and subject.kind == "namespace"))
    return locals_(c)


def exit_(c: Call) -> Value:
    raise PathEnd


def nothing(c: Call) -> Value:
    return None


def eval_(c: Call) -> Value:
    """An expression in a text that is known, where the call stands."""
    text = c.get(0)
    if not isinstance(text, str) or len(c.args) > 1 or len(text) > 1000 or c.node is None:
        return dynamic(c)
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as error:
        raise PyRaise("SyntaxError", str(error)) from error
    for part in ast.walk(tree):
        ast.copy_location(part, c.node)
    return evaluate(c.tr, tree.body)


def dynamic(c: Call) -> Value:
    c.tr.note("code that is made at run time (exec, eval, __import__) is not followed")
    return c.tr.unknown("code made at run time")


def input_(c: Call) -> Value:
    return Unknown("what the user types", "flag", "input", "str")
