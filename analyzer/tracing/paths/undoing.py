"""Changes of values that a path may take back, and values that something unseen may change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from analyzer.tracing.language.captured import CHANGING, called_by, changed_by, set_by
from analyzer.tracing.language.rows import LIST, Rows
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    STORE,
    Bound,
    DictV,
    Function,
    Instance,
    Lazy,
    ListV,
    Scope,
    Value,
    holds_objects,
)
from analyzer.tracing.paths.frames import Frame, Leaving
from analyzer.tracing.paths.paths import Journal
from analyzer.tracing.paths.trace_state import TraceState
from analyzer.validity.terms import Poly

_SET = (bool, int, float, str)
MOST_GIVEN = 64  # parts of a container that a function may change too


class Undoing(TraceState):
    """A path whose changes of values can be taken back."""

    def touch(self, item: Any) -> None:
        """Call before changing a mutable value: of one that is any of several, nothing is known afterwards of each."""
        for journal in self.journals:
            journal.touch(item)
        if isinstance(item, (ListV, DictV)):
            for choice in item.choices:
                if not choice.lost:
                    self.touch(choice)
                    choice.lose()

    def read(self, value: Value) -> None:
        """Call where a container's items or their number are asked for."""
        if isinstance(value, (ListV, DictV)) and value.given:
            self.path.guessed = True

    def give(self, values: Iterable[Value], depth: int = 3, names: bool = True) -> None:
        """A function that nobody has looked into may change what it is given, and what a function among it changes.

        `names`: among this are names and attributes that the function sets anew.
        """
        for value in values:
            if isinstance(value, (ListV, DictV)):
                self.touch(value)
                value.given = True
            held = value.items.values() if isinstance(value, DictV) else value.items if isinstance(value, ListV) else ()
            if isinstance(value, Bound) and isinstance(value.function, Function):
                held = [*changed_by(value.function, value.owner), *called_by(value.function, value.owner)]
                self._lose(set_by(value.function, value.owner) if names else ())
            if isinstance(value, Function):
                held = [*changed_by(value), *called_by(value)]
                self._lose(set_by(value) if names else ())
            if isinstance(value, Instance) and (own := value.cls.find("__call__")) and isinstance(own[0], Function):
                self.give((Bound(value, own[0], own[1]),), depth, names)
            if isinstance(value, Instance) and not value.cls.library_bases:  # nobody changes modules behind one's back
                self.touch(value)
                value.given = True
                held = [part for part in value.attrs.values() if isinstance(part, (ListV, DictV))]
            if isinstance(value, Bound) and value.function in CHANGING:
                held = [value.owner]  # ``lines.append``
            held = value if type(value) is tuple else held
            if depth:
                self.give(list(held)[:MOST_GIVEN], depth - 1, names)

    def _lose(self, names: Iterable[tuple[Scope | Instance, str]]) -> None:
        """Numbers, texts and tensors that a function sets are not known where nobody knows whether it is called."""
        for holder, name in names:
            table = holder.names if isinstance(holder, Scope) else holder.attrs
            of_class = holder.cls.find(name) if isinstance(holder, Instance) and name not in table else None
            if of_class is None and name not in table:
                continue
            held = of_class[0] if of_class is not None else table[name]
            if held is None or isinstance(held, (*_SET, Poly, Tensor)):
                self.touch(holder)
                table[name] = self.unknown("what a function sets that something unseen may call", "imprecise")

    def forget(self, values: Iterable[Value]) -> None:
        """An unknown function may change the lists, dictionaries and objects that it is given, and call functions."""
        for value in values:
            if isinstance(value, (Function, Bound)):
                self.give((value,))
            if isinstance(value, Instance) and (own := value.cls.find("__call__")) and isinstance(own[0], Function):
                self.give((Bound(value, own[0], own[1]),))
            self.modes_origin = self.modes_origin or ("imprecise" if holds_objects(value) else "")
            if isinstance(value, (ListV, DictV, Instance)):
                self.touch(value)
                value.open = True
                if isinstance(value, Instance) and STORE in value.attrs:
                    self.forget([value.attrs[STORE]])
            elif isinstance(value, Rows) and value.kind == LIST:
                self.touch(value)
                value.forgotten()
            elif isinstance(value, Lazy) and not value.finished:
                self.touch(value)
                value.lost, value.taken = True, value.taken + 1
                self.forget(value.held)
                self.modes_origin = self.modes_origin or "imprecise"

    def made(self, value: Value) -> Value:
        """Call with a scope, object or container that is made here: journals that are kept now leave it out."""
        value.inside = tuple(journal.mark for journal in self.journals)
        return value

    @contextmanager
    def undoable(self) -> Iterator[Journal]:
        journal = Journal()
        journal.touch(self.path)
        self.journals = [*self.journals, journal]
        with Leaving(lambda: self._end(journal)):
            yield journal

    def _end(self, journal: Journal) -> None:
        self.journals = [j for j in self.journals if j is not journal]

    def unwind(self, frame: Frame) -> None:
        """Leave what an exception has left behind it."""
        while self.frames and self.frames[-1] is not frame:
            self.frames.pop()
