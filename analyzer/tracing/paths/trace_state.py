"""What is known along one path of a trace: where it is, what it has counted, and the budget it spends."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any

from analyzer.tracing.contracts.annotations import MOST_CALLS, seen_call
from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import (
    Class,
    DictV,
    Function,
    Instance,
    Lazy,
    Module,
    Unknown,
    Value,
)
from analyzer.tracing.paths.frames import Frame, Shared
from analyzer.tracing.paths.paths import Journal, OutOfBudget, Path
from analyzer.tracing.paths.problems import Place
from analyzer.tracing.paths.symbols import Site, Symbols

MOST_CALLERS = 3  # lines that tell one call of a function from another


class TraceState:
    """One run along one path."""

    def __init__(
        self, shared: Shared, prefix: tuple[bool, ...] = (), defaults: bool = False, sampler: Any = None
    ) -> None:
        self.shared = shared
        self.defaults = defaults  # flags, configuration and environment have their default values
        self.sampler = sampler  # of elements, in a run on made-up numbers: see `samples`
        self.met_default = False  # one of them was read
        self.symbols = Symbols(shared.kept_symbols)
        self.path = Path(prefix)
        self.frames: list[Frame] = []
        self.modules: dict[str, Module] = {}
        self.importing: list[Any] = []  # modules whose top level is being followed, see `kept_modules`
        self.journals: list[Journal] = []
        self.speculating = 0
        self.trial: object = None  # the mark of the journal of what is only tried out
        self.suspended = 0  # generators that wait in the middle of their bodies
        self.unsettled: list[Lazy] = []  # and those of them that do something when they are closed
        self.operations = shared.operations
        self.ranks: dict[str, Shape] = {}
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.doubts = 0  # enclosing loop rounds that stand for others
        self.guards = 0  # enclosing blocks that expect an exception
        self.occurrences: dict[Site, int] = {}
        self.compiled = 0  # enclosing calls that TensorFlow compiles first: tf.function, Sequential, fit
        self.types_open = False  # layers may have been moved to another floating type
        self.autocasting = False  # operators may convert what they are given to another floating type
        self.modes_origin = ""  # where modules may have been put into evaluation mode unseen: who may have, an origin
        self.masking = False  # layers of Keras may hand on masks, which those behind them are called with
        self.training: Value = None  # what the call of Keras around says of it
        self.sparse = False  # tensors may be sparse
        self.spreading = False  # a row of sizes, `*batch`, of an argument that nobody gives has two axes
        self.trusting = 0  # axes of a `...` where arguments that nobody gives have the shapes that docstrings name
        self.documented: list[Tensor] = []  # which those are, on this path
        self.nothing_given = False  # and it is called without arguments
        self.assumed_rank: int | None = None  # of the first argument that nobody gives
        self.assumed_framework = "torch"  # whose tensor it is
        self.in_batches = False  # the first axis of what nobody gives counts examples
        self.in_wrapper = False  # the innermost code of a library is a wrapper of a function of the repository
        self.in_definition = False  # what is traced is a definition that nothing calls
        self.rests_on: frozenset[str] = frozenset()  # bodies that were called to define the module
        self.replacing = 0  # enclosing handlers that define what an absent package would give
        self.made_up = False  # and this analysis has made up what it is called with
        self.passed: Counter[Place] = Counter()  # what went well on this path
        self.seen: set[Place] = set()  # those of them whose operands have shapes that are known
        self.seen_nth: set[Place] = set()  # places, each with how often the operator went well there before
        self.reported: set[Place] = set()  # and those that did not
        self.failed_nth: dict[Place, int] = {}  # lines of these, each with how often the operator went well before
        self.applied = DictV()  # calls of functions with a way back of their own, see `own_gradients`
        self.results = DictV()  # of functions that remember theirs
        self.machine: dict[str, Unknown] = {}  # what programs ask of the machine, and of how they are run
        self.addresses: dict[int, Unknown] = {}  # what `id` tells of objects, see `values.Address`
        self.flags: Any = None  # the FLAGS object of absl and TensorFlow 1

    # ------------------------------------------------------------------ places, notes, budget

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def certain(self) -> bool:
        return not (self.doubts or self.path.guessed) and all(d.free for d in self.path.decisions)

    def site(self, node: ast.AST | None = None) -> Site:
        frame = self.frames[-1]
        line = getattr(node, "lineno", None) or frame.line or 1
        return Site(frame.path, line, getattr(node, "col_offset", 0))

    def pass_operator(self, site: Site, operator: str, blind: bool = False) -> None:
        """Remember that an operator accepts its operands here; one of a library where the repository calls it.

        `blind` says that the shape of one is not known.
        """
        if site.path.startswith(MARK):
            caller = next((f for f in reversed(self.frames) if not f.path.startswith(MARK)), None)
            if caller is None:
                return
            site = Site(caller.path, caller.line)
        place = (site.path, site.line, operator)
        if not blind:
            self.seen_nth.add((*place, self.passed[place]))
        for key in (place, (*place, self.callers())):
            self.passed[key] += 1
            if not blind:
                self.seen.add(key)

    def callers(self) -> tuple[tuple[str, int], ...]:
        """The lines of the repository that have led here, the innermost last, without the one that is run."""
        own = [(f.path, f.line) for f in self.frames if not f.path.startswith(MARK)]
        return tuple(own[:-1][-MOST_CALLERS:])

    def observe(self, function: Function, names: dict[str, Value], result: Value) -> None:
        """Keep what a call was given and what it gave, for proposals of annotations."""
        calls = self.shared.observed
        if calls is None or self.speculating or not self.certain or self.sampler is not None:
            return
        seen = calls.setdefault(function.path, {}).setdefault(function.node.lineno, [])
        owner = next(iter(names.values()), None)
        if len(seen) < MOST_CALLS:
            sizes = owner.attrs.get("__sizes__", {}) if isinstance(owner, Instance) else {}
            seen.append(seen_call(names, sizes, result, [c.truth for c in self.path.conditions]))

    def place(self) -> str:
        """Where the path is, in words."""
        return f"{self.frames[-1].path}:{self.frames[-1].line}" if self.frames else "The file"

    def note(self, sentence: str) -> None:
        self.shared.notes[sentence] = None

    def step(self, count: int = 1) -> None:
        before = self.shared.steps
        steps = self.shared.steps = before + count
        if steps > self.shared.most_steps or (steps >> 11 != before >> 11 and self.shared.late()):
            self.shared.ran_out = True
            raise OutOfBudget

    def unknown(self, reason: str, origin: str = "imprecise", label: str = "", pytype: str = "") -> Unknown:
        return Unknown(reason, origin, label, pytype)

    def unknown_call(self, name: str) -> Unknown:
        self.shared.unknown_calls[name] += 1
        return Unknown(f"result of {name}", "foreign", f"{name.rpartition('.')[2]}()")
