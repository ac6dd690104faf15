"""The state of a trace and the few acts that every part of the interpreter shares: decide, require, note, undo."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NoReturn

from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.tensors import INVENTED, Tensor
from analyzer.tracing.language.truths import Test, likely, truth_of
from analyzer.tracing.language.values import (
    FREE,
    Unknown,
    Value,
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
from analyzer.tracing.paths.frames import Leaving
from analyzer.tracing.paths.paths import PathEnd, SeenThrough
from analyzer.tracing.paths.problems import GUESS_FREE, GUESSED_RUN, SAMPLED_RUN, Diagnostic, ShapeFailure
from analyzer.tracing.paths.questions import Sides, of_test, sides
from analyzer.tracing.paths.sizes import Sizes
from analyzer.tracing.paths.solver import satisfiable
from analyzer.tracing.paths.symbols import Site
from analyzer.validity.terms import Cond, negate

APPLICATION = 10  # steps that one operator application counts for
MOST_DEPTH = 48  # calls within calls; each takes some ten of Python's frames


class Tracer(Sizes):
    """One run along one path."""

    @property
    def choices(self) -> int:
        """How many answers so far are not the program's own: branches, and numbers that were made up."""
        return len(self.path.decisions) + (self.sampler.asked if self.sampler is not None else 0)

    @property
    def knows_objects(self) -> bool:
        """Whether the objects of a program are what its text makes of them: nobody else has given or changed them."""
        return not self.in_definition or self.nothing_given

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
