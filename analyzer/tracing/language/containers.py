"""Methods of lists, dictionaries, strings, tuples and numbers."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections import Counter, deque
from itertools import islice
from typing import Any

from analyzer.tracing.imports.registries import filled
from analyzer.tracing.language.collected import as_dict, in_order, with_element
from analyzer.tracing.language.contexts import enter, leave
from analyzer.tracing.language.dictionary_keys import lacks
from analyzer.tracing.language.dictionary_views import KeysView, ValuesView
from analyzer.tracing.language.evaluation import get_item, iterate, seen
from analyzer.tracing.language.known_types import member, value_of
from analyzer.tracing.language.lazy_iterators import ask, at_its_end, close, step_through
from analyzer.tracing.language.list_arithmetic import extend
from analyzer.tracing.language.overwriting import fill
from analyzer.tracing.language.plain_data import (
    IDENTICAL,
    WIDEST,
    NotPlain,
    applied,
    as_value,
    hashable,
    is_plain,
    plain_data,
)
from analyzer.tracing.language.sets import is_object, of_sets
from analyzer.tracing.language.setting_attributes import write_through
from analyzer.tracing.language.tensors import OpenSize, Size
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import (
    Api,
    Class,
    DefaultDict,
    DequeV,
    DictV,
    Function,
    Iterator_,
    KeysV,
    Layer,
    Lazy,
    ListV,
    SetV,
    SuperV,
    Unknown,
    Value,
)
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.torch_modules import Children
from analyzer.tracing.paths.agreement import alike
from analyzer.tracing.paths.problems import PyRaise, exception_name
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, product

_WRITING = frozenset(("append", "add", "appendleft", "extend", "update", "clear", "insert"))  # and read nothing


def method(
    tr: Tracer, owner: Value, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    args = tuple(seen(a) for a in args)
    if name not in _WRITING:
        tr.read(owner)
    if isinstance(owner, SetV) and name not in ("add", "clear", "copy"):
        return _of_set(tr, owner, name, args)
    if isinstance(owner, KeysV) and name == "isdisjoint":
        return _of_set(tr, SetV(owner.items, owner.open), name, args)
    if isinstance(owner, ListV):
        found = _of_list(tr, owner, name, args, kwargs)
        if isinstance(owner, DequeV):
            owner.trim(first=name not in ("appendleft", "extendleft"))
        return found
    if isinstance(owner, DictV):
        return _of_dict(tr, owner, name, args, kwargs)
    if isinstance(owner, str):
        return _of_text(tr, owner, name, args, kwargs)
    if isinstance(owner, Size):
        found = _of_size(owner, name)
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
        return _of_iterator(tr, owner, name, args)
    if isinstance(owner, (bytes, bool, int, float)) and name in _OF_NUMBERS:
        try:
            return applied(lambda *a: getattr(owner, name)(*a), args, kwargs)
        except NotPlain:
            return tr.unknown(f"{name}()", "foreign")
    if isinstance(owner, float) and name == "__int__":
        return int(owner) if math.isfinite(owner) else tr.unknown("__int__()")
    if isinstance(owner, (int, float, Poly)):
        if name == "astype":
            return _converted(tr, owner, args[0] if args else kwargs.get("dtype"))
        return owner if name in ("item", "conjugate", "__int__") else tr.unknown(f"{name}()")
    if isinstance(owner, SuperV):
        return None
    return tr.unknown(f"{name}()")


def _converted(tr: Tracer, number: float | Poly, kind: Value) -> Value:
    """A number of NumPy, which a Python number stands for, in another element type."""
    asked = dtype_name(kind) or ""
    if asked.startswith(("int", "uint")) and (isinstance(number, Poly) or math.isfinite(number)):
        return number if isinstance(number, Poly) else int(number)
    if asked.startswith("float") and not isinstance(number, Poly):
        return float(number)
    return tr.unknown("astype()")


def _of_iterator(tr: Tracer, owner: Iterator_, name: str, args: tuple[Value, ...]) -> Value:
    if name == "__iter__" and owner.once:
        return owner
    if name == "close" and isinstance(owner, Lazy):
        return close(tr, owner)
    if name in ("__enter__", "__aenter__") and isinstance(owner, Lazy):
        return enter(tr, owner)
    if name in ("__exit__", "__aexit__") and isinstance(owner, Lazy):
        given = seen(args[1]) if len(args) > 1 else None
        error = PyRaise(exception_name(given), "raised by the program", given) if given is not None else None
        return leave(tr, owner, error)
    if name in ("send", "throw", "asend", "athrow", "__anext__") and isinstance(owner, Lazy) and owner.once:
        try:
            if name in ("throw", "athrow"):
                given = args[-1 if len(args) == 1 else 1] if args else None
                return ask(tr, owner, None, PyRaise(exception_name(given), "raised by the program", given))
            return ask(tr, owner, args[0] if args else None)
        except StopIteration:
            raise at_its_end(owner) from None
    if name != "__next__":
        return tr.unknown(f"{name}()")
    taken = list(islice(step_through(tr, owner, None).items, 1))
    if not taken:
        raise at_its_end(owner)
    return taken[0]


def _of_size(owner: Size, name: str) -> Value:
    if name in ("numel", "num_elements"):
        return product(owner)
    if name == "is_fully_defined" and all(type(d) is int for d in owner):
        return True
    if name == "as_list":
        return ListV(owner)
    if name in ("with_rank", "is_compatible_with"):
        return owner
    if name == "dims":
        return ListV(owner)
    return None


def _of_list(tr: Tracer, owner: ListV, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    items = owner.items
    found: Any
    if name in ("append", "add", "appendleft"):
        tr.touch(owner)
        if name == "add":
            made = with_element(owner, args[0])
            owner.items, owner.open = made.items, made.open
            return None
        owner.loosen(0 if name == "appendleft" else len(items))
        items.insert(0 if name == "appendleft" else len(items), args[0])
        return None
    if name == "extendleft":
        tr.touch(owner)
        found, endless = iterate(tr, args[0], None)
        owner.loosen(0)
        items[:0] = [] if endless else list(found)[::-1]
        owner.open = owner.open or endless
        return None
    if name in ("extend", "update"):
        tr.touch(owner)
        for value in args:
            extend(tr, owner, value)
        return None
    if name == "insert":
        tr.touch(owner)
        if isinstance(args[0], int) and not owner.open:
            items.insert(args[0], args[1])
        else:
            _any_order(owner)
        return None
    if name in ("pop", "popleft"):
        tr.touch(owner)
        index = args[0] if args else (0 if name == "popleft" else -1)
        if owner.open or not isinstance(index, int):
            found = items[-1] if items and index == -1 else tr.unknown("an item")
            _any_order(owner)
            del owner.items[-1:]  # one less is there for sure
            return found
        if not -len(items) <= index < len(items):
            raise PyRaise("IndexError", "pop from a list")
        return items.pop(index)
    if name == "copy":
        return owner.twin()
    if name == "reverse":
        tr.touch(owner)
        items.reverse()
        if owner.open:
            _any_order(owner)
        return None
    if name == "clear":
        tr.touch(owner)
        items.clear()
        owner.open = False
        return None
    if name == "sort":
        tr.touch(owner)
        owner.items = in_order(tr, items, kwargs)
        return None
    if name in ("remove", "rotate"):
        tr.touch(owner)
        try:
            data = plain_data(owner)
            changed = deque(data) if name == "rotate" else data
            getattr(changed, name)(*map(plain_data, args))
            owner.items = list(as_value(list(changed)).items)
        except ValueError as error:
            raise PyRaise("ValueError", str(error)) from error
        except (NotPlain, TypeError):
            same = next((n for n, i in enumerate(items) if args and i is args[0]), None)
            if name == "remove" and same is not None and not any(_may_equal(i, args[0]) for i in items[:same]):
                del items[same]
            else:
                _any_order(owner)
        return None
    if name in ("index", "count") and args:
        try:
            return applied(lambda o, *a: getattr(o, name)(*a), (owner, *args), kwargs)
        except NotPlain:
            return tr.unknown(f"list.{name}()", pytype="int")
    return tr.unknown(f"list.{name}()")


def _may_equal(a: Value, b: Value) -> bool:
    """Whether two values may be equal, as far as their kinds tell."""
    identities = (Layer, Function, Class, Api)
    return not (a is not b and (isinstance(a, identities) or isinstance(b, identities)))


def _any_order(owner: ListV) -> None:
    """A list of which some element has gone, come or moved, no one knows which."""
    first = owner.items[0] if owner.items else None
    if not all(alike(first, other) for other in owner.items):
        owner.items = []
    owner.open = True


def _of_set(tr: Tracer, owner: SetV, name: str, args: tuple[Value, ...]) -> Value:
    """Methods of a set: where all is plain data, Python's own."""
    changing = {"update": "union", "difference_update": "difference", "intersection_update": "intersection",
                "symmetric_difference_update": "symmetric_difference", "discard": "difference"}  # fmt: skip
    of_one = name in ("remove", "discard")
    # Once: a generator gives its elements to who asks first.
    taken = [] if of_one else [(list(islice(i, 2) if e else i), e) for i, e in (iterate(tr, a, None) for a in args)]
    try:
        if of_one:
            taken = [(list(args[:1]), False)]
        elif name == "pop":
            raise NotPlain
        if name == "remove" and not of_sets(operator.le, SetV(args[:1]), owner):
            raise PyRaise("KeyError", "an element of a set")
        method = changing.get(name, "difference" if name == "remove" else name)
        given = [tr.unknown("a set") if endless else SetV(items) for items, endless in taken]
        found: Value = of_sets(lambda o, *a: getattr(o, method)(*a), owner, *given)
    except NotPlain:
        if name in changing or name in ("remove", "pop"):
            tr.touch(owner)
            if name == "update":
                for items, _ in taken:
                    owner.items.extend(items)
            else:
                owner.lose()  # which elements have gone is not known
            owner.open = True
            return tr.unknown("an element of a set") if name == "pop" else None
        known = name in ("union", "copy")
        return SetV(owner.items, True) if known else SetV((), True) if name.endswith(_NEW_SETS) else tr.unknown(
            f"set.{name}()", pytype="bool" if name.startswith("is") else "")  # fmt: skip
    if name in changing or name == "remove":
        tr.touch(owner)
        owner.items = list(found.items)
        return None
    return found


_NEW_SETS = ("difference", "intersection")


def _of_dict(tr: Tracer, owner: DictV, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    if isinstance(owner, Children):
        write_through(tr, owner, name, args, kwargs)
    items = owner.items
    found: Any
    if name == "items":
        return (
            Iterator_(lambda: iter(list(items.items())), owner.open and not items)
            if not owner.open
            else _open(tr, list(items.items()), 2)
        )
    if name in ("keys", "values"):
        return KeysView(owner) if name == "keys" else ValuesView(owner)
    if name == "popitem":
        tr.touch(owner)
        last = truth_of(args[0] if args else kwargs.get("last", True))
        if owner.open or not items or last is None:
            owner.lose()
            return tr.unknown("an item"), tr.unknown("an item")
        if last:
            return items.popitem()
        key = next(iter(items))
        return key, items.pop(key)
    if name == "move_to_end" and args:
        tr.touch(owner)
        last = truth_of(args[1] if len(args) > 1 else kwargs.get("last", True))
        if owner.open or last is None or not hashable(args[0]) or args[0] not in items:
            owner.lose()
            return None
        moved = {args[0]: items.pop(args[0])}
        owner.items = {**items, **moved} if last else {**moved, **items}
        return None
    if name in ("get", "pop", "setdefault"):
        key = args[0] if args else None
        filled(tr, owner, key)
        default = args[1] if len(args) > 1 else None
        itself = is_object(key) or (name != "get" and isinstance(key, IDENTICAL))
        here = hashable(key) and key in items
        if is_plain(key) or itself or here or (name == "get" and tr.knows_objects and lacks(owner, key)):
            if here:
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
            if name == "pop" and len(args) < 2 and "default" not in kwargs:
                if items:
                    raise PyRaise("KeyError", repr(key))
                return tr.unknown("a value of a dictionary")
            return default
        found = get_item(tr, owner, key) if name == "get" else tr.unknown("a value of a dictionary")
        if name != "get":  # which key is set or taken out is not known
            tr.touch(owner)
            owner.lose()
        return found
    if name == "update":
        for value in args:
            fill(tr, owner, value if isinstance(value, Unknown) else as_dict(tr, value))
        fill(tr, owner, DictV(kwargs))
        return None
    if name == "fromkeys":
        found, endless = iterate(tr, args[0], None)
        keys = list(islice(found, 2 if endless else None))
        named = [k for k in keys if hashable(k)]
        return DictV(dict.fromkeys(named, args[1] if len(args) > 1 else None), endless or len(named) < len(keys))
    if name == "most_common" and isinstance(owner, DefaultDict):
        try:
            return applied(lambda data, *n: Counter(data).most_common(*n), (DictV(items, owner.open), *args), {})
        except NotPlain:
            return ListV((), True)
    if name == "elements" and isinstance(owner, DefaultDict):
        return ListV((), True)
    if name in ("copy", "to_dict"):
        return owner.twin()
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


_OF_NUMBERS = frozenset(("bit_length", "bit_count", "is_integer", "conjugate", "decode", "hex", "as_integer_ratio"))
_OF_TEXT = frozenset(
    ("lower", "upper", "strip", "lstrip", "rstrip", "startswith", "endswith", "replace", "split", "rsplit", "join",
     "title", "capitalize", "swapcase", "casefold", "isdigit", "isnumeric", "isdecimal", "isalpha", "isalnum",
     "islower", "isupper", "isspace", "isidentifier", "istitle", "count", "find", "rfind", "index", "rindex",
     "partition", "rpartition", "splitlines", "removeprefix", "removesuffix", "zfill", "center", "ljust", "rjust",
     "format", "encode", "translate", "maketrans", "expandtabs")
)  # fmt: skip


def _of_text(tr: Tracer, owner: str, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    if name == "join" and args:
        items, endless = iterate(tr, args[0], None)
        args = (ListV([] if endless else items, endless),)
    wide = [a for a in (*args, *kwargs.values()) if isinstance(a, int) and abs(a) > WIDEST]
    spec = name == "format" and any(int(n) > WIDEST for n in re.findall(r"\d{1,9}", owner))
    if name not in _OF_TEXT or wide or spec:
        return tr.unknown(f"str.{name}()", "foreign", pytype="str")
    try:
        return applied(lambda o, *a, **k: getattr(o, name)(*a, **k), (owner, *args), kwargs)
    except NotPlain:
        kind = member("str", name) or "-> str"
        return value_of(kind[3:], f"str.{name}()", "foreign", "")
