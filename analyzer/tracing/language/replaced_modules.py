"""A module that the program puts into `sys.modules`: whoever imports it calls what it holds, which is not followed."""

from __future__ import annotations

from analyzer.tracing.language.values import Bound, Class, DictV, Function, Instance, ListV, Object, Value
from analyzer.tracing.paths.tracer import Tracer

MOST_HELD = 256


def forget_held(tr: Tracer, module: Value) -> None:
    """What is reached from the module, and what the methods of its objects set, may be changed from now on."""
    pending: list[Value] = [module]
    seen: set[int] = set()
    while pending and len(seen) < MOST_HELD:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        tr.forget([value])
        if isinstance(value, Instance):
            methods = [m for c in value.cls.mro if isinstance(c, Class) for m in c.scope.names.values()]
            tr.give([Bound(value, m) for m in methods if isinstance(m, Function)])
        if isinstance(value, (Instance, Object)):
            pending.extend(value.attrs.values())
        elif isinstance(value, (DictV, ListV)):
            pending.extend(value.items.values() if isinstance(value, DictV) else value.items)
        elif type(value) is tuple:
            pending.extend(value)
