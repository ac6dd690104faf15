"""Iterators as values of the tracer: over elements that are there, and those that do something for each element."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Value = Any


@dataclass(eq=False, slots=True)
class Iterator_:
    """Something to iterate over: ``enumerate``, ``zip``, a range.

    `items` gives the elements; `endless` is set when the number of elements is not known, and then `items` gives a few
    representative ones. `once`: what has been taken is gone, as from a generator; a range begins anew.
    """

    items: Callable[[], Iterator[Value]]
    endless: bool = False
    length: Value = None
    bounds: tuple[int, int, int] = (0, 0, 1)  # of a range
    known: int | None = None  # of an endless one, how many elements come first that are no representatives
    once: bool = False
    taken: int = 0  # of one that is gone through once
    _seen: list[Value] = field(default_factory=list)  # again where a path is taken back
    _source: Iterator[Value] | None = None

    def begin(self) -> None:
        if self._source is None:
            self._source = self.items()

    def take(self) -> Value:
        """The next element. Raises StopIteration; call `Tracer.touch` before."""
        self.begin()
        assert self._source is not None
        if self.taken == len(self._seen):
            self._seen.append(next(self._source))
        self.taken += 1
        return self._seen[self.taken - 1]

    def state(self) -> Any:
        return self.taken, self._source is None

    def restore(self, state: Any) -> None:
        self.taken = state[0]
        if state[1]:
            self._source, self._seen = None, []


@dataclass(eq=False, slots=True)
class Lazy(Iterator_):
    """An iterator that does something when it is asked: a generator, ``map``, ``zip`` of one.

    `endless` and `known` tell what is known so far. What it has done cannot be taken back, so that one that stands
    where it stood before is `lost`, unless it had not begun.
    """

    node: ast.AST | None = None  # the expression that makes it
    sources: tuple[Value, ...] = ()  # the iterators that it asks itself
    depth: int = 1  # iterators that ask each other
    most: int = 100_000  # elements that are asked for where all are
    once: bool = True
    whole: Callable[[Any], tuple[list[Value], bool]] | None = None  # all at once, and whether there are more
    doubtful: bool = False  # the last element stands for others, of which there may be none
    finished: bool = False
    running: bool = False
    lost: bool = False
    last: tuple[Value, ...] = ()  # the last element
    inside: tuple[object, ...] = ()  # see `Tracer.made`
    held: tuple[Value, ...] = ()  # lists and dictionaries that its body is given, and may change

    @property
    def begun(self) -> bool:
        return self.taken > 0

    @property
    def ends_by_exceptions(self) -> bool:
        raise NotImplementedError

    def proceed(self, tr: Any, sent: Value, thrown: Any) -> Value:
        """Do what is done for the next element. Raises StopIteration at the end."""
        raise NotImplementedError

    def leave(self, tr: Any) -> None:
        """Call where nobody looks at further elements."""
        raise NotImplementedError

    def look(self) -> None:
        """Call after each element, to learn what is known now of those to come."""
        raise NotImplementedError

    def state(self) -> Any:
        return self.taken

    def restore(self, state: Any) -> None:
        if state == self.taken:
            return
        self.taken = state
        if state == 0:
            self.finished = self.lost = self.running = self.doubtful = False
            self.last, self._source = (), None
        else:
            self.lost = True
