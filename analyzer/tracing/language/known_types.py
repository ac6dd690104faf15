"""Values of which only the type is known: what the standard library returns, and the methods of such values.

Types are written as `scripts/frameworks/extract_stdlib.py` writes them: ``str``, ``pathlib.Path``, ``list[str]``,
``tuple[str,int]``, ``iterable[pathlib.Path]``, ``?re.Match`` for what may be None. What such a call gives stays as
unknown as before, so nothing is proved that rests on it; but its own methods and elements are understood.
"""

from __future__ import annotations

import ast
import functools
import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import resources
from typing import Any

from analyzer.tracing.language.container_values import is_exact
from analyzer.tracing.language.own_paths import attribute_place
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, DictV, Layer, ListV, SetV, TupleV, Unknown, Value

_BUILTIN = frozenset(("str", "int", "float", "bool", "list", "dict"))  # what `Unknown.pytype` can be of these
_MAKES_TYPES = ("enum.", "typing.", "types.", "collections.", "functools.", "dataclasses.", "contextlib.")
DEVICE = "torch.device"
MOST_LOOKED_UP = 8  # modules that hand a name on, and bases that hand a method down


TYPE = "a type"  # the reason of one that is asked for and not known; its factors hold whose it is
PARALLEL = "__parallel__"  # attribute of a module that `DataParallel` was given, which stands for the wrapper too
OTHER_CLASS = "__other_class__"  # attribute of a layer that is wrapped, or whose class a function exchanges
CLASSES: dict[str, Value] = {}  # Python's types as the builtins have them


def class_of(value: Value) -> Value:
    """`type(value)` of what no class of the source makes: unknown, but for the name where one can tell it."""
    name = _class_name(value)
    if isinstance(value, Layer) and name:
        return Api(value.name)
    kind = {ListV: "list", SetV: "set", DictV: "dict"}[type(value)] if is_exact(value) else name
    if kind in CLASSES:
        return CLASSES[kind]
    found = Unknown(TYPE, label="type()")
    if isinstance(value, Tensor):
        found.factors = (value,)
    if name:
        found.attrs["__name__"] = found.attrs["__qualname__"] = name
    return found


def _class_name(value: Value) -> str:
    """Of a layer the name it is made by, but of a lazy one, which becomes another; Keras has several for one class."""
    if isinstance(value, Layer):
        last = value.name.rpartition(".")[2]
        plain = value.name.startswith("torch.nn.") and OTHER_CLASS not in value.attrs
        return last if plain and not last.startswith("Lazy") else ""
    if isinstance(value, TupleV):
        return "tuple"
    return type(value).__name__ if type(value) in (bool, int, float, str, bytes, tuple, type(None)) else ""


@functools.cache
def _library() -> Mapping[str, Mapping[str, Any]]:
    file = (resources.files("analyzer.frameworks") / "api" / "python.json.gz").read_bytes()
    found: Mapping[str, Mapping[str, Any]] = json.loads(gzip.decompress(file))
    return found


@functools.lru_cache(maxsize=4096)
def of_name(name: str) -> Any:
    """What the standard library has under a dotted name: a type, a class as (bases, members), or None."""
    for _ in range(MOST_LOOKED_UP):
        module, _, last = name.rpartition(".")
        names = _library().get(module or "builtins", {})
        found = names.get(last)
        if found is None:
            sources = [key[2:] for key in names if key.startswith("* ")]
            found = next((f"= {s}.{last}" for s in sources if last in _library().get(s, {})), None)
        if not isinstance(found, str) or not found.startswith("= "):
            return found
        name = found[2:]
    return None


def returned(name: str) -> str | None:
    """The type of what a call of the library's name gives; None where it is not known."""
    found = of_name(name) if "." in name else None
    if isinstance(found, list):
        return None if name.startswith(_MAKES_TYPES) else name
    return found[3:] if isinstance(found, str) and found.startswith("-> ") else None


@functools.lru_cache(maxsize=4096)
def member(kind: str, name: str) -> str | None:
    """The type of a member of a value: `-> str` of a method. None where it is not known."""
    base = kind.lstrip("?").partition("[")[0]
    if base in ("iterable", "tuple"):
        return None
    pending, seen = [base], 0
    while pending and seen < MOST_LOOKED_UP:
        seen += 1
        found = of_name(pending.pop(0).partition("[")[0])
        if isinstance(found, list):
            if name in found[1]:
                return re.sub(r"\bSelf\b", base, found[1][name])
            pending.extend(found[0])
    return None


def parts(kind: str) -> list[str]:
    """The types between the brackets."""
    inner = kind.partition("[")[2].removesuffix("]")
    found, depth, last = [], 0, 0
    for place, character in enumerate(inner):
        depth += (character == "[") - (character == "]")
        if character == "," and not depth:
            found.append(inner[last:place])
            last = place + 1
    return [*found, inner[last:]] if inner else []


def element(kind: str) -> str:
    """The type of what going over a value gives."""
    base = kind.lstrip("?").partition("[")[0]
    if base in ("list", "iterable"):
        return next(iter(parts(kind)), "")
    if base in ("str", "bytes"):
        return {"str": "str", "bytes": "int"}[base]
    given = member(kind, "__iter__") or ""
    return element(given[3:]) if given.startswith("-> ") and given[3:] != kind else ""


def value_of(kind: str, reason: str, origin: str, label: str) -> Value:
    """A value of the type: None, a tuple of such values, or an unknown one."""
    if kind == "None":
        return None
    if kind.startswith("tuple["):
        return tuple(value_of(k, reason, origin, f"{label}[{i}]") for i, k in enumerate(parts(kind)))
    base = kind.partition("[")[0]
    surely = "" if base.startswith("?") else base if base in _BUILTIN else "object" if "." in base else ""
    found = Unknown(reason, origin, label, surely)
    found.kind = kind.lstrip("?")
    return found


def function_of(name: str, reason: str, origin: str, label: str) -> Unknown:
    """A function of the library as a value that can be called."""
    found, kind = Unknown(reason, origin, label), returned(name)
    found.kind = f"def {kind}" if kind is not None else ""
    return found


def declared(annotation: ast.expr | None, look: Callable[[str], Value]) -> str:
    """The type that an annotation names, of the library's; empty where it is another or may be None."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        with suppress(SyntaxError):
            return declared(ast.parse(annotation.value, mode="eval").body, look)
        return ""
    if isinstance(annotation, ast.Name) and annotation.id in _BUILTIN | {"bytes"}:
        return annotation.id
    if isinstance(annotation, ast.Subscript):
        base = ast.unparse(annotation.value).rpartition(".")[2]
        inside = annotation.slice
        if base in ("list", "List", "Sequence", "Iterable") and not isinstance(inside, ast.Tuple):
            inner = declared(inside, look)
            return f"{'list' if base in ('list', 'List') else 'iterable'}[{inner}]" if inner else ""
        return "dict" if base in ("dict", "Dict") else ""
    if isinstance(annotation, (ast.Name, ast.Attribute)):
        first, _, rest = ast.unparse(annotation).partition(".")
        named = getattr(look(first), "name", "")
        found = f"{named}.{rest}".rstrip(".") if isinstance(named, str) else ""
        return found if "." in found and isinstance(of_name(found), list) and returned(found) else ""
    return ""


def is_torch_tensor(annotation: ast.expr | None, look: Callable[[str], Value]) -> bool:
    """Whether an annotation names PyTorch's class of tensors, or one of those of an element type."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        with suppress(SyntaxError):
            return is_torch_tensor(ast.parse(annotation.value, mode="eval").body, look)
        return False
    if not isinstance(annotation, (ast.Name, ast.Attribute)):
        return False
    first, _, rest = ast.unparse(annotation).partition(".")
    named = getattr(look(first), "name", "")
    full = f"{named}.{rest}".rstrip(".") if isinstance(named, str) else ""
    return full.startswith("torch.") and full.count(".") == 1 and full.endswith("Tensor")


def kind_of(value: Unknown) -> str:
    """The type of a value, where it is known."""
    return value.kind or (value.pytype if value.pytype in _BUILTIN else "")


def attribute_of(value: Unknown, name: str, label: str) -> Value:
    """A member of a value, an unknown one where its type does not tell."""
    known = member(kind_of(value), name) if kind_of(value) else None
    reason = f"attribute {name} of an unknown value"
    if known is None or known.startswith("-> "):
        method = Unknown(reason, value.origin, label)
        method.kind = f"def {known[3:]}" if known is not None else ""
        method.place = attribute_place(value, name)
        method.owner = value
        return method
    found = value_of(known, reason, value.origin, label)
    if isinstance(found, Unknown):
        found.place = attribute_place(value, name)
    return found


def entered(value: Unknown) -> Value:
    """What `with value as name:` binds."""
    known = member(kind_of(value), "__enter__") if kind_of(value) else None
    if known is None or known[3:] == value.kind:
        return value
    return value_of(known[3:], f"what {value.label or 'a context'} gives", value.origin, value.label)


def elements_of(value: Unknown) -> Iterator[Value]:
    """Values of the type of its elements, without end."""
    label = f"{value.label}[]" if value.label else ""
    kind = element(kind_of(value))
    while True:
        yield value_of(kind, f"an element of {value.label or 'an unknown value'}", value.origin, label)
