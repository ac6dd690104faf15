"""Symbols of a trace: their readable names, where they come from, what is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from analyzer.validity.terms import Poly, symbol


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the traced source."""

    path: str  # relative to the repository
    line: int
    column: int = 0


@dataclass(frozen=True, slots=True)
class SymbolFacts:
    """What is known of a symbol beyond its bounds.

    `kind`: ``flag`` (a user sets it), ``batch`` (declared as any size), ``param`` (argument of a function that nobody
    calls), ``dim`` (of an unknown tensor), ``lost`` (of a tensor that this analysis lost), ``asked`` (of one whose rank
    a branch has told: another may be the program's), ``stretched`` (a known size beside an operand of unknown rank),
    ``machine`` (how many of something a machine has: any number), ``rank``, ``derived``, ``unknown``. `graph`
    marks symbols that a TensorFlow session or a functional model instantiates anew on each run.
    """

    label: str
    kind: str
    site: Site | None = None
    default: Any = None
    graph: bool = False


class Symbols:
    """Makes symbols with readable unique names and remembers what they stand for."""

    def __init__(self, reserved: Mapping[str, SymbolFacts] = MappingProxyType({})) -> None:
        self.known: dict[str, SymbolFacts] = {}
        self._reserved = reserved  # names of modules that are kept
        self._used: dict[str, int] = {}

    def fresh(
        self,
        label: str,
        kind: str = "dim",
        lo: int | None = 1,
        hi: int | None = None,
        *,
        site: Site | None = None,
        default: Any = None,
        graph: bool = False,
    ) -> Poly:
        number = self._used.get(label, 0) + 1
        self._used[label] = number
        name = label if number == 1 else f"{label}_{number}"
        while name in self.known or name in self._reserved:
            number += 1
            self._used[label] = number
            name = f"{label}_{number}"
        self.known[name] = SymbolFacts(label, kind, site, default, graph)
        return symbol(name, lo, hi)

    def state(self) -> tuple[dict[str, SymbolFacts], dict[str, int]]:
        return dict(self.known), dict(self._used)

    def restore(self, state: tuple[dict[str, SymbolFacts], dict[str, int]]) -> None:
        """Forget the symbols made since, but for those of modules that are kept."""
        kept = {name: known for name, known in self.known.items() if name in self._reserved}
        self.known, self._used = {**state[0], **kept}, dict(state[1])

    def kind(self, name: str) -> str:
        found = self.known.get(name)
        return found.kind if found else "derived"
