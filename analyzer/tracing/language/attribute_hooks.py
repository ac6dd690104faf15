"""`__getattribute__`: a class that reads its attributes itself, and the plain reading that it falls back to."""

from __future__ import annotations

from collections.abc import Callable

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Bound, Function, Instance, Native, Value
from analyzer.tracing.paths.tracer import Tracer

Plain = Callable[[Tracer, Instance, str], Value]
READER = "__getattribute__"


def own_reader(value: Instance, name: str) -> Bound | None:
    """The method by which the object reads an attribute, where its class defines one."""
    found = value.cls.find(READER)
    if found is None or not isinstance(found[0], Function) or (name.startswith("__") and name.endswith("__")):
        return None
    return Bound(value, found[0], found[1])


def read(tr: Tracer, reader: Bound, name: str) -> Value:
    """An attribute as the class's own method gives it. Raises PyRaise where the method does."""
    return call(tr, reader, (name,), {})


def reader_of(owner: Instance, plainly: Plain) -> Native:
    """`object.__getattribute__` of an object."""

    def run(c: object) -> Value:
        tr, name = c.tr, c.get(len(c.args) - 1)  # type: ignore[attr-defined]
        return plainly(tr, owner, name) if isinstance(name, str) else tr.unknown("a computed attribute")

    return Native(READER, run)
