"""The state of a trace and the few acts that every part of the interpreter shares: decide, require, note, undo."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

from analyzer.tracing.contracts.annotations import MOST_CALLS, seen_call
from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.captured import changed_by
from analyzer.tracing.language.rows import LIST, Rows
from analyzer.tracing.language.tensors import INVENTED, Shape, Tensor
from analyzer.tracing.language.truths import Test, likely, truth_of
from analyzer.tracing.language.values import (
    FREE,
    STORE,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    Lazy,
    ListV,
    Module,
    Unknown,
    Value,
    holds_objects,
)
from analyzer.tracing.paths.attained import leaves
from analyzer.tracing.paths.choices import (
    default_of,
    is_joint,
    is_joint_in_data,
    origin_of,
    settled,
    tier_of,
    wording_of,
)
from analyzer.tracing.paths.frames import Frame, Leaving, Shared
from analyzer.tracing.paths.paths import Condition, Journal, OutOfBudget, Path, PathEnd, SeenThrough
from analyzer.tracing.paths.problems import GUESS_FREE, GUESSED_RUN, SAMPLED_RUN, Diagnostic, Place, ShapeFailure
from analyzer.tracing.paths.questions import Sides, of_test, sides
from analyzer.tracing.paths.solver import satisfiable
from analyzer.tracing.paths.symbols import Site, Symbols
from analyzer.validity.terms import Cond, Poly, Term, Truth, equal, negate

APPLICATION = 10  # steps that one operator application counts for
MOST_DEPTH = 48  # calls within calls; each takes some ten of Python's frames
MOST_CALLERS = 3  # lines that tell one call of a function from another
MOST_GIVEN = 64  # parts of a container that a function may change too


class Tracer:
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

    # ------------------------------------------------------------------ undo

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

    def give(self, values: Iterable[Value], depth: int = 3) -> None:
        """A function that nobody has looked into may change what it is given, and what a function among it changes."""
        for value in values:
            if isinstance(value, (ListV, DictV)):
                self.touch(value)
                value.given = True
            held = value.items.values() if isinstance(value, DictV) else value.items if isinstance(value, ListV) else ()
            if isinstance(value, Bound) and isinstance(value.function, Function):
                held = changed_by(value.function, value.owner)
            held = changed_by(value) if isinstance(value, Function) else value if type(value) is tuple else held
            if depth:
                self.give(list(held)[:MOST_GIVEN], depth - 1)

    def forget(self, values: Iterable[Value]) -> None:
        """An unknown function may change the lists, dictionaries and objects that it is given."""
        for value in values:
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

    # ------------------------------------------------------------------ symbols and shapes

    def fresh(
        self, label: str, kind: str = "derived", lo: int | None = 1, hi: int | None = None, graph: bool = False
    ) -> Poly:
        if kind == "unknown":
            self.shared.asks_values = True
        return self.symbols.fresh(label, kind, lo, hi, site=self.site() if self.frames else None, graph=graph)

    def rank_of(self, tensor: Tensor) -> Term:
        shape = tensor.shape
        if shape.dims is not None:
            return len(shape.dims)
        if shape.rank is None:
            self.touch(shape)
            shape.rank = self.symbols.fresh(
                f"rank of {tensor.name or 'tensor'}",
                "lost" if shape.vague or tensor.operation or tensor.sources else "rank",
                0,
                8,
            )
            self.ranks[next(iter(shape.rank.symbols)).name] = shape
        return shape.rank

    def set_rank(self, tensor: Tensor, rank: int, kind: str = "") -> None:
        """Make the rank known; the sizes seen from either end find their places, the others are of this kind."""
        shape = tensor.shape
        if shape.dims is not None:
            return
        self.touch(shape)
        dims: list[Term] = []
        for axis in range(rank):
            front, back = shape.front.get(axis), shape.back.get(axis - rank)
            if front is not None and back is not None and front != back:
                self.assume(equal(front, back), "definition")
            known = front if front is not None else back
            dims.append(
                known
                if known is not None
                else self.fresh(f"{tensor.name or 'dim'}.{axis}", kind or shape.kind, 1, graph=tensor.graph)
            )
        shape.dims = tuple(dims)
        if shape.rank is not None:
            self.assume(equal(shape.rank, rank), "definition")

    def dimension(self, tensor: Tensor, axis: int) -> Term:
        """One dimension; of a tensor of unknown rank too. Raises IndexError outside a known rank."""
        shape = tensor.shape
        if shape.dims is not None:
            return shape.dims[axis]
        known = shape.front if axis >= 0 else shape.back
        if axis not in known:
            self.touch(shape)
            label = f"{tensor.name or 'tensor'}.{axis}"
            known[axis] = self.fresh(label, shape.kind, 1, graph=tensor.graph)
        return known[axis]

    def tensor_of(self, value: Unknown, framework: str) -> Tensor:
        """The unknown value, used as a tensor: always the same tensor."""
        if value.tensor is None:
            self.touch(value)
            shape = Shape(None, vague=not value.known_source)
            value.tensor = Tensor(shape, None, framework, site=self.site(), name=value.label or "tensor")
            value.tensor.written = not value.known_source  # its elements are no free choice, as far as is known
        return value.tensor

    def term_of(self, value: Value, label: str = "size") -> Term | None:
        """The value as an integer term; None when it cannot be one."""
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, (int, Poly)):
            return value
        if isinstance(value, Unknown):
            if value.value is not None:
                return self.term_of(value.value[0])
            if value.pytype in ("bool", "str", "list", "dict", "other") or "." in value.kind:
                return None
            if value.term is None:
                self.touch(value)
                kind = {"flag": "flag", "param": "param", "data": "unknown"}.get(value.origin, "lost")
                kind = "derived" if value.factors and kind in ("flag", "param") else kind
                value.term = self.symbols.fresh(
                    value.label or label, kind, None, site=self.site() if self.frames else None, default=value.default
                )
            return value.term
        if isinstance(value, Tensor):
            if isinstance(value.value, (int, Poly)) and not isinstance(value.value, bool):
                return value.value
            if self.sampler is not None and isinstance(found := self.sampler.scalar(value), int):
                return int(found)
            if value.dims == ():
                return self.fresh(label, "unknown", None)
            return None
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return None

    # ------------------------------------------------------------------ conditions

    def assume(self, truth: Truth, kind: str = "branch", site: Site | None = None) -> None:
        """From here on `truth` holds on this path. A plain False ends the path."""
        if truth is True:
            return
        if truth is False:
            raise PathEnd
        self.path.conditions.append(Condition(truth, kind, site or self.site()))
        if isinstance(truth, Cond) and truth.kind == "eq":
            self._learn_rank(truth)

    def _learn_rank(self, truth: Cond) -> None:
        (value,) = truth.args
        names = [s.name for s in value.symbols]
        if len(names) == 1 and names[0] in self.ranks and len(value.terms) <= 2:
            coefficient = value.terms[0][1]
            if abs(coefficient) == 1:
                shape = self.ranks[names[0]]
                if shape.dims is None:
                    rank = -value.constant * coefficient
                    if 0 <= rank <= 8:
                        self.set_rank(
                            Tensor(shape, name="dim"), rank, "asked" if self.symbols.kind(names[0]) == "lost" else ""
                        )

    @property
    def choices(self) -> int:
        """How many answers so far are not the program's own: branches, and numbers that were made up."""
        return len(self.path.decisions) + (self.sampler.asked if self.sampler is not None else 0)

    @property
    def knows_objects(self) -> bool:
        """Whether the objects of a program are what its text makes of them: nobody else has given or changed them."""
        return not self.in_definition or self.nothing_given

    @property
    def certain(self) -> bool:
        return not (self.doubts or self.path.guessed) and all(d.free for d in self.path.decisions)

    @contextmanager
    def doubtful(self, doubt: bool) -> Iterator[None]:
        """Inside, nothing is certain if `doubt`."""
        self.doubts += doubt
        with Leaving(lambda: setattr(self, "doubts", self.doubts - doubt)):
            yield

    @contextmanager
    def guarded(self, guard: bool) -> Iterator[None]:
        """Inside, an exception is expected if `guard`."""
        self.guards += guard
        with Leaving(lambda: setattr(self, "guards", self.guards - guard)):
            yield

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Inside, TensorFlow infers the shapes of a graph, which it does more strictly than it runs operators."""
        self.compiled += 1
        try:
            yield
        finally:
            self.compiled -= 1

    def feasible(self) -> bool:
        """Whether some input leads here (undecided counts as no: then no error is reported)."""
        known = [c.truth for c in self.path.conditions if not c.deferred]
        return satisfiable(known, self.shared.effort) is True

    def refuse(self, message: str, node: ast.AST | None, operator: str) -> NoReturn:
        """Python raises here because of a shape: unpacking, or an index that does not exist."""
        if not self.feasible():
            raise PathEnd
        site = self.site(node)
        problem = Diagnostic(
            "tracing/incompatible-shape", "error", message, site, operator, certain=self.certain, callers=self.callers()
        )
        raise ShapeFailure(problem)

    def report(self, problem: Diagnostic) -> None:
        if self.speculating or any(d.origin == "rank" and not d.taken for d in self.path.decisions):
            return  # one example instead of a batch: only what works there tells anything
        if any(d.origin == "guess" for d in self.path.decisions):
            return
        if problem.site.path.startswith(MARK):
            return  # a library's own matter
        if self.sampler is not None:
            guessed = self.path.guessed or any(d.origin != "flag" for d in self.path.decisions)
            if self.doubts or self.sampler.rests_on == INVENTED or (guessed and problem.rule in GUESS_FREE):
                return
            problem = replace(problem, tier=GUESSED_RUN if guessed else SAMPLED_RUN, certain=False)
        if problem.level == "error" and not problem.tier:
            assumed = any(d.origin == "rank" for d in self.path.decisions)
            tier = tier_of(self.path.decisions, self.defaults, self.in_definition)
            joint = is_joint(self.path.decisions, self.in_definition)
            several = is_joint_in_data(self.path.decisions)
            sized = any(d.origin == "size" for d in self.path.decisions)
            problem = replace(problem, tier=tier, assumed=assumed, joint=joint, joint_in_data=several, sized=sized)
        if self.made_up and problem.level != "note":
            problem = replace(problem, unreached=not problem.own_sizes)
        self.reported |= {problem.place, problem.place[:3]}
        place = problem.place[:3]
        nth = problem.nth if problem.nth >= 0 else self.passed[place]
        self.failed_nth[place] = min(nth, self.failed_nth.get(place, nth))
        self.shared.keep(replace(problem, before=self.passed[problem.place], nth=nth))

    def advise(
        self, rule: str, message: str, site: Site | None = None, operator: str = "", sentences: Sequence[str] = ()
    ) -> None:
        self.report(Diagnostic(rule, "note", message, site or self.site(), operator, tuple(sentences), self.certain))

    # ------------------------------------------------------------------ truth

    def _choose(self, site: Site, origin: str, text: str, default: bool, rank: bool = False) -> bool:
        """A branch of a library that no caller chooses is followed on one side, and nothing is proved behind it.

        Where it asks for a `rank` that is not known, what is behind it may be the other side's matter alone.
        """
        aside = site.path.startswith(MARK) and origin != "param"
        self.shared.asks_values = self.shared.asks_values or origin in ("data", "imprecise")
        told = ("guess" if rank else "imprecise") if aside and origin != "flag" else origin
        return self.path.choose(site, told, text, default, imported=aside)

    def decide(self, value: Value, node: ast.AST | None = None, text: str = "") -> bool:
        """Python's truth of a value; where it is open, the path takes one side."""
        self.read(value)
        truth = truth_of(value)
        if truth is not None:
            return truth
        if self.in_wrapper and not isinstance(value, (Cond, Tensor)) and getattr(value, "origin", "") not in FREE:
            raise SeenThrough
        site = self.site(node)
        text = text or (wording_of(node) if isinstance(node, ast.expr) else "")
        if isinstance(value, Cond):
            if self.path.assumes(value):
                return True
            if self.path.assumes(negate(value)):
                return False
            asks = any(symbol.name in self.ranks for symbol in value.symbols)  # for a rank that nobody gives
            taken = self._choose(site, origin_of(self.symbols, value), text, default_of(self.symbols, value), asks)
            self.assume(value if taken else negate(value), "branch", site)
            return taken
        if isinstance(value, Test):
            default = likely(value)
            if site.path.startswith(MARK) and value.operation == "==" and value.subject.default is None:
                default = value.negated  # of many constants that a library asks for, one is given
            taken = self._choose(site, value.origin, text, default)
            if value.subject.element is not None:
                self._only(of_test(value.subject, value.constant, value.negated), taken, value.subject)
            self.settle(value, taken)
            return taken
        if isinstance(value, Unknown):
            default = bool(value.default) if value.default is not None else value.origin not in ("flag",)
            taken = self._choose(site, value.origin, text, default)
            if value.element is not None:
                self._only(sides(value), taken, value)
            self.touch(value)
            value.truth = taken
            return taken
        if isinstance(value, Tensor):
            if self.sampler is not None and (found := self.sampler.scalar(value)) is not None:
                return bool(found)
            if id(value) not in self.path.truths:
                taken = self._choose(site, value.origin, text, True)
                self._only(sides(value), taken, value)
                self.path.truths[id(value)] = (value, taken)
            return self.path.truths[id(value)][1]
        return self._choose(site, "imprecise", text, True)

    def _only(self, possible: Sides, taken: bool, asked: Value) -> None:
        """Nothing is proved behind a truth that data may never have, for all that is known."""
        answered = self.path.answered
        decides = leaves(asked)
        again = any(answered.get(leaf, asked) is not asked for leaf in decides)  # what the first answer tells of it
        answered.update(dict.fromkeys(decides, asked))
        if again or not possible[taken]:
            self.path.doubt()

    def settle(self, test: Test, taken: bool) -> None:
        """Record the outcome of a comparison with its subject."""
        self.touch(test)
        self.touch(test.subject)
        settled(test, taken)


def may_be_true(tr: Tracer, asked: Value) -> bool:
    """Whether data or a caller can make it true, for all that is known."""
    if isinstance(asked, Cond):
        return origin_of(tr.symbols, asked) != "imprecise"
    if isinstance(asked, Test) and asked.subject.element is not None:
        return of_test(asked.subject, asked.constant, asked.negated)[True]
    if isinstance(asked, Tensor) or (isinstance(asked, Unknown) and asked.element is not None):
        return sides(asked)[True]
    return getattr(asked, "origin", "") != "imprecise"
