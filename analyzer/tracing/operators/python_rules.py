"""The standard library and small helpers around models."""

from __future__ import annotations

import ast
import math

from analyzer.tracing.arithmetic import binary
from analyzer.tracing.builtins import BUILTINS, Call
from analyzer.tracing.calls import call
from analyzer.tracing.definitions import make_class
from analyzer.tracing.iteration import iterate
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths import PathEnd
from analyzer.tracing.values import (
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Object,
    Partial,
    Unknown,
    Value,
)  # fmt: skip
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
    return Unknown("a number", getattr(x, "origin", "imprecise"), pytype="int" if whole else "float")


@operator("math.prod numpy.product", "values *rest")
def prod(op: Op, values: Value, rest: tuple[Value, ...]) -> Value:
    items = plain(op.tr, values)
    if dropped(items) or not isinstance(items, tuple) or not all(isinstance(i, (int, Poly)) for i in items):
        return Unknown("a product", "imprecise", pytype="int")

    return product(items)


@operator("math.gcd", "a b")
def gcd(op: Op, a: Value, b: Value) -> Value:
    return (
        math.gcd(a, b) if isinstance(a, int) and isinstance(b, int) else Unknown("a number", "imprecise", pytype="int")
    )


@operator("functools.partial", "function *args")
def partial(op: Op, function: Value, args: tuple[Value, ...]) -> Value:
    return Partial(function, args, dict(op.extra))


@operator("functools.reduce", "function values *rest")
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


@operator("collections.OrderedDict collections.defaultdict", "*args")
def ordered_dict(op: Op, args: tuple[Value, ...]) -> Value:
    if op.short == "defaultdict":
        return DictV({}, True)
    return BUILTINS["dict"].run(Call(op.tr, args, dict(op.extra), op.node))


@operator("collections.deque", "*args")
def deque(op: Op, args: tuple[Value, ...]) -> Value:
    return (
        ListV((), bool(args))
        if not args or not isinstance(args[0], ListV)
        else ListV(args[0].items, "maxlen" in op.extra)
    )


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
    if not names or len(known) != len(names) or rest or op.extra or getattr(fields, "open", False):
        return op.tr.unknown("a named tuple", label=name if isinstance(name, str) else "")
    body: list[ast.stmt] = [ast.AnnAssign(ast.Name(n), ast.Name("object"), simple=1) for n in known]
    title = name if isinstance(name, str) and name.isidentifier() else "named"
    node = ast.ClassDef(title, [], [], body, [], lineno=op.where.line, end_lineno=op.where.line, col_offset=0)
    made = make_class(op.tr, ast.fix_missing_locations(node))
    if isinstance(made, Class):
        made.dataclass = made.tuple = True
    return made


@operator("types.SimpleNamespace argparse.Namespace easydict.EasyDict", "*args")
def namespace(op: Op, args: tuple[Value, ...]) -> Value:
    result = Object("namespace", dict(op.extra))
    if args and isinstance(args[0], DictV):
        result.attrs.update({str(k): v for k, v in args[0].items.items()})
    return result


@operator("copy.deepcopy copy.copy", "x *rest")
def copied(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(x, Layer):
        twin = Layer(x.name, x.args, x.site, x.nodes)
        twin.attrs = dict(x.attrs)
        return twin
    if isinstance(x, (ListV, DictV)):
        return type(x)(x.items, x.open)  # type: ignore[arg-type]
    if isinstance(x, Instance):
        twin_instance = Instance(x.cls, x.site)
        twin_instance.attrs, twin_instance.open = dict(x.attrs), x.open
        return twin_instance
    return x


@operator("itertools.chain", "*iterables")
def chain(op: Op, iterables: tuple[Value, ...]) -> Value:
    parts = [iterate(op.tr, i, op.node) for i in iterables]
    if any(e for _, e in parts):
        return op.tr.unknown("chain()")
    items = [v for i, _ in parts for v in i]
    return Iterator_(lambda: iter(items))


@operator(
    (
        "itertools.product itertools.combinations itertools.permutations itertools.cycle "
        "itertools.islice itertools.count itertools.repeat"
    ),
    "*args",
)
def itertools_others(op: Op, args: tuple[Value, ...]) -> Value:
    return op.tr.unknown(f"itertools.{op.short}()", "foreign")


@operator("sys.exit os._exit", "*args")
def leave(op: Op, args: tuple[Value, ...]) -> Value:
    raise PathEnd


@operator("dataclasses.field", "*args")
def dataclass_field(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("dataclass field", data=dict(op.extra))


@operator("dataclasses.dataclass functools.wraps functools.lru_cache functools.cache", "*args")
def decorators(op: Op, args: tuple[Value, ...]) -> Value:
    return args[0] if args and isinstance(args[0], (Class, Function)) else op.tr.unknown("a decorator")


@operator("typing.cast", "type value")
def cast(op: Op, type: Value, value: Value) -> Value:
    return value


@operator("tqdm.tqdm tqdm.auto.tqdm tqdm.notebook.tqdm tqdm.trange tqdm.std.tqdm", "iterable=None *rest")
def progress(op: Op, iterable: Value, rest: tuple[Value, ...]) -> Value:
    if op.short == "trange":
        return BUILTINS["range"].run(Call(op.tr, (iterable,), {}, op.node))
    return iterable if iterable is not None else op.tr.unknown("a progress bar", "data")


@operator(
    "random.randint random.randrange random.choice random.random random.uniform random.sample random.gauss", "*args"
)
def chance(op: Op, args: tuple[Value, ...]) -> Value:
    if op.short in ("randint", "randrange") and all(isinstance(a, int) for a in args) and args:
        low, high = (args[0], args[1]) if len(args) > 1 else (0, args[0])
        high = high if op.short == "randint" else high - 1
        if low <= high:
            return op.tr.fresh("random", "unknown", low, high)
    return Unknown("a random choice", "data", pytype="float" if op.short in ("random", "uniform", "gauss") else "")
