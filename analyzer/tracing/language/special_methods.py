"""Special methods of builtin values that are called by their names: `values.__setitem__(0, x)`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.arithmetic import binary
from analyzer.tracing.language.comparisons import compare
from analyzer.tracing.language.evaluation import get_item, iterate
from analyzer.tracing.language.items import delete_item, set_item
from analyzer.tracing.language.values import DictV, Iterator_, ListV, SetV, Value
from analyzer.tracing.paths.tracer import Tracer

_NOWHERE = ast.Constant(0)
_TWO: dict[str, Callable[[Tracer, Any, Value], Value]] = {
    "__getitem__": lambda tr, a, b: get_item(tr, a, b),
    "__delitem__": lambda tr, a, b: delete_item(tr, a, b),
    "__contains__": lambda tr, a, b: compare(tr, ast.In, b, a),
    "__add__": lambda tr, a, b: binary(tr, ast.Add, a, b, _NOWHERE),
    "__mul__": lambda tr, a, b: binary(tr, ast.Mult, a, b, _NOWHERE),
    "__sub__": lambda tr, a, b: binary(tr, ast.Sub, a, b, _NOWHERE),
    "__mod__": lambda tr, a, b: binary(tr, ast.Mod, a, b, _NOWHERE),
    "__iadd__": lambda tr, a, b: binary(tr, ast.Add, a, b, _NOWHERE, in_place=True),
}
_KINDS: dict[str, type | tuple[type, ...]] = {
    "__delitem__": (ListV, DictV), "__iadd__": ListV, "__contains__": (ListV, DictV, str, tuple),
    "__getitem__": (ListV, DictV, str, tuple), "__add__": (ListV, tuple, str, int, float),
    "__mul__": (ListV, tuple, str, int, float), "__sub__": (int, float), "__mod__": (int, float, str),
}  # fmt: skip
_READING = ("__eq__", "__ne__", "__len__", "__iter__", "__repr__", "__str__", "__hash__", "__sizeof__", "__rmul__",
            "__lt__", "__le__", "__gt__", "__ge__", "__class__", "__reversed__", "__or__", "__and__", "__sub__",
            "__xor__", "__format__", "__reduce__", "__reduce_ex__", "__dir__", "__doc__")  # fmt: skip


def special(tr: Tracer, owner: Value, name: str, args: tuple[Value, ...]) -> Value:
    """What the method gives and does; one that is not followed here may have changed a container anyhow."""
    if name == "__setitem__" and len(args) == 2 and isinstance(owner, (ListV, DictV)):
        set_item(tr, owner, *args)
        return None
    if name == "__len__" and not args and isinstance(owner, (ListV, DictV, str, tuple)):
        items = owner.items if isinstance(owner, (ListV, DictV)) else owner
        return tr.unknown("a length", pytype="int") if getattr(owner, "open", False) else len(items)
    if name == "__iter__" and not args and isinstance(owner, (ListV, DictV, tuple)):
        return Iterator_(lambda: iterate(tr, owner, None)[0], bool(getattr(owner, "open", False)), once=True)
    run = _TWO.get(name) if len(args) == 1 and isinstance(owner, _KINDS.get(name, ())) else None
    if run is not None and not (isinstance(owner, SetV) and name != "__contains__") and _fits(owner, name, args[0]):
        return run(tr, owner, args[0])
    if isinstance(owner, (ListV, DictV)) and name not in _READING:
        tr.touch(owner)
        owner.lose()
    return tr.unknown(f"{name}()")


def _fits(owner: Value, name: str, other: Value) -> bool:
    """Whether the method answers itself: for an operand of another type it gives NotImplemented."""
    if name not in ("__add__", "__sub__", "__mod__", "__mul__") or (isinstance(owner, str) and name == "__mod__"):
        return True
    if isinstance(owner, (ListV, tuple, str)):
        return isinstance(other, int) if name == "__mul__" else isinstance(other, type(owner))
    return isinstance(other, int if isinstance(owner, int) else (int, float))
