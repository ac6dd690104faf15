"""Arguments of what nothing calls: unknowns, and objects of configurations whose fields all have defaults."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

from analyzer.operators.declaration import Trait
from analyzer.operators.registry import names
from analyzer.tracing.language.all_parts import all_parts
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.known_types import declared
from analyzer.tracing.language.values import Class, DictV, Function, ListV, Object, Scope, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer

_CONFIGURATION = re.compile(
    r"(Config|Configuration|Cfg|Args|Arguments|Options|HParams|Hparams|Hyperparameters|Params)$"
)
_CONFIGURED = frozenset(
    ("config", "cfg", "conf", "configs", "args", "opt", "opts", "options", "hparams", "hps", "params")
)  # names of parameters that hold one
_TAKING_SHAPES = frozenset(names("torch", Trait.FROM_SIZES)) - {"normal", "uniform"}  # these take numbers first
_PYTYPES = ("int", "float", "str", "bool")


def unknown_arguments(function: Function, skip: int) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """An unknown for each parameter without a default, after the first `skip`."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args][skip:]
    required = positional[: len(positional) - len(function.defaults)] if function.defaults else positional
    args = tuple(_argument(p, function) for p in required)
    kwargs = {p.arg: _argument(p, function) for p in spec.kwonlyargs if p.arg not in function.kw_defaults}
    if function.name == "__init__":
        with_default = zip(positional[len(required) :], function.defaults[-len(positional) :], strict=False)
        for parameter, default in (*with_default, *((p, function.kw_defaults.get(p.arg)) for p in spec.kwonlyargs)):
            if _stands_for_nothing(parameter.arg, default):
                kwargs[parameter.arg] = _argument(parameter, function)
    return args, kwargs


def is_open(function: Function) -> bool:
    """Whether callers may give more than the named arguments."""
    return function.node.args.vararg is not None or function.node.args.kwarg is not None


def _stands_for_nothing(name: str, default: Value) -> bool:
    """Whether a default says that callers have to give a value: a size of -1, but for what may be an axis, or no
    element at all."""
    if isinstance(default, (tuple, ListV, DictV)):
        return not (default if isinstance(default, tuple) else default.items or default.open)
    negative = isinstance(default, int) and not isinstance(default, bool) and default < 0
    return negative and not (name in ("dim", "dims", "axes") or name.endswith("axis"))


def _argument(parameter: ast.arg, function: Function) -> Unknown:
    kind = declared(parameter.annotation, function.scope.globals.names.get)
    if not kind and parameter.annotation is None and parameter.arg in _counted(function.node):
        kind = "int"
    made = Unknown("an argument", "param", parameter.arg, kind if kind in _PYTYPES else "")
    made.kind = kind
    return made


@functools.lru_cache(maxsize=1024)
def _counted(function: ast.AST) -> frozenset[str]:
    """The names that a function uses as one whole number: they count rounds, or are one of the sizes in a row.

    Where one stands alone, `torch.zeros(dim)` may mean one size or a whole shape. What is assigned again may be
    something else.
    """
    parts = all_parts(function)
    assigned = {n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    found: set[str] = set()
    for node in parts:
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        row = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple) else []
        given = node.args if called == "range" else row if called in _TAKING_SHAPES else []
        found.update(name for argument in given for name in _makings(argument))
    return frozenset(found - assigned)


def _makings(node: ast.expr) -> Iterator[str]:
    """The names of which an expression is a sum or a product, or which it is."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)):
        yield from _makings(node.left)
        yield from _makings(node.right)
    elif isinstance(node, ast.Name):
        yield node.id


# ------------------------------------------------------------------------------------------- default configurations


def configurations_of(function: Function, scope: Scope) -> dict[str, Class]:
    """Parameter → class, of the required parameters that take a configuration which can be made without arguments.

    The annotation names its class; without one, the module's only class with a name of that kind does.
    """
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args][1:]
    required = positional[: len(positional) - len(function.defaults)] if function.defaults else positional
    found = {}
    for parameter in (*required, *(p for p in spec.kwonlyargs if p.arg not in function.kw_defaults)):
        cls = _declared(parameter, scope)
        if cls is not None and _is_complete(cls):
            found[parameter.arg] = cls
    return found


def with_configurations(
    tr: Tracer, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value], classes: dict[str, Class]
) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """The same arguments, with an object of each configuration at its defaults."""
    spec = function.node.args
    parameters = [p.arg for p in [*spec.posonlyargs, *spec.args][1:]]
    made = {name: call(tr, cls, (), {}) for name, cls in classes.items()}
    return (
        tuple(made.get(name, value) for name, value in zip(parameters, args, strict=False)),
        {name: made.get(name, value) for name, value in kwargs.items()},
    )


def _declared(parameter: ast.arg, scope: Scope) -> Class | None:
    if parameter.annotation is None:
        if parameter.arg not in _CONFIGURED:
            return None
        named = {id(v): v for v in scope.names.values() if isinstance(v, Class) and _CONFIGURATION.search(v.name)}
        return next(iter(named.values())) if len(named) == 1 else None
    text = parameter.annotation.value if isinstance(parameter.annotation, ast.Constant) else None
    name = text if isinstance(text, str) else ast.unparse(parameter.annotation)
    found = scope.names.get(name.strip())
    return found if isinstance(found, Class) else None


def _is_complete(cls: Class) -> bool:
    """Whether it is a plain class of values that can be made without arguments."""
    if cls.library_bases and not _CONFIGURATION.search(cls.name):
        return False
    made = cls.find("__init__")
    if made is not None and isinstance(made[0], Function):
        spec = made[0].node.args
        given = {p.arg for p in spec.kwonlyargs} <= set(made[0].kw_defaults)
        defaults = made[0].defaults
        return given and len(spec.posonlyargs) + len(spec.args) - 1 <= len(defaults) > 0 and not _placeholders(defaults)
    if not cls.dataclass or not cls.closed:
        return False
    fields = [
        (name, c.scope.names.get(name))
        for c in cls.mro
        if isinstance(c, Class)
        for name, annotation in c.scope.names.get("__annotations__", {}).items()
        if "ClassVar" not in ast.unparse(annotation)
    ]
    with_default = [
        c.scope.names for c in cls.mro if isinstance(c, Class)
    ]  # a field of a base may get its default in a subclass
    complete = all(any(name in names for names in with_default) for name, _ in fields)
    values = tuple(v for _, v in fields)
    return bool(fields) and complete and not _placeholders(values) and all(_has_default(v) for v in values)


def _has_default(value: Value) -> bool:
    factory = isinstance(value, Object) and value.kind == "dataclass field"
    return not factory or "default" in value.data or value.data.get("default_factory") is not None


def _placeholders(values: tuple[Value, ...]) -> bool:
    """Whether a default stands for what must be given: a size of -1 or 0 may, and an unknown."""
    sizes = (v for v in values if isinstance(v, int) and not isinstance(v, bool))
    return any(v < 0 for v in sizes) or any(isinstance(v, Unknown) for v in values)
