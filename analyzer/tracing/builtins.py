"""Models of Python's builtin functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from analyzer.tracing.attributes import get_attribute, set_attribute
from analyzer.tracing.calls import call
from analyzer.tracing.expressions import binary, hashable
from analyzer.tracing.iteration import iterate
from analyzer.tracing.paths import PathEnd
from analyzer.tracing.tracer import Tracer
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
    OpenSize,
    SetV,
    Size,
    SliceV,
    SuperV,
    Tensor,
    Unknown,
    Value,
)  # fmt: skip
from analyzer.validity.terms import Cond, Poly, maximum, minimum


@dataclass(frozen=True, slots=True)
class Call:
    tr: Tracer
    args: tuple[Value, ...]
    kwargs: dict[str, Value]
    node: ast.Call | None = None
    open_args: bool = False

    def get(self, index: int, name: str = "", default: Value = None) -> Value:
        value = self.args[index] if index < len(self.args) else self.kwargs.get(name, default)
        return value.value[0] if isinstance(value, Unknown) and value.value is not None else value


def _len(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (ListV, DictV)):
        return c.tr.fresh("len", "unknown", len(value.items)) if value.open else len(value.items)
    if isinstance(value, (str, tuple, bytes)):
        return len(value)
    if isinstance(value, Tensor):
        return c.tr.dimension(value, 0) if value.dims != () else c.tr.unknown("a length")
    if isinstance(value, OpenSize):
        return c.tr.rank_of(value.tensor)
    if isinstance(value, Instance) and value.cls.find("__len__"):
        return call(c.tr, get_attribute(c.tr, value, "__len__"), (), {})
    if isinstance(value, (Layer, Instance)):
        items = value.attrs.get("items")
        if isinstance(items, (ListV, DictV)) and not items.open:
            return len(items.items)
    if isinstance(value, Object):
        from analyzer.tracing.operators.data import length

        return length(c.tr, value)
    if isinstance(value, Unknown):
        if "len()" not in value.attrs:
            c.tr.touch(value)
            found = Unknown("a length", value.origin, f"len({value.label or 'value'})", "int")
            found.term = c.tr.symbols.fresh(
                found.label, "param" if value.origin == "param" else "unknown", 0, site=c.tr.site()
            )
            value.attrs["len()"] = found
        return value.attrs["len()"].term
    return c.tr.unknown("a length", pytype="int")


def _range(c: Call) -> Value:
    parts = [p if isinstance(p, bool) else c.tr.term_of(p) for p in (c.get(i) for i in range(len(c.args)))]
    if all(isinstance(p, int) for p in parts) and parts:
        try:
            numbers = range(*(int(p) for p in parts if p is not None))
        except (TypeError, ValueError):
            return c.tr.unknown("a range")
        return Iterator_(lambda: iter(numbers), length=len(numbers))
    defaults = [_default(c.tr, p) for p in parts]
    if defaults and all(isinstance(p, int) for p in defaults):
        from analyzer.validity.terms import equal

        for part, value in zip(parts, defaults, strict=True):
            if isinstance(part, Poly):
                c.tr.assume(equal(part, value), "branch")
        numbers = range(*defaults)
        return Iterator_(lambda: iter(numbers), length=len(numbers))

    def some() -> Iterator[Value]:
        start = parts[0] if len(parts) > 1 and isinstance(parts[0], int) else 0
        index = start
        while True:
            yield index if index < start + 2 else c.tr.unknown("an index", "data", pytype="int")
            index += 1

    return Iterator_(some, endless=True)


def _default(tr: Tracer, term: Value) -> Value:
    """A symbol that a user sets is followed with its default where a number is needed."""
    from analyzer.validity.terms import substitute

    if not isinstance(term, Poly):
        return term
    values = {
        s.name: k.default for s in term.symbols if (k := tr.symbols.known.get(s.name)) and isinstance(k.default, int)
    }
    return substitute(term, values) if values else term


def _enumerate(c: Call) -> Value:
    items, endless = iterate(c.tr, c.get(0), c.node)
    start = c.get(1, "start", 0)
    first = start if isinstance(start, int) else 0
    return Iterator_(lambda: ((first + i, v) for i, v in enumerate(items)), endless)


def _zip(c: Call) -> Value:
    parts = [iterate(c.tr, a, c.node) for a in c.args]
    endless = bool(parts) and all(e for _, e in parts)
    return Iterator_(lambda: iter(_zipped([i for i, _ in parts])), endless)


def _zipped(iterators: list[Iterator[Value]]) -> Iterator[tuple[Value, ...]]:
    if not iterators:
        return
    while True:
        row: list[Value] = []
        for iterator in iterators:
            try:
                row.append(next(iterator))
            except StopIteration:
                return
        yield tuple(row)


def _map(c: Call) -> Value:
    parts = [iterate(c.tr, a, c.node) for a in c.args[1:]]
    endless = bool(parts) and all(e for _, e in parts)
    return Iterator_(lambda: (call(c.tr, c.args[0], row, {}) for row in _zipped([i for i, _ in parts])), endless)


def _filter(c: Call) -> Value:
    items, endless = iterate(c.tr, c.get(1), c.node)
    del endless
    return Iterator_(lambda: items, True)  # which elements pass is not known


def _sequence(make: Callable[[list[Value]], Value]) -> Callable[[Call], Value]:
    def run(c: Call) -> Value:
        if not c.args:
            return make([])
        value = c.get(0)
        if isinstance(value, OpenSize) and value.tensor.dims is not None:
            value = Size(value.tensor.dims)
        if isinstance(value, OpenSize):
            return value
        if isinstance(value, Unknown):
            result = c.tr.unknown("a sequence", value.origin, value.label)
            result.items = value.items
            return result
        items, endless = iterate(c.tr, value, c.node)
        if endless:
            return ListV([v for v, _ in zip(items, range(2), strict=False)], True)
        return make([v for v, _ in zip(items, range(4096), strict=False)])

    return run


def _dict(c: Call) -> Value:
    result = DictV(c.kwargs, c.open_args)
    value = c.get(0)
    if isinstance(value, DictV):
        result.items = {**value.items, **result.items}
        result.open = result.open or value.open
    elif value is not None:
        items, endless = iterate(c.tr, value, c.node)
        result.open = result.open or endless
        for pair, _ in zip(items, range(256), strict=False):
            if isinstance(pair, tuple) and len(pair) == 2 and hashable(pair[0]):
                result.items[pair[0]] = pair[1]
            else:
                result.open = True
    return result


def _int(c: Call) -> Value:
    value = c.get(0, default=0)
    if isinstance(value, (int, float)):
        try:
            return int(value)
        except (ValueError, OverflowError):
            return c.tr.unknown("a number", pytype="int")
    if isinstance(value, str):
        try:
            return int(value, c.args[1] if len(c.args) > 1 and isinstance(c.args[1], int) else 10)
        except ValueError:
            return c.tr.unknown("a number", pytype="int")
    if isinstance(value, Poly):
        return value
    if isinstance(value, Tensor) and isinstance(value.value, (int, Poly)):
        return value.value
    if isinstance(value, Unknown):
        if value.term is not None and value.pytype != "float":
            return value.term
        if value.term is not None:
            return value.term
        result = Unknown("a number", value.origin, value.label, "int")
        result.default = value.default if isinstance(value.default, int) else None
        if isinstance(value.default, str) and value.default.isdigit():
            result.default = int(value.default)
        return result
    return c.tr.unknown("a number", "data", pytype="int")


def _float(c: Call) -> Value:
    value = c.get(0, default=0.0)
    if isinstance(value, (int, float, str)):
        try:
            return float(value)
        except ValueError:
            pass
    return Unknown("a number", getattr(value, "origin", "data"), getattr(value, "label", ""), "float")


def _str(c: Call) -> Value:
    value = c.get(0, default="")
    return (
        str(value)
        if isinstance(value, (str, int, bool))
        else c.tr.unknown("text", getattr(value, "origin", "data"), pytype="str")
    )


def _bool(c: Call) -> Value:
    value = c.get(0, default=False)
    truth = c.tr.truth(value)
    return (
        truth
        if truth is not None
        else value
        if isinstance(value, (Cond,))
        else c.tr.unknown("a truth", getattr(value, "origin", "data"), pytype="bool")
    )


def _extremum(largest: bool) -> Callable[[Call], Value]:
    def run(c: Call) -> Value:
        values: list[Value] = list(c.args)
        if len(values) == 1:
            items, endless = iterate(c.tr, values[0], c.node)
            values = [] if endless else list(items)
        if not values or c.kwargs:
            return c.tr.unknown("an extremum")
        if all(isinstance(v, (int, float)) for v in values):
            return max(values) if largest else min(values)
        terms = [
            v
            if isinstance(v, (int, Poly))
            else c.tr.term_of(v)
            if isinstance(v, Unknown) and v.term is not None
            else None
            for v in values
        ]
        if any(t is None for t in terms):
            return c.tr.unknown("an extremum", "imprecise")
        result = terms[0]
        for term in terms[1:]:
            result = maximum(result, term) if largest else minimum(result, term)
        return result

    return run


def _sum(c: Call) -> Value:
    items, endless = iterate(c.tr, c.get(0), c.node)
    total = c.get(1, "start", 0)
    for value, _ in zip(items, range(3 if endless else 1024), strict=False):
        total = binary(c.tr, ast.Add, total, value, c.node or ast.Constant(0))
    if endless and not isinstance(total, Tensor):
        return c.tr.unknown("a sum")
    return total


def _abs(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (int, float)):
        return abs(value)
    if isinstance(value, Tensor):
        from analyzer.tracing.operators import elementwise

        return elementwise.unary(c.tr, value, "abs")
    return c.tr.unknown("a number", getattr(value, "origin", "imprecise"))


def _round(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (int, float)):
        digits = c.get(1)
        return round(value, digits) if isinstance(digits, int) else round(value)
    return c.tr.unknown("a number", getattr(value, "origin", "imprecise"))


def _isinstance(c: Call) -> Value:
    value, kind = c.get(0), c.get(1)
    kinds = list(kind) if isinstance(kind, tuple) else [kind]
    answers = [_is_a(c.tr, value, k) for k in kinds]
    if any(a is True for a in answers):
        return True
    if all(a is False for a in answers):
        return False
    if isinstance(value, Unknown):
        key = ("isinstance", repr(kinds))
        if key not in value.items:
            c.tr.touch(value)
            value.items[key] = c.tr.unknown("a type test", value.origin, f"isinstance({value.label})", "bool")
        return value.items[key]
    return c.tr.unknown("a type test", pytype="bool")


_TENSORS = ("torch.Tensor", "tf.Tensor", "numpy.ndarray", "torch.FloatTensor", "keras.KerasTensor")


def _is_a(tr: Tracer, value: Value, kind: Value) -> bool | None:
    if isinstance(kind, Unknown) or isinstance(value, Unknown):
        return None
    if isinstance(kind, Native):
        known = {
            "int": (int, Poly), "float": (float,), "str": (str,), "bool": (bool, Cond), "list": (ListV,),
            "tuple": (tuple,),
            "dict": (DictV,), "set": (SetV,), "type": (Class, Api), "slice": (SliceV,),
        }.get(kind.name)  # fmt: skip
        if known is None:
            return None
        if kind.name == "int" and isinstance(value, bool):
            return True
        if kind.name == "list" and isinstance(value, SetV):
            return False
        if isinstance(value, Tensor) and value.dims == () and kind.name in ("int", "float", "bool"):
            return None
        return isinstance(value, known) if not isinstance(value, Instance) else None
    if isinstance(kind, Class):
        return (
            kind in value.cls.mro
            if isinstance(value, Instance)
            else False
            if isinstance(value, (int, float, str, tuple, ListV, DictV)) or value is None
            else None
        )
    if isinstance(kind, Api):
        if isinstance(value, Tensor):
            if kind.name in _TENSORS:
                framework = "tf" if kind.name == "tf.Tensor" else "numpy" if kind.name.startswith("numpy") else "torch"
                return value.framework == framework if value.framework in ("torch", "numpy") else None
            return False if kind.name.startswith(("torch.nn.", "typing.", "collections.")) else None
        if isinstance(value, Layer):
            return True if value.name == kind.name else None
        if value is None or isinstance(value, (int, float, str, bool, ListV, DictV, tuple)):
            return (
                None
                if kind.name.startswith(("collections", "typing", "numbers", "numpy", "torch.Size", "tf.TensorShape"))
                else False
            )
        if isinstance(value, Instance):
            return True if kind.name in value.cls.library_bases else None
    return None


def _hasattr(c: Call) -> Value:
    value, name = c.get(0), c.get(1)
    if isinstance(name, str):
        if isinstance(value, Instance) and not value.open:
            if name in value.attrs or value.cls.find(name):
                return True
            if not value.cls.library_bases and value.cls.closed:
                return False
        if isinstance(value, Module):
            return name in value.scope.names or c.tr.unknown("an attribute test", pytype="bool")
        if isinstance(value, Unknown):
            key = ("hasattr", name)
            if key not in value.items:
                c.tr.touch(value)
                value.items[key] = c.tr.unknown(
                    "an attribute test", "imprecise", f"hasattr({value.label}, {name!r})", "bool"
                )
            return value.items[key]
    return c.tr.unknown("an attribute test", pytype="bool")


def _getattr(c: Call) -> Value:
    value, name = c.get(0), c.get(1)
    if not isinstance(name, str):
        return c.tr.unknown("a computed attribute")
    if len(c.args) > 2:
        if isinstance(value, Instance) and name not in value.attrs and not value.cls.find(name):
            return (
                c.args[2]
                if value.cls.closed and not value.cls.library_bases and not value.open
                else c.tr.unknown("an attribute")
            )
        if isinstance(value, Unknown) and value.attrs.get(name) is None:
            return get_attribute(c.tr, value, name)
    return get_attribute(c.tr, value, name, c.node)


def _setattr(c: Call) -> Value:
    owner, name = c.get(0), c.get(1)
    if isinstance(name, str):
        set_attribute(c.tr, owner, name, c.get(2))
    elif isinstance(owner, Instance):
        c.tr.touch(owner)
        owner.open = True
    return None


def _super(c: Call) -> Value:
    frame = next((f for f in reversed(c.tr.frames) if f.owner is not None), None)
    if len(c.args) == 2 and isinstance(c.args[0], Class):
        return SuperV(c.args[0], c.args[1])
    if frame is None or frame.owner is None:
        return c.tr.unknown("super()")
    return SuperV(frame.owner, frame.first)


def _next(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, Iterator_):
        items = value.items()
        found = next(items, None)
        rest = items
        if not value.endless:
            value.items = lambda: rest
        return found if found is not None else c.get(1)
    items, _ = iterate(c.tr, value, c.node)
    return next(items, c.get(1))


def _iter(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (Unknown, Object, Instance)):
        return value
    items, endless = iterate(c.tr, value, c.node)
    return Iterator_(lambda: items, endless)


def _type(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, (bool, int, float, str)):
        return BUILTINS[type(value).__name__]
    return c.tr.unknown("a type", label="type()")


def _sorted(c: Call) -> Value:
    value = c.get(0)
    items, endless = iterate(c.tr, value, c.node)
    if endless:
        return ListV([], True)
    found = list(items)
    if (not c.kwargs and all(isinstance(v, (int, float)) for v in found)) or (
        all(isinstance(v, str) for v in found) and not c.kwargs
    ):
        return ListV(sorted(found))
    return ListV(found)


def _reversed(c: Call) -> Value:
    items, endless = iterate(c.tr, c.get(0), c.node)
    return ListV([], True) if endless else ListV(list(items)[::-1])


def _every(wanted: bool) -> Callable[[Call], Value]:
    def run(c: Call) -> Value:
        items, endless = iterate(c.tr, c.get(0), c.node)
        pending: list[Cond] = []
        for value, _ in zip(items, range(256), strict=False):
            truth = c.tr.truth(value)
            if truth is (not wanted):
                return not wanted
            if truth is None:
                if isinstance(value, Cond):
                    pending.append(value)
                else:
                    return c.tr.unknown("a test of many", pytype="bool")
        if endless:
            return c.tr.unknown("a test of many", pytype="bool")
        from analyzer.validity.terms import all_of, any_of

        return (all_of(*pending) if wanted else any_of(*pending)) if pending else wanted

    return run


def _slice(c: Call) -> Value:
    if len(c.args) == 1:
        return SliceV(None, c.args[0])
    return SliceV(*c.args[:3])


def _exit(c: Call) -> Value:
    raise PathEnd


def _nothing(c: Call) -> Value:
    return None


def _dynamic(c: Call) -> Value:
    c.tr.note("code that is made at run time (exec, eval, __import__) is not followed")
    return c.tr.unknown("code made at run time")


def _input(c: Call) -> Value:
    return Unknown("what the user types", "flag", "input", "str")


def _locals(c: Call) -> Value:
    return DictV(dict(c.tr.frame.scope.names), True)


def _vars(c: Call) -> Value:
    """`vars(args)` of a namespace or an object is what it holds."""
    subject = c.get(0)
    if isinstance(subject, (Object, Instance)):
        return DictV(dict(subject.attrs), True)
    return _locals(c)


def _divmod(c: Call) -> Value:
    node = c.node or ast.Constant(0)
    return binary(c.tr, ast.FloorDiv, c.get(0), c.get(1), node), binary(c.tr, ast.Mod, c.get(0), c.get(1), node)


def _pow(c: Call) -> Value:
    return binary(c.tr, ast.Pow, c.get(0), c.get(1), c.node or ast.Constant(0))


def _callable(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (Function, Bound, Class, Native, Layer)):
        return True
    if value is None or isinstance(value, (int, float, str, tuple, ListV, DictV)):
        return False
    return c.tr.unknown("a test", getattr(value, "origin", "imprecise"), pytype="bool")


BUILTINS: dict[str, Value] = {
    name: Native(name, run)
    for name, run in {
        "len": _len, "range": _range, "enumerate": _enumerate, "zip": _zip, "map": _map, "filter": _filter,
        "list": _sequence(ListV), "tuple": _sequence(tuple), "set": _sequence(lambda v: SetV(_unique(v))),
        "dict": _dict,
        "frozenset": _sequence(lambda v: SetV(_unique(v))),
        "int": _int, "float": _float, "str": _str, "bool": _bool, "max": _extremum(True), "min": _extremum(False),
        "sum": _sum,
        "abs": _abs, "round": _round, "isinstance": _isinstance, "hasattr": _hasattr, "getattr": _getattr,
        "setattr": _setattr,
        "super": _super, "next": _next, "iter": _iter, "type": _type, "sorted": _sorted, "reversed": _reversed,
        "any": _every(False), "all": _every(True), "slice": _slice, "exit": _exit, "quit": _exit, "print": _nothing,
        "eval": _dynamic, "exec": _dynamic, "__import__": _dynamic, "compile": _dynamic, "input": _input,
        "raw_input": _input,
        "locals": _locals, "globals": _locals, "vars": _vars, "divmod": _divmod, "pow": _pow, "callable": _callable,
        "xrange": _range,
    }.items()
}  # fmt: skip
BUILTINS["object"] = Native("object", lambda c: c.tr.unknown("an object"))
BUILTINS["NotImplemented"] = Unknown("NotImplemented", label="NotImplemented", pytype="object")


def _unique(values: list[Value]) -> list[Value]:
    result: list[Value] = []
    for value in values:
        if not any(value is r or (isinstance(value, (int, str)) and value == r) for r in result):
            result.append(value)
    return result
