"""Methods of lists, dictionaries, strings, tuples and numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from analyzer.tracing.items import get_item
from analyzer.tracing.iteration import iterate
from analyzer.tracing.problems import PyRaise
from analyzer.tracing.tensors import OpenSize, Size
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import DictV, Iterator_, ListV, SuperV, Unknown, Value
from analyzer.validity.terms import Poly, product


def method(
    tr: Tracer, owner: Value, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    args = tuple(a.value[0] if isinstance(a, Unknown) and a.value is not None else a for a in args)
    if isinstance(owner, ListV):
        return _of_list(tr, owner, name, args, kwargs)
    if isinstance(owner, DictV):
        return _of_dict(tr, owner, name, args, kwargs)
    if isinstance(owner, str):
        return _of_text(tr, owner, name, args)
    if isinstance(owner, Size):
        found = _of_size(tr, owner, name, args)
        if found is not None:
            return found
    if isinstance(owner, tuple) and name in ("index", "count"):
        return (
            getattr(owner, name)(*args)
            if args and args[0] in owner and all(isinstance(v, (int, str)) for v in owner)
            else tr.unknown("an index")
        )
    if isinstance(owner, OpenSize):
        return owner if name in ("as_list", "tolist") else tr.unknown(f"shape.{name}()", "foreign")
    if isinstance(owner, Iterator_):
        return tr.unknown(f"{name}()") if name != "__next__" else next(owner.items(), None)
    if isinstance(owner, float) and name == "is_integer":
        return owner.is_integer()
    if isinstance(owner, (int, float, Poly)):
        return owner if name in ("item", "conjugate", "__int__") else tr.unknown(f"{name}()")
    if isinstance(owner, SuperV):
        return None
    return tr.unknown(f"{name}()")


def _of_size(tr: Tracer, owner: Size, name: str, args: tuple[Value, ...]) -> Value:
    if name in ("numel", "num_elements"):
        return product(owner)
    if name == "as_list":
        return ListV(owner)
    if name in ("with_rank", "is_compatible_with"):
        return owner
    if name == "dims":
        return ListV(owner)
    return None


def _of_list(tr: Tracer, owner: ListV, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    items = owner.items
    if name in ("append", "add", "appendleft"):
        tr.touch(owner)
        if name == "add" and any(i is args[0] or (isinstance(i, (str, int)) and i == args[0]) for i in items):
            return None
        items.insert(0 if name == "appendleft" else len(items), args[0])
        return None
    if name in ("extend", "update"):
        tr.touch(owner)
        for value in args:
            found, endless = iterate(tr, value, None)
            if endless:
                owner.open = True
            else:
                items.extend(found)
        return None
    if name == "insert":
        tr.touch(owner)
        if isinstance(args[0], int) and not owner.open:
            items.insert(args[0], args[1])
        else:
            owner.open = True
        return None
    if name in ("pop", "popleft"):
        tr.touch(owner)
        index = args[0] if args else (0 if name == "popleft" else -1)
        if owner.open or not isinstance(index, int):
            owner.open = True
            return items[-1] if items and index == -1 else tr.unknown("an item")
        if not -len(items) <= index < len(items):
            raise PyRaise("IndexError", "pop from a list")
        return items.pop(index)
    if name == "copy":
        return type(owner)(items, owner.open)
    if name == "reverse":
        tr.touch(owner)
        items.reverse()
        return None
    if name == "clear":
        tr.touch(owner)
        items.clear()
        owner.open = False
        return None
    if name in ("sort",):
        tr.touch(owner)
        if all(isinstance(v, (int, float)) for v in items) and not kwargs:
            items.sort()
        return None
    if name in ("remove", "discard"):
        tr.touch(owner)
        if args and isinstance(args[0], (int, str)) and args[0] in [i for i in items if isinstance(i, (int, str))]:
            items.remove(args[0])
        else:
            owner.open = True
        return None
    if (
        name == "index"
        and args
        and isinstance(args[0], (int, str))
        and all(isinstance(i, (int, str)) for i in items)
        and args[0] in items
    ):
        return items.index(args[0])
    if (
        name == "count"
        and args
        and isinstance(args[0], (int, str))
        and all(isinstance(i, (int, str)) for i in items)
        and not owner.open
    ):
        return items.count(args[0])
    return tr.unknown(f"list.{name}()")


def _of_dict(tr: Tracer, owner: DictV, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    items = owner.items
    if name == "items":
        return (
            Iterator_(lambda: iter(list(items.items())), owner.open and not items)
            if not owner.open
            else _open(tr, list(items.items()), 2)
        )
    if name == "keys":
        return ListV(items, owner.open)
    if name == "values":
        return ListV(items.values(), owner.open)
    if name in ("get", "pop", "setdefault"):
        key = args[0] if args else None
        default = args[1] if len(args) > 1 else None
        if isinstance(key, (str, int, tuple)) or key is None:
            if key in items:
                found = items[key]
                if name == "pop":
                    tr.touch(owner)
                    owner.items.pop(key)
                return found
            if owner.open:
                return tr.unknown("a value of a dictionary", label=str(key))
            if name == "setdefault":
                tr.touch(owner)
                items[key] = default
            return default

        return get_item(tr, owner, key)
    if name == "update":
        tr.touch(owner)
        for value in args:
            if isinstance(value, DictV):
                items.update(value.items)
                owner.open = owner.open or value.open
            else:
                owner.open = True
        items.update(kwargs)
        return None
    if name in ("copy", "to_dict"):
        return DictV(items, owner.open)
    if name == "clear":
        tr.touch(owner)
        items.clear()
        return None
    return tr.unknown(f"dict.{name}()")


def _open(tr: Tracer, pairs: list[Any], width: int) -> Iterator_:
    def run() -> Any:
        yield from pairs
        while True:
            yield tuple(tr.unknown("an item") for _ in range(width))

    return Iterator_(run, True)


_TEXT: dict[str, Callable[..., Any]] = {
    name: getattr(str, name)
    for name in [
        "lower",
        "upper",
        "strip",
        "lstrip",
        "rstrip",
        "startswith",
        "endswith",
        "replace",
        "split",
        "rsplit",
        "join",
        "title",
        "capitalize",
        "isdigit",
        "count",
        "find",
        "partition",
        "rpartition",
        "splitlines",
        "isalpha",
        "removeprefix",
        "removesuffix",
        "zfill",
    ]
}


def _of_text(tr: Tracer, owner: str, name: str, args: tuple[Value, ...]) -> Value:
    rule = _TEXT.get(name)
    if rule is None or len(owner) > 100_000:
        return tr.unknown(f"str.{name}()", "foreign", pytype="str")
    plain = tuple(tuple(a.items) if isinstance(a, ListV) and not a.open else a for a in args)
    if not all(
        isinstance(a, (str, int)) or (isinstance(a, tuple) and all(isinstance(p, str) for p in a)) for a in plain
    ):
        return tr.unknown(f"str.{name}()", "foreign", pytype="str")
    if name == "zfill" and any(isinstance(a, int) and a > 1000 for a in plain):
        return tr.unknown("a long text", pytype="str")
    try:
        found = rule(owner, *plain)
    except (TypeError, ValueError, AttributeError):
        return tr.unknown(f"str.{name}()", "foreign", pytype="str")
    return ListV(found) if isinstance(found, list) else found
