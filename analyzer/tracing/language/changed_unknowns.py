"""What a method of a value that is not known may have changed of it."""

from __future__ import annotations

from analyzer.tracing.language.values import Bound, DictV, Function, ListV, Unknown
from analyzer.tracing.paths.tracer import Tracer

LENGTH = "len()"  # the attribute of an unknown value that holds its number of elements
_CHANGING = ("add", "append", "build", "clear", "delete", "discard", "drop", "expand", "extend", "filter", "fit",
             "grow", "insert", "load", "merge", "pop", "push", "put", "read", "remove", "reset", "resize", "set_",
             "shrink", "train", "truncate", "update", "write")  # fmt: skip


def changed_by_method(tr: Tracer, method: Unknown) -> None:
    """Call behind a call: functions and containers that the program has put into the object may be called and changed,
    and where the name says that it changes something, the object and what it holds have another length.
    """
    owner = method.owner
    if owner is None:
        return
    tr.give(v for v in owner.attrs.values() if isinstance(v, (Function, Bound, ListV, DictV)))
    if method.label.rpartition(".")[2].lstrip("_").startswith(_CHANGING):
        for value in (owner, *owner.attrs.values()):
            if isinstance(value, Unknown) and LENGTH in value.attrs:
                tr.touch(value)
                value.attrs[LENGTH] = tr.unknown("a length that may have changed", pytype="int")
