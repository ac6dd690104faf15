"""Functions and classes of the traced source as values: defaults, decorators, bases."""

from __future__ import annotations

import ast
from dataclasses import replace

from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.attrs_classes import DECORATORS, PART
from analyzer.tracing.language.contexts import STACK, around
from analyzer.tracing.language.dataclass_fields import PYDANTIC
from analyzer.tracing.language.enumeration_members import fill_enumeration
from analyzer.tracing.language.enumerations import MIXED_IN, OF_MEMBERS
from analyzer.tracing.language.evaluation import call, evaluate, run_block, seen
from analyzer.tracing.language.function_calls import call_function
from analyzer.tracing.language.generic_functions import GENERIC, REGISTER
from analyzer.tracing.language.metaclasses import changed_by_making, leaves_names
from analyzer.tracing.language.suspended_bodies import Held
from analyzer.tracing.language.values import (
    METACLASS,
    REPLACED,
    Api,
    Bound,
    Class,
    Function,
    Instance,
    ListV,
    Native,
    Object,
    Partial,
    Scope,
    Unknown,
    Value,
)
from analyzer.tracing.operators.flags import command_line_decorator
from analyzer.tracing.paths.frames import Frame
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

_SEEN_THROUGH = {
    "abstractmethod",
    "override",
    "no_grad",
    "inference_mode",
    "jit",
    "compile",
    "lru_cache",
    "cache",
    "wraps",
}


# ------------------------------------------------------------------------------------------------ functions


def make_function(tr: Tracer, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Value:
    frame = tr.frame
    function = Function(
        node.name,
        node,
        frame.scope,
        frame.path,
        tuple(evaluate(tr, d) for d in node.args.defaults),
        {
            p.arg: evaluate(tr, d)
            for p, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d is not None
        },
        instead=tr.replacing > 0,
    )
    in_class = frame.name == "<class>"
    (frame.methods if in_class else tr.functions).append(function)
    function.kind = _OF_ITSELF.get(node.name, "") if in_class else ""
    value: Value = function
    for decorator in reversed(node.decorator_list):
        value = _decorate(tr, value, decorator, function)
    return value


# what Python makes of these methods without a decorator (data model, 3.3.1, 3.3.3 and 3.3.5)
_OF_ITSELF = {"__new__": "staticmethod", "__init_subclass__": "classmethod", "__class_getitem__": "classmethod"}


def _decorate(tr: Tracer, value: Value, node: ast.expr, function: Function) -> Value:
    target = node.func if isinstance(node, ast.Call) else node
    name = target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
    if name == "classmethod" and function.kind == "property":
        return tr.unknown("a property of a class")  # Python 3.9 to 3.12 ask it, others do not
    if name in ("staticmethod", "classmethod", "property", "cached_property"):
        function.kind = "property" if name == "cached_property" else name
        function.remembers = name == "cached_property"
        return value
    if name == "setter" and isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        getter = tr.frame.scope.names.get(target.value.id)
        if isinstance(getter, Function):
            getter.setter = function
            return getter
        return value
    if name == "deleter" and isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        getter = tr.frame.scope.names.get(target.value.id)
        if isinstance(getter, Function):
            getter.options["attribute deleter"] = function
            return getter
        return value
    if name == "contextmanager":
        function.kind = "contextmanager"
        return value
    if _documents(tr, name):
        return value
    if name in _SEEN_THROUGH:
        if name == "wraps" and isinstance(node, ast.Call) and len(node.args) + len(node.keywords) > 1:
            return call(tr, evaluate(tr, node), (value,), {})
        if name == "wraps" and isinstance(node, ast.Call) and node.args:
            found = seen(evaluate(tr, node.args[0]))
            inner = found.function if isinstance(found, Bound) else found
            function.imitates = inner if isinstance(inner, Function) else None
        if name in ("lru_cache", "cache"):
            found = evaluate(tr, target)
            function.remembers = isinstance(found, Api) and found.name.startswith("functools.")
        return value
    found = evaluate(tr, target)
    if isinstance(found, Native) and found.name in (REGISTER, PART):
        return call(tr, evaluate(tr, node), (value,), {})
    of_an_object = isinstance(found, Bound) and isinstance(found.function, Function)
    if isinstance(found, Function) or of_an_object or (isinstance(found, Class) and not isinstance(node, ast.Call)):
        result = _decorated(tr, node, value)
        if isinstance(result, Function) and result.path.startswith(MARK) and isinstance(value, Function):
            return replace(result, wrapped=value)
        if isinstance(result, (Function, Instance, Partial, Bound, Class)):
            return result
        function.decorated = True
        return value
    if isinstance(found, Instance) or (isinstance(found, Class) and isinstance(node, ast.Call)):
        return _by_object(tr, node, value, function)
    if isinstance(found, Bound) and isinstance(found.owner, Object) and found.owner.kind == STACK:
        return call(tr, evaluate(tr, node), (value,), {})
    if isinstance(found, (Api, Unknown, Bound)):
        if command_line_decorator(tr, function, found, node):
            return value
        if isinstance(found, Api) and found.name.endswith("custom_gradient"):
            function.own_gradient = True
            return value
        if (
            isinstance(found, Api)
            and found.name in _REPLACING
            and isinstance(result := _decorated(tr, node, value), Native)
        ):
            return result
        function.compiled = isinstance(found, Api) and found.name == "tf.function"
        function.decorated = not (
            isinstance(found, Api) and found.name.startswith(("tf.", "torch.", "keras.", "functools.", *_KEEPING))
        )
        if function.decorated and not (isinstance(found, Api) and found.name.startswith(_CHECKING)):
            function.options[REPLACED] = True
            tr.give((function,))  # it may be kept and called later
        if isinstance(found, Api) and found.name in GENERIC:
            function.versions = tr.made(ListV())
    return value


_REPLACING = ("numpy.vectorize",)  # decorators of libraries whose rules give what the name stands for
_KEEPING = ("numpy.errstate", "numpy.printoptions", "unittest.skip", "unittest.expectedFailure", "atexit.register",
            "contextlib.redirect_std")  # fmt: skip
# and those that call what they decorate as it stands
_CHECKING = ("pytest.", "unittest.", "hypothesis.", "beartype.", "jaxtyping.", "typeguard.", "typing", "numba.", "jax.",
             "abc.", "click.", "hydra.", "absl.")  # fmt: skip
# and those that give what it gives


def _by_object(tr: Tracer, node: ast.expr, value: Value, function: Function) -> Value:
    """What `@Class(…)`, or an object, makes of a function: by its `__call__` or as a context manager."""
    made = evaluate(tr, node)
    if isinstance(made, Instance) and made.cls.find("__call__") is None:
        if "contextlib.ContextDecorator" in made.cls.library_bases:
            return around(tr, lambda: made, value)
    elif isinstance(made, (Instance, Function, Bound, Partial)):
        result = _decorated(tr, ast.copy_location(Held(node, made), node), value)
        if isinstance(result, (Function, Instance, Partial, Bound, Class)):
            return result
    if isinstance(made, Instance):
        around_it = (made.cls.find(name) for name in ("__enter__", "__exit__"))
        tr.give(Bound(made, found[0], found[1]) for found in around_it if found and isinstance(found[0], Function))
    function.decorated = True
    return value


def _documents(tr: Tracer, name: str) -> bool:
    """Whether a decorator of a library writes a docstring, as its name says: what it decorates stays what it is.

    Such decorators read the texts of all parameters of all classes, which takes more steps than the classes themselves.
    """
    return "docstring" in name and tr.frame.path.startswith(MARK)


def _decorated(tr: Tracer, decorator: ast.expr, value: Value) -> Value:
    """What a decorator gives; None where it raises, or where one of a library asks what is not known."""
    path, decided, assumed = tr.path, len(tr.path.decisions), len(tr.path.conditions)
    try:
        result = call(tr, evaluate(tr, decorator), (value,), {})
    except PyRaise:
        result = None
    if tr.frame.path.startswith(MARK) and len(path.decisions) > decided:
        del path.decisions[decided:], path.conditions[assumed:]
        return None
    return result


def make_lambda(tr: Tracer, node: ast.Lambda) -> Function:
    return Function(
        "<lambda>",
        node,
        tr.frame.scope,
        tr.frame.path,
        tuple(evaluate(tr, d) for d in node.args.defaults),
        {
            p.arg: evaluate(tr, d)
            for p, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d is not None
        },
    )


# ------------------------------------------------------------------------------------------------- classes


def _is_enumeration(tr: Tracer, node: ast.ClassDef) -> bool:
    bases = (seen(evaluate(tr, base)) for base in node.bases if isinstance(base, (ast.Name, ast.Attribute)))
    return any(isinstance(base, Api) and base.name in OF_MEMBERS for base in bases)


def make_class(tr: Tracer, node: ast.ClassDef) -> Value:
    bases: list[Value] = []
    for base in node.bases:
        value = seen(evaluate(tr, base.value if isinstance(base, ast.Starred) else base))
        if isinstance(base, ast.Subscript) and isinstance(value, Unknown):  # `Generic[T]`, `Dataset[Tensor]`
            value = seen(evaluate(tr, base.value))
        if isinstance(value, Native):
            if value.name == "object":
                continue
            followed = value.name in ("dict", "list") or (
                f"builtins.{value.name}" in MIXED_IN and _is_enumeration(tr, node)
            )
            value = Api(f"builtins.{value.name}") if followed else Unknown("a builtin class")
        bases.append(value if isinstance(value, (Class, Api, Unknown)) else Unknown("a base class"))
    kind = next((_metaclass(tr, k.value) for k in node.keywords if k.arg == "metaclass"), None)
    made_by = None
    if isinstance(kind, Class) and not leaves_names(kind):  # what it makes of a class is not followed
        made_by, kind = kind, Unknown(METACLASS)
    if isinstance(kind, Unknown):
        bases.append(kind)
    frame = tr.frame
    outer = frame.scope
    scope = Scope(outer, outer.globals)
    scope.names["__annotations__"] = {}
    depth = len(tr.frames)
    tr.frames.append(Frame(scope, frame.path, "<class>", line=node.lineno))
    defined = tr.frames[-1].methods
    try:
        run_block(tr, node.body)
    finally:
        del tr.frames[depth:]
    bases = [
        b
        for b in bases
        if not (isinstance(b, Api) and b.name in ("abc.ABC", "typing.Generic", "typing.Protocol", "typing.NamedTuple"))
    ]
    cls = Class(node.name, tuple(bases), scope, node, frame.path)
    cls.metaclass = kind if isinstance(kind, Class) else None
    tr.classes.append(cls)
    if made_by is not None:
        tr.forget(changed_by_making(made_by, cls))
    for member in scope.names.values():
        if isinstance(member, Function) and member.path == frame.path:
            member.owner = member.owner or cls
    for member in defined:  # also those that a decorator has wrapped; a wrapper keeps its own closure
        member.owner, member.scope = cls, outer
    named_tuple = any("NamedTuple" in ast.unparse(b) for b in node.bases)
    cls.tuple = named_tuple or any(isinstance(b, Class) and b.tuple for b in cls.bases)
    cls.dataclass = named_tuple or any(isinstance(b, Class) and b.dataclass for b in cls.bases)
    cls.by_fields = named_tuple or any(isinstance(b, Class) and b.by_fields for b in cls.bases)
    if PYDANTIC in cls.library_bases:
        cls.dataclass = cls.by_fields = True
    fill_enumeration(tr, cls)
    for name, member in list(scope.names.items()):
        named_by = member.cls.find("__set_name__") if isinstance(member, Instance) else None
        if named_by is not None and isinstance(named_by[0], Function):
            call_function(tr, named_by[0], (member, cls, name), {}, cls=named_by[1])
    told = cls.find("__init_subclass__", after=cls)
    if told is not None and isinstance(told[0], Function):
        named = {k.arg: evaluate(tr, k.value) for k in node.keywords if k.arg not in (None, "metaclass")}
        call_function(tr, told[0], (cls,), named, cls=told[1])
    made: Value = cls
    for decorator in reversed(node.decorator_list):
        made = _decorate_class(tr, made, cls, decorator)
    return made


def _metaclass(tr: Tracer, node: ast.expr) -> Class | Unknown | None:
    """The metaclass that a statement names; None where it changes nothing."""
    kind = seen(evaluate(tr, node))
    if "ABC" in ast.unparse(node) and not isinstance(kind, Class):
        return None
    return kind if isinstance(kind, Class) else Unknown(METACLASS)


def _decorate_class(tr: Tracer, value: Value, cls: Class, decorator: ast.expr) -> Value:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = ast.unparse(target)
    if name.rpartition(".")[2] == "dataclass" and name != "attr.dataclass":
        cls.dataclass = True
        keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
        left_out = {k.arg for k in keywords if ast.unparse(k.value) == "False"}
        cls.generated = "init" not in left_out
        cls.by_fields = cls.by_fields or "eq" not in left_out
        cls.ordered = any(k.arg == "order" and ast.unparse(k.value) == "True" for k in keywords)
        return value
    if name.endswith("register_keras_serializable") or _documents(tr, name.rpartition(".")[2]):
        return value
    found = evaluate(tr, target)
    if isinstance(found, Api) and found.name in DECORATORS:
        _decorated(tr, decorator, value)
        return value
    if isinstance(found, (Api, Class)):
        return value
    if isinstance(found, (Function, Partial)) or (isinstance(found, Bound) and isinstance(found.function, Function)):
        result = _decorated(tr, decorator, value)
        if isinstance(result, Class):
            return result
        if cls.path.startswith(MARK):
            return value
    cls.mro.append(Unknown("what a class decorator adds"))
    return value
