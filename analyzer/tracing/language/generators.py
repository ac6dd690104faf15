"""Generators: a body that runs up to its next yield whenever it is asked, and waits there."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.evaluation import Returned, Steps, block_steps
from analyzer.tracing.language.lazy_iterators import MOST_YIELDS
from analyzer.tracing.language.plain_data import MOST_ITEMS
from analyzer.tracing.language.suspended_bodies import evaluate_steps
from analyzer.tracing.language.values import Class, DictV, Function, Lazy, ListV, Scope, Value
from analyzer.tracing.paths.frames import Frame
from analyzer.tracing.paths.paths import Journal
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

Start = Callable[[Tracer], tuple[Frame, Steps]]


@dataclass(eq=False, slots=True)
class Suspended:
    """A body that has begun, and what was around the place where it waits: it goes on inside of the same."""

    frame: Frame
    steps: Steps
    journals: list[Journal] = field(default_factory=list)
    doubts: int = 0
    guards: int = 0

    def go_on(self, tr: Tracer, sent: Value, thrown: PyRaise | None) -> Value:
        """Up to the next yield. Raises StopIteration at the end, and what the body raises."""
        journals, doubts, guards, in_wrapper, depth = tr.journals, tr.doubts, tr.guards, tr.in_wrapper, len(tr.frames)
        tr.journals = [*journals, *self.journals]
        tr.doubts, tr.guards = doubts + self.doubts, guards + self.guards
        tr.in_wrapper = in_wrapper and self.frame.path.startswith(MARK)
        tr.frames.append(self.frame)
        try:
            return self.steps.throw(thrown) if thrown is not None else self.steps.send(sent)
        finally:
            outer = set(map(id, journals))
            self.journals = [j for j in tr.journals if id(j) not in outer]
            self.doubts, self.guards = tr.doubts - doubts, tr.guards - guards
            tr.journals, tr.doubts, tr.guards, tr.in_wrapper = journals, doubts, guards, in_wrapper
            del tr.frames[depth:]


class Generator(Lazy):
    """A generator, or the context manager that one is wrapped as. `start` gives its frame and its body anew."""

    __slots__ = ("again", "body", "function", "leaving", "returned", "start")
    start: Start
    function: Function | None
    body: Suspended | None
    returned: Value  # what it returns at its end
    leaving: bool
    again: Callable[[], Generator] | None  # another one of the same call, of a context manager

    def proceed(self, tr: Tracer, sent: Value, thrown: PyRaise | None) -> Value:
        body = self.body
        if body is None or self.taken == 1:
            frame, steps = self.start(tr)
            frame.leaving = self.leaving
            body = self.body = Suspended(frame, steps)
            tr.suspended += 1
        elif sent is None and thrown is None and self._is_sent_what_is_not_known():
            sent = tr.unknown("what is sent to a generator")
        try:
            value = body.go_on(tr, sent, thrown)
        except StopIteration as end:
            self.returned = end.value.value if isinstance(end.value, Returned) else None
            self._end(tr)
            raise
        except PyRaise as error:
            self._end(tr)
            error.path = error.path or body.frame.path
            if error.name == "StopIteration":
                raise PyRaise("RuntimeError", "generator raised StopIteration") from error
            raise
        if body.frame.pending and self not in tr.unsettled:
            tr.unsettled.append(self)
        elif not body.frame.pending and self in tr.unsettled:
            tr.unsettled.remove(self)
        return value

    def _end(self, tr: Tracer) -> None:
        tr.suspended -= 1
        if self in tr.unsettled:
            tr.unsettled.remove(self)

    def _is_sent_what_is_not_known(self) -> bool:
        """Whether a decorator that is not known may go through it in its own way."""
        return self.function is not None and (self.function.decorated or self.function.wrapped is not None)

    @property
    def ends_by_exceptions(self) -> bool:
        return True

    @property
    def expects(self) -> bool:
        """Whether an exception is expected where it waits."""
        return self.body is not None and self.body.guards > 0

    @property
    def pending(self) -> bool:
        """Whether it does something when it is closed where it waits."""
        return self.body is not None and not self.finished and self.body.frame.pending > 0

    def leave(self, tr: Tracer) -> None:
        self.leaving = True
        if self.body is not None and self.begun:
            self.body.frame.leaving = True

    def look(self) -> None:
        if self.body is None:
            return
        frame = self.body.frame
        self.endless = frame.cut or frame.endless > 0 or frame.forever > 0
        self.known = MOST_ITEMS if self.endless and not frame.cut and not frame.endless else None
        self.doubtful = frame.vague > 0 or self.body.doubts > 0


def generator_of(tr: Tracer, start: Start, function: Function | None, node: ast.AST | None) -> Generator:
    made: Generator = tr.made(Generator(_no_items, node=node, most=MOST_YIELDS))
    made.start, made.function, made.body, made.returned, made.leaving, made.again = (
        start,
        function,
        None,
        None,
        False,
        None,
    )
    return made


def _no_items() -> Value:
    raise NotImplementedError


def generator(
    tr: Tracer, function: Function, names: dict[str, Value], cls: Class | None, args: tuple[Value, ...],
    contracts: tuple[dict[str, Value] | None, dict[str, Value] | None], node: ast.AST | None,
) -> Generator:  # fmt: skip
    """What the call of a generator function gives: nothing of its body is done yet."""

    def start(tr: Tracer) -> tuple[Frame, Steps]:
        scope: Scope = tr.made(Scope(function.scope, function.scope.globals))
        scope.names.update(names)
        first = args[0] if args else None
        line = function.node.lineno
        frame = Frame(scope, function.path, function.name, cls or function.owner, first, function, line=line)
        frame.sizes, frame.documented = (None if known is None else dict(known) for known in contracts)
        frame.given = args
        body = function.node.body
        return frame, _result(tr, body) if isinstance(body, ast.expr) else block_steps(tr, body)

    made = generator_of(tr, start, function, node)
    made.held = tuple(value for value in names.values() if isinstance(value, (ListV, DictV)))
    if function.kind == "contextmanager":
        made.again = lambda: generator(tr, function, names, cls, args, contracts, None)
    return made


def _result(tr: Tracer, node: ast.expr) -> Steps:
    return Returned((yield from evaluate_steps(tr, node)))
