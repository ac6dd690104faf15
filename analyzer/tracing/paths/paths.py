"""Which branches a path takes, what it requires, and how a round of it is undone.

A path is replayed from the start with a prefix of decisions; after a run each decision beyond the prefix is flipped
once. Paths with fewer flips come first, so that every side of every branch is seen long before their product is.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from analyzer.tracing.language.values import FREE
from analyzer.tracing.paths.symbols import Site
from analyzer.validity.terms import Cond, Truth


@dataclass(frozen=True, slots=True)
class Decision:
    """One branch taken. `origin` tells who decides: see `values.Unknown`."""

    site: Site
    taken: bool
    origin: str
    text: str
    imported: bool = False  # of a module while it was imported: only this side is followed

    @property
    def free(self) -> bool:
        """Whether both sides are certainly possible, so that an error behind the branch is an error."""
        return self.origin in FREE or self.origin == "rank"


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that holds on a path. `kind`: ``operator`` (required by an operator), ``branch``, ``definition``."""

    truth: Truth
    kind: str
    site: Site
    rule: str = ""
    wording: str | Callable[[], str] = ""  # a callable where putting it into words costs something
    operator: str = ""
    graph: bool = False
    operation: int = 0  # which operator application: conditions of one application fail together
    facts: tuple[tuple[str, Any], ...] = ()
    doubtful: bool = False  # met in a round of a loop that stands for others
    nth: int = 0  # how often the operator went well on this line before
    deferred: bool = False  # found out when the graph runs: what refuses while it is built comes first

    @property
    def message(self) -> str:
        return self.wording if isinstance(self.wording, str) else self.wording()


class PathEnd(Exception):
    """The path stops here: the program exits, or no input leads here."""


class RoundNotTaken(PathEnd):
    """A loop of which nobody knows how many rounds it has does not come to this one."""


class SeenThrough(Exception):
    """A library's decorator asks what is not known: the function that it wraps is called instead."""


class Undecided(Exception):
    """What is only tried out cannot be: a branch inside a branch, or what cannot be taken back."""


class OutOfBudget(Exception):
    """The step budget of the file is spent."""


Side = tuple[Site, str, bool]  # of a branch: where, what is asked, the answer
MOST_FOR_SIDES = 96  # paths that are followed so that each side of a branch is seen
MOST_QUEUED = 200  # prefixes that wait for combinations of sides
MOST_SIDES = 1000  # that wait to be taken


@dataclass
class Journal:
    """What was changed since a point in time, so that it can be put back.

    What was made since then is left out: once the rest is put back, nothing leads to it.
    """

    saved: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    mark: object = field(default_factory=object)

    def touch(self, item: Any) -> None:
        if id(item) not in self.saved and self.mark not in getattr(item, "inside", ()):
            self.saved[id(item)] = (item, item.state())

    def undo(self) -> None:
        for item, state in reversed(list(self.saved.values())):
            item.restore(state)


class Explorer:
    """Hands out decision prefixes until none is left or the budget is spent.

    Those come first that take a side of a branch which no path has taken; beyond `most_combined` paths only those.
    """

    def __init__(self, most_combined: int = 24) -> None:
        self.most_combined = most_combined
        self.explored = 0
        self.spent = False
        self._queue: list[tuple[int, int, tuple[bool, ...], Side | None]] = [(0, 0, (), None)]
        self._combinations: list[tuple[int, int, tuple[bool, ...], Side | None]] = []  # of sides that have been taken
        self._seen: set[Side] = set()
        self._awaited: set[Side] = set()  # for which a prefix is queued
        self._new_side = True  # the path that is followed takes a side that none has taken
        self._taken = self._queue[0]
        self._order = count(1)

    @property
    def covered(self) -> bool:
        """Whether each side that was met has been taken: what is left are combinations."""
        return not self._new_side and not self._unseen()

    def _unseen(self) -> bool:
        """Move what has been taken since out of the queue; whether something is left."""
        while self._queue and self._queue[0][3] in self._seen:
            heapq.heappush(self._combinations, heapq.heappop(self._queue))
        return bool(self._queue)

    def prefixes(self) -> Iterator[tuple[bool, ...]]:
        while (new := self._unseen()) or self._combinations:
            if not new and self.explored >= self.most_combined:
                return
            if self.explored >= max(MOST_FOR_SIDES, self.most_combined):
                self.spent = True
                return
            self._taken = heapq.heappop(self._queue if new else self._combinations)
            self._flips, _, prefix, side = self._taken
            self._new_side = new
            if side is not None:
                self._awaited.discard(side)
            self.explored += 1
            yield prefix

    def put_back(self) -> None:
        """The path that is followed was cut short, and may be followed again."""
        self.explored -= 1
        heapq.heappush(self._queue if self._new_side else self._combinations, self._taken)

    def finished(self, prefix: tuple[bool, ...], decisions: list[Decision]) -> None:
        """Queue the siblings of the path just run."""
        self._new_side = False
        self._seen.update((d.site, d.text, d.taken) for d in decisions)
        for index in range(len(prefix), len(decisions)):
            decision = decisions[index]
            if decision.imported:
                continue
            flipped = (*(d.taken for d in decisions[:index]), not decision.taken)
            side = (decision.site, decision.text, not decision.taken)
            if side in self._seen or side in self._awaited:  # one path that takes it is enough to see it
                if len(self._combinations) < MOST_QUEUED:
                    heapq.heappush(self._combinations, (self._flips + 1, next(self._order), flipped, side))
            elif len(self._awaited) < MOST_SIDES:
                self._awaited.add(side)
                heapq.heappush(self._queue, (self._flips + 1, next(self._order), flipped, side))
            else:
                self.spent = True


@dataclass
class Path:
    """The state of one run."""

    prefix: tuple[bool, ...] = ()
    decisions: list[Decision] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    truths: dict[int, tuple[Any, bool]] = field(default_factory=dict)  # of tensors that were decided, by identity
    answered: dict[int, Any] = field(default_factory=dict)  # what was asked last of what data decides, by identity
    guessed: bool = False  # whether something was read that a function which nobody looked into may have changed
    importing: int = 0  # modules whose top level is followed
    imported: set[Any] = field(default_factory=set)  # keys of the modules whose decisions are among these

    def choose(self, site: Site, origin: str, text: str, default: bool, imported: bool = False) -> bool:
        index = len(self.decisions)
        taken = self.prefix[index] if index < len(self.prefix) else default
        self.decisions.append(Decision(site, taken, origin, text, imported or self.importing > 0))
        return taken

    def doubt(self) -> None:
        """Nothing is proved behind the last decision."""
        self.decisions[-1] = replace(self.decisions[-1], origin="imprecise")

    def assumes(self, truth: Truth) -> bool:
        """Whether it is among the conditions; hashes tell apart most of them at once."""
        if not isinstance(truth, Cond):
            return any(c.truth == truth for c in self.conditions)
        wanted = truth.hash
        return any(
            known.hash == wanted and known == truth for c in self.conditions if isinstance(known := c.truth, Cond)
        )

    def state(self) -> Any:
        kept = list(self.decisions), list(self.conditions), dict(self.truths), set(self.imported)
        return (*kept, dict(self.answered), self.guessed)

    def restore(self, state: Any) -> None:
        self.decisions[:], self.conditions[:], self.truths = state[0], state[1], dict(state[2])
        self.imported, self.answered, self.guessed = set(state[3]), dict(state[4]), state[5]
