"""The standard library and small helpers around models."""

from __future__ import annotations

import ast
import functools
import keyword
import math
from collections.abc import Iterable

from analyzer.tracing.language.arithmetic import binary
from analyzer.tracing.language.builtins import BUILTINS, Call
from analyzer.tracing.language.definitions import make_class
from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.identity import REFERENCE
from analyzer.tracing.language.values import (
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    ListV,
    Native,
    Object,
    Partial,
    Scope,
    Unknown,
    Value,
)  # fmt: skip
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.paths import PathEnd
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, product

# -------------------------------------------------------------------------------------------- Python's library


@operator(
    (
        "math.sqrt math.log math.exp math.floor math.ceil math.log2 math.pow math.sin math.cos "
        "math.log10 math.fabs math.tanh"
    ),
    "x *rest",
)
def math_function(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(x, (int, float)) and all(isinstance(r, (int, float)) for r in rest):
        try:
            return getattr(math, op.short)(x, *rest)
        except (ValueError, OverflowError, TypeError):
            return Unknown("a number", "data", pytype="float")
    whole = op.short in ("floor", "ceil")
    if whole and isinstance(x, Unknown) and x.term is not None and x.pytype == "float":
        return x.term
    if whole and isinstance(x, Poly):
        return x
    found = Unknown("a number", getattr(x, "origin", "imprecise"), pytype="int" if whole else "float")
    found.factors = (x, *rest)
    return found


@operator("keyword.iskeyword keyword.issoftkeyword", "text")
def is_keyword(op: Op, text: Value) -> Value:
    if isinstance(text, Unknown):
        return Unknown("a test of a name", text.origin, pytype="bool")
    return isinstance(text, str) and (keyword.iskeyword if op.short == "iskeyword" else keyword.issoftkeyword)(text)


@operator("math.prod numpy.product", "values *rest")
def prod(op: Op, values: Value, rest: tuple[Value, ...]) -> Value:
    items = plain(op.tr, values)
    if dropped(items) or not isinstance(items, tuple) or not all(isinstance(i, (int, Poly)) for i in items):
        return Unknown("a product", "imprecise", pytype="int")

    start = op.extra.get("start", 1)
    if rest or not isinstance(start, (int, Poly)) or set(op.extra) - {"start"}:
        return Unknown("a product", "imprecise", pytype="int")
    return product((start, *items))


@operator("functools.partial functools.partialmethod", "function *args")
def partial(op: Op, function: Value, args: tuple[Value, ...]) -> Value:
    return Partial(function, args, dict(op.extra), op.short == "partialmethod")


@operator("functools.reduce six.moves.reduce", "function values *rest")
def functional_reduce(op: Op, function: Value, values: Value, rest: tuple[Value, ...]) -> Value:
    items, endless = iterate(op.tr, values, op.node)
    if endless:
        return op.tr.unknown("reduce()")
    parts = [*rest, *items]
    if not parts:
        return op.tr.unknown("reduce()")
    result = parts[0]
    for part in parts[1:]:
        result = call(op.tr, function, (result, part), {})
    return result


@operator("operator.mul operator.add operator.sub operator.floordiv", "a b")
def python_operator(op: Op, a: Value, b: Value) -> Value:
    kinds: dict[str, type[ast.operator]] = {"mul": ast.Mult, "add": ast.Add, "sub": ast.Sub, "floordiv": ast.FloorDiv}
    return binary(op.tr, kinds[op.short], a, b, op.node or ast.Constant(0))


@operator("collections.OrderedDict typing.OrderedDict weakref.WeakKeyDictionary weakref.WeakValueDictionary", "*args")
def ordered_dict(op: Op, args: tuple[Value, ...]) -> Value:
    return BUILTINS["dict"].run(Call(op.tr, args, dict(op.extra), op.node))


@operator("collections.namedtuple typing.NamedTuple", "name fields *rest")
def namedtuple(op: Op, name: Value, fields: Value, rest: tuple[Value, ...]) -> Value:
    """The class that `class Name(NamedTuple)` would make."""
    if isinstance(fields, str):
        names: list[Value] = list(fields.replace(",", " ").split())
    else:
        names = (
            list(fields.items if isinstance(fields, ListV) else fields) if isinstance(fields, (ListV, tuple)) else []
        )
        names = [n[0] if isinstance(n, tuple) and n else n for n in names]
    known = [n for n in names if isinstance(n, str) and n.isidentifier()]
    defaults = op.extra.get("defaults", ())
    defaults = defaults.items if isinstance(defaults, ListV) and not defaults.open else defaults
    odd = set(op.extra) - {"defaults", "module"} or not isinstance(defaults, (list, tuple))
    if not names or len(known) != len(names) or rest or odd or getattr(fields, "open", False):
        return op.tr.unknown("a named tuple", label=name if isinstance(name, str) else "")
    body: list[ast.stmt] = [ast.AnnAssign(ast.Name(n), ast.Name("object"), simple=1) for n in known]
    title = name if isinstance(name, str) and name.isidentifier() else "named"
    node = ast.ClassDef(title, [], [], body, [], lineno=op.where.line, end_lineno=op.where.line, col_offset=0)
    made = make_class(op.tr, ast.fix_missing_locations(node))
    if isinstance(made, Class):
        made.dataclass = made.tuple = made.by_fields = True
        made.scope.names.update(zip(known[len(known) - len(defaults) :], defaults, strict=False))
    return made


@operator("types.SimpleNamespace argparse.Namespace easydict.EasyDict", "*args")
def namespace(op: Op, args: tuple[Value, ...]) -> Value:
    result = Object("namespace", dict(op.extra))
    if args and isinstance(args[0], DictV):
        result.attrs.update({str(k): v for k, v in args[0].items.items()})
    return result


@operator("sys.exit os._exit", "*args")
def leave(op: Op, args: tuple[Value, ...]) -> Value:
    raise PathEnd


@operator("pydantic.Field", "default=... *rest")
def model_field(op: Op, default: Value, rest: tuple[Value, ...]) -> Value:
    given = {"default": default} if default is not ... else {}
    return Object("dataclass field", data={**given, **{k: v for k, v in op.extra.items() if k == "default_factory"}})


@operator("dataclasses.dataclass", "cls=None")
def made_dataclass(op: Op, cls: Value) -> Value:
    """`dataclass(cls, …)`, or `dataclass(…)` which is called with the class: the same class, with what it writes."""
    options = dict(op.extra)
    if cls is None:
        return Native("dataclass()", lambda c: _with_fields(c.tr, c.get(0), options))
    return _with_fields(op.tr, cls, options)


def _with_fields(tr: Tracer, cls: Value, options: dict[str, Value]) -> Value:
    if not isinstance(cls, Class):
        return tr.unknown("a class with fields")
    asked = {name: options.get(name, name != "order") for name in ("init", "eq", "order")}
    if not all(isinstance(value, bool) for value in asked.values()):
        return tr.unknown("a class with fields")
    cls.dataclass = True
    cls.generated = bool(asked["init"])
    cls.by_fields = cls.by_fields or bool(asked["eq"])
    cls.ordered = bool(asked["order"])
    return cls


@operator("functools.lru_cache functools.cache functools.total_ordering", "*args")
def decorators(op: Op, args: tuple[Value, ...]) -> Value:
    if args and isinstance(args[0], (Class, Function)):
        return args[0]
    if op.name == "functools.lru_cache":  # `lru_cache(maxsize=3)(function)`
        return Native("a cache", lambda c: c.get(0))
    return op.tr.unknown("a decorator")


@operator("functools.wraps", "wrapped *rest")
def wraps(op: Op, wrapped: Value, rest: tuple[Value, ...]) -> Value:
    """``wraps(f)(g)`` is ``g``, which stands for ``f`` from then on."""
    assigned = rest[0] if rest else op.extra.get("assigned", _ASSIGNED)
    return Native("a wrapper", lambda c: _imitating(op, c.get(0), wrapped, assigned))


@operator("functools.update_wrapper", "wrapper wrapped *rest")
def update_wrapper(op: Op, wrapper: Value, wrapped: Value, rest: tuple[Value, ...]) -> Value:
    return _imitating(op, wrapper, wrapped, rest[0] if rest else op.extra.get("assigned", _ASSIGNED))


_ASSIGNED = functools.WRAPPER_ASSIGNMENTS


def _imitating(op: Op, wrapper: Value, wrapped: Value, assigned: Value) -> Value:
    """The wrapper, which has the names that are assigned of what it wraps."""
    stands_for = wrapped.function if isinstance(wrapped, Bound) else wrapped
    if isinstance(wrapper, Function) and isinstance(stands_for, Function):
        for name in _ASSIGNED if assigned is not _ASSIGNED else ():
            if not isinstance(assigned, tuple):
                wrapper.options[f"attribute {name}"] = op.tr.unknown(f"attribute {name}")
            elif name not in assigned:
                wrapper.options[f"attribute {name}"] = get_attribute(op.tr, wrapper, name)
        wrapper.imitates = stands_for
    return wrapper


@operator("weakref.ref weakref.proxy", "object *rest")
def weak(op: Op, object: Value, rest: tuple[Value, ...]) -> Value:
    """The object as long as something else keeps it, as a name or what a name stands for does."""
    if op.short == "proxy":
        return object
    gone = op.tr.unknown("an object that nothing may keep")
    return Native(REFERENCE, lambda c: object if _is_kept(c.tr, object) else gone)


def _is_kept(tr: Tracer, value: Value) -> bool:
    """Whether a name of a function that runs now, or of what is around it, holds it or something that has it."""
    for frame in tr.frames:
        scope: Scope | None = frame.scope
        while scope is not None:
            for held in list(scope.names.values()):
                parts: Iterable[Value] = held.items if isinstance(held, ListV) else held if type(held) is tuple else ()
                parts = held.attrs.values() if isinstance(held, Instance) else parts
                if held is value or any(part is value for part in parts):
                    return True
            scope = scope.parent
    return any(frame.first is value for frame in tr.frames)


@operator("typing.cast", "type value")
def cast(op: Op, type: Value, value: Value) -> Value:
    return value


@operator("timeit.timeit timeit.repeat", "stmt='pass' setup='pass' timer=None *rest")
def timed(op: Op, stmt: Value, setup: Value, timer: Value, rest: tuple[Value, ...]) -> Value:
    """What is timed is called, after what prepares it; a text stays unread."""
    for part in (setup, stmt):
        if isinstance(part, (Function, Bound, Partial, Instance)):
            call(op.tr, part, (), {}, op.node)
    known = op.short == "timeit"
    return op.tr.unknown("a time", "data", pytype="float") if known else op.tr.unknown("times", pytype="list")
