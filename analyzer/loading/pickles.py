"""What a pickle says, without doing it: a reader that knows tensors and containers and calls nothing.

Every global is a name, every call is a `PickledCall` that never happens. So a checkpoint with arbitrary objects beside
its tensors is read, and a hostile one does nothing.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from analyzer.loading.limits import DEFAULT, Limits


class PickleProblem(ValueError):
    """The pickle is damaged or over a limit; `str` says how."""


@dataclass(frozen=True, slots=True)
class Global:
    """A name that unpickling would import."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(slots=True, eq=False)
class PickledCall:
    """A call that unpickling would make; `items` are what would be stored into the result."""

    function: Any
    arguments: Any
    state: Any = None
    items: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Persistent:
    """An object that lives outside of the pickle, such as a storage of torch."""

    key: Any


_MARK = object()
_PUSHED = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_VALUES = frozenset(
    {
        "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "STRING", "BINSTRING", "SHORT_BINSTRING",
        "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE",
        "BINUNICODE8", "FLOAT", "BINFLOAT",
    }
)  # fmt: skip


def read_pickle(data: bytes, limits: Limits = DEFAULT) -> tuple[Any, int, list[Global]]:
    """The object, the number of bytes it took, and the names it would import, in order.

    Containers are plain lists, dicts, tuples and sets (as lists); they may refer to themselves.

    Raises:
        PickleProblem: damaged, truncated, or more operations than allowed.
    """
    machine = _Machine(limits)
    try:
        for opcode, argument, position in _operations(data):
            machine.step(opcode, argument)
            if opcode == "STOP":
                if not machine.stack:
                    raise PickleProblem("it ends without a value")
                return machine.stack[-1], position + 1, machine.globals
    except PickleProblem:
        raise
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, UnicodeError) as error:
        raise PickleProblem(f"it is damaged ({type(error).__name__})") from None
    raise PickleProblem("it is cut off")


def _operations(data: bytes) -> Iterator[tuple[str, Any, int]]:
    for opcode, argument, position in pickletools.genops(data):
        yield opcode.name, argument, position or 0


class _Machine:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = limits.pickle_operations
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.globals: list[Global] = []

    def step(self, opcode: str, argument: Any) -> None:
        self.left -= 1
        if self.left < 0:
            raise PickleProblem(f"it has more than {self.limits.pickle_operations} operations")
        if opcode in _VALUES:
            self.stack.append(argument)
        elif opcode in _PUSHED:
            self.stack.append(_PUSHED[opcode])
        else:
            action = _ACTIONS.get(opcode)
            if action is None:
                raise PickleProblem(f"it has the operation {opcode}, which is not known")
            action(self, argument)

    def until_mark(self) -> list[Any]:
        items: list[Any] = []
        while self.stack:
            item = self.stack.pop()
            if item is _MARK:
                return items[::-1]
            items.append(item)
        raise PickleProblem("it is damaged (a mark is missing)")

    def named(self, module: Any, name: Any) -> Global:
        found = Global(str(module), str(name))
        self.globals.append(found)
        return found

    def memoize(self, _: Any) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def put(self, argument: Any) -> None:
        self.memo[int(argument)] = self.stack[-1]

    def get(self, argument: Any) -> None:
        self.stack.append(self.memo[int(argument)])

    def global_(self, argument: Any) -> None:
        module, _, name = str(argument).partition(" ")
        self.stack.append(self.named(module, name))

    def stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(self.named(module, name))

    def reduce(self, _: Any) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        self.stack.append(_call(function, arguments))

    def newobj_ex(self, _: Any) -> None:
        keywords, arguments, function = self.stack.pop(), self.stack.pop(), self.stack.pop()
        self.stack.append(PickledCall(function, arguments, state=keywords))

    def inst(self, argument: Any) -> None:
        module, _, name = str(argument).partition(" ")
        arguments = tuple(self.until_mark())
        self.stack.append(_call(self.named(module, name), arguments))

    def obj(self, _: Any) -> None:
        function, *arguments = self.until_mark()
        self.stack.append(_call(function, tuple(arguments)))

    def build(self, _: Any) -> None:
        state = self.stack.pop()
        if isinstance(self.stack[-1], PickledCall):
            self.stack[-1].state = state

    def store(self, pairs: list[Any]) -> None:
        target = self.stack[-1]
        if isinstance(target, PickledCall):
            target = target.items
        if isinstance(target, dict):
            for key, value in zip(pairs[::2], pairs[1::2], strict=True):
                target[_key(key)] = value

    def setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.store([key, value])

    def setitems(self, _: Any) -> None:
        self.store(self.until_mark())

    def extend(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if isinstance(target, list):
            target.extend(items)
        elif isinstance(target, PickledCall):
            start = len(target.items)
            target.items.update({start + i: item for i, item in enumerate(items)})

    def append(self, _: Any) -> None:
        self.extend([self.stack.pop()])

    def appends(self, _: Any) -> None:
        self.extend(self.until_mark())

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def tuple_of(self, count: int) -> None:
        items = tuple(self.stack.pop() for _ in range(count))[::-1]
        self.stack.append(items)


def _key(key: Any) -> Any:
    """A dictionary's key; what cannot be one is kept apart by identity."""
    return key if isinstance(key, str | int | float | bytes | bool | Global | type(None)) else f"key {id(key)}"


def _call(function: Any, arguments: Any) -> Any:
    if function == Global("collections", "OrderedDict") or function == Global("builtins", "dict"):
        return {}
    if function == Global("builtins", "set") and isinstance(arguments, tuple) and len(arguments) == 1:
        return arguments[0]
    return PickledCall(function, arguments)


def _nothing(_: _Machine, __: Any) -> None:
    return None


def _duplicate(machine: _Machine, _: Any) -> None:
    machine.stack.append(machine.stack[-1])


def _pop(machine: _Machine, _: Any) -> None:
    machine.stack.pop()


_ACTIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "PROTO": _nothing,
    "FRAME": _nothing,
    "STOP": _nothing,
    "READONLY_BUFFER": _nothing,
    "DUP": _duplicate,
    "POP": _pop,
    "MARK": lambda m, _: m.push(_MARK),
    "POP_MARK": lambda m, _: _drop(m.until_mark()),
    "MEMOIZE": _Machine.memoize,
    "PUT": _Machine.put,
    "BINPUT": _Machine.put,
    "LONG_BINPUT": _Machine.put,
    "GET": _Machine.get,
    "BINGET": _Machine.get,
    "LONG_BINGET": _Machine.get,
    "GLOBAL": _Machine.global_,
    "STACK_GLOBAL": _Machine.stack_global,
    "EXT1": lambda m, a: m.push(m.named("copyreg", f"extension {a}")),
    "EXT2": lambda m, a: m.push(m.named("copyreg", f"extension {a}")),
    "EXT4": lambda m, a: m.push(m.named("copyreg", f"extension {a}")),
    "REDUCE": _Machine.reduce,
    "NEWOBJ": _Machine.reduce,
    "NEWOBJ_EX": _Machine.newobj_ex,
    "INST": _Machine.inst,
    "OBJ": _Machine.obj,
    "BUILD": _Machine.build,
    "SETITEM": _Machine.setitem,
    "SETITEMS": _Machine.setitems,
    "APPEND": _Machine.append,
    "APPENDS": _Machine.appends,
    "ADDITEMS": _Machine.appends,
    "EMPTY_DICT": lambda m, _: m.push({}),
    "EMPTY_LIST": lambda m, _: m.push([]),
    "EMPTY_SET": lambda m, _: m.push([]),
    "EMPTY_TUPLE": lambda m, _: m.push(()),
    "DICT": lambda m, _: _dict(m),
    "LIST": lambda m, _: m.push(m.until_mark()),
    "TUPLE": lambda m, _: m.push(tuple(m.until_mark())),
    "FROZENSET": lambda m, _: m.push(m.until_mark()),
    "TUPLE1": lambda m, _: m.tuple_of(1),
    "TUPLE2": lambda m, _: m.tuple_of(2),
    "TUPLE3": lambda m, _: m.tuple_of(3),
    "PERSID": lambda m, a: m.push(Persistent(a)),
    "BINPERSID": lambda m, _: m.push(Persistent(m.stack.pop())),
}


def _drop(_: list[Any]) -> None:
    return None


def _dict(machine: _Machine) -> None:
    pairs = machine.until_mark()
    machine.stack.append({})
    machine.store(pairs)
