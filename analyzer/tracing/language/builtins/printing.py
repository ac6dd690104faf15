"""`print`: what is printed to an object of the program's own is written to it part by part."""

from __future__ import annotations

from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.displays import text_of
from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.values import Instance, Value


def print_(c: Call) -> Value:
    file = c.kwargs.get("file")
    if not isinstance(file, Instance) or file.cls.find("write") is None:
        return None
    ends = [c.kwargs.get(name) for name in ("sep", "end")]
    between, end = (plain if given is None else given for given, plain in zip(ends, (" ", "\n"), strict=True))
    write = get_attribute(c.tr, file, "write")
    for number, part in enumerate(c.args):
        for text in (between, text_of(c.tr, part)) if number else (text_of(c.tr, part),):
            call(c.tr, write, (text,), {})
    call(c.tr, write, (end,), {})
    if c.kwargs.get("flush") not in (None, False):
        call(c.tr, get_attribute(c.tr, file, "flush"), (), {})
    return None
