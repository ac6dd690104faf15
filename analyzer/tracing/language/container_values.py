"""Lists, dictionaries and their kin as values of the tracer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Value = Any


class ListV:
    """A list. `open`: further items of unknown number may follow; those from `firm` on stand anywhere behind.

    `choices`: the lists of which this one is any, no one knows which. `given`: to a function that nobody has looked
    into, which may have changed it: what is read from it is a guess. `doubtful`: none of the items may be there, each
    stands for those that a filter lets pass.
    """

    __slots__ = ("choices", "doubtful", "exact", "firm", "given", "inside", "items", "open")

    def __init__(self, items: Iterable[Value] = (), open: bool = False) -> None:
        self.items, self.open, self.exact = list(items), open, False
        self.firm: int | None = None
        self.given = self.doubtful = False
        self.choices: tuple[ListV, ...] = ()
        self.inside: tuple[object, ...] = ()  # see `Tracer.made`

    @property
    def lost(self) -> bool:
        """Whether nothing is known of it."""
        return self.open and not self.items

    def lose(self) -> None:
        self.items, self.open, self.firm = [], True, None

    def twin(self) -> ListV:
        """Another one of the same items."""
        found = type(self)(self.items, self.open)
        found.firm, found.given, found.doubtful = self.firm, self.given, self.doubtful
        return found

    def loosen(self, place: int) -> None:
        """Call before an item is put in at this place of a list that is open there."""
        if self.open:
            self.firm = min(place, len(self.items) if self.firm is None else self.firm)

    def state(self) -> Any:
        return list(self.items), self.open, self.firm, self.given, self.doubtful

    def restore(self, state: Any) -> None:
        self.items, (self.open, self.firm, self.given, self.doubtful) = list(state[0]), state[1:]

    def __repr__(self) -> str:
        return repr(self.items)


class TupleV(ListV):
    """A tuple of which not all items are known, as callers give them to ``*args``; one that is whole is a `tuple`."""

    __slots__ = ()


def open_like(value: Any, items: Iterable[Value] = ()) -> ListV:
    """A list of such items and others, or a tuple where `value` is one."""
    found = (TupleV if isinstance(value, (tuple, TupleV)) else ListV)(items, True)
    found.doubtful = getattr(value, "doubtful", False)
    return found


class KeysV(ListV):
    """The keys of a dictionary: in order as a list, compared and combined as a set."""

    __slots__ = ()

    def twin(self) -> ListV:
        return ListV(self.items, self.open)


class DequeV(ListV):
    """A double-ended queue that keeps at most so many items: one more at an end pushes out those at the other."""

    __slots__ = ("most",)

    def __init__(self, items: Iterable[Value] = (), open: bool = False, most: int = 0) -> None:
        super().__init__(items, open)
        self.most = most
        self.trim()

    def twin(self) -> ListV:
        return DequeV(self.items, self.open, self.most)

    def trim(self, first: bool = True) -> None:
        """Push out what is too much, the first items or the last."""
        if not self.open and len(self.items) > self.most:
            self.items = self.items[len(self.items) - self.most :] if first else self.items[: self.most]


class SetV(ListV):
    """A set, in order of insertion."""

    __slots__ = ()


class DictV:
    """A dictionary; keys are hashable concrete values. `open`: it may hold further keys; `choices` as of a list."""

    __slots__ = ("choices", "doubtful", "exact", "given", "inside", "items", "open")

    def __init__(self, items: dict[Any, Value] | None = None, open: bool = False) -> None:
        self.items, self.open, self.exact = dict(items or {}), open, False
        self.choices: tuple[DictV, ...] = ()
        self.given = self.doubtful = False  # as of a list
        self.inside: tuple[object, ...] = ()

    @property
    def lost(self) -> bool:
        """Whether nothing is known of it."""
        return self.open and not self.items

    def lose(self) -> None:
        self.items, self.open = {}, True

    def twin(self) -> DictV:
        """Another one of the same items."""
        found = DictV(self.items, self.open)
        found.given, found.doubtful = self.given, self.doubtful
        return found

    def state(self) -> Any:
        return dict(self.items), self.open, self.given, self.doubtful

    def restore(self, state: Any) -> None:
        self.items, (self.open, self.given, self.doubtful) = dict(state[0]), state[1:]

    def __repr__(self) -> str:
        return repr(self.items)


class DefaultDict(DictV):
    """A dictionary that makes what it lacks: `collections.defaultdict`, and `Counter`, whose values begin at zero."""

    __slots__ = ("factory",)

    def __init__(self, factory: Value, items: dict[Any, Value] | None = None, open: bool = False) -> None:
        super().__init__(items, open)
        self.factory = factory

    def twin(self) -> DictV:
        return DefaultDict(self.factory, self.items, self.open)


def exactly(value: Any) -> Any:
    """The container, of which it is known that its class is `list`, `set` or `dict`: others are followed as these."""
    value.exact = True
    return value


def is_empty(value: Any) -> bool:
    """Whether it is a plain list, set or dictionary that holds nothing for sure."""
    plain = type(value) in (ListV, SetV, DictV) and not value.items and not value.open
    return plain and not value.given and not value.choices


def is_exact(value: Any) -> bool:
    """Whether the class of a container is `list`, `set` or `dict` itself."""
    return type(value) in (ListV, SetV, DictV) and bool(getattr(value, "exact", False))
