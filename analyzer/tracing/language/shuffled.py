"""Elements of which it is known what they are together, and not in which order."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.tracing.language.values import Unknown, Value


class Shuffled(Unknown):
    """One of `among`, no one knows which; each of those that were made with it is another one of them."""

    __slots__ = ("among",)

    def __init__(self, among: tuple[Value, ...], pytype: str) -> None:
        super().__init__("a shuffled element", "data", pytype=pytype)
        self.among = among


def shuffled_elements(items: Sequence[Value], pytype: str) -> list[Value]:
    """As many unknowns as items, which are these in some order."""
    among = tuple(items)
    return [Shuffled(among, pytype) for _ in items]


def in_any_order(items: Sequence[Value]) -> list[Value]:
    """What the items are, for whom their order does not matter."""
    first = items[0] if items else None
    if not isinstance(first, Shuffled) or len(items) != len(first.among) or len({id(v) for v in items}) != len(items):
        return list(items)
    alike = all(isinstance(v, Shuffled) and v.among is first.among for v in items)
    return list(first.among if alike else items)
