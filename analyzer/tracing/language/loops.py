"""Loops: constant bounds fully, unknown bounds until nothing changes any more, a budget in between."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from analyzer.tracing.language.appended import completed
from analyzer.tracing.language.assignment import assign
from analyzer.tracing.language.branches import condition
from analyzer.tracing.language.evaluation import (
    BREAK,
    Returned,
    Signal,
    Steps,
    block_steps,
    finished,
    holds_yield,
    run_block,
)
from analyzer.tracing.language.lazy_iterators import given_up, step_through
from analyzer.tracing.language.loop_variables import selects, takes_rows, targets_of, turning_points
from analyzer.tracing.language.own_parts import breaks, returns
from analyzer.tracing.language.plain_data import MOST_ITEMS
from analyzer.tracing.language.suspended_bodies import evaluate_steps, held
from analyzer.tracing.language.tensors import INVENTED, Shape, Tensor
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import DequeV, DictV, Iterator_, Layer, ListV, Scope, Unknown
from analyzer.tracing.paths.agreement import alike, same_but_for_new_sizes
from analyzer.tracing.paths.frames import Frame, Leaving
from analyzer.tracing.paths.paths import Journal, PathEnd, RoundNotTaken
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer, may_be_true
from analyzer.validity.terms import Poly, equal

FULL_ROUNDS = 100  # rounds of a loop with constant bounds that are followed whatever they cost
LOOP_STEPS = 6_000  # that a loop of more rounds may take
SAMPLED_STEPS = 60_000  # below which a run on made-up numbers, which hangs on each element, leaves no round out
CHEAP_STEPS = 1_000  # below which a loop is not cut short although its rounds are alike
INDEXED_ROUNDS = 16  # before one is cut short that takes elements of tensors by its variable
TURNING_STEPS = 24_000  # that a loop may take to come to the round for which its body asks
FEW_ROUNDS = 3  # rounds of a loop whose bounds nobody knows


def for_steps(tr: Tracer, node: ast.For) -> Steps:
    sequence = yield from evaluate_steps(tr, node.iter)
    passage = step_through(tr, sequence, node.iter)
    frame, inside = tr.frame, holds_yield(node.body)
    stops = False  # before the round that was begun
    rounds, since, begun = 0, 0, tr.shared.steps  # since: rounds without an element for whoever asks a generator
    seen, decided = _Changes(node), len(tr.path.decisions)
    for item in passage.items:
        rounds, since = rounds + 1, since + 1
        tr.step()
        known, given = passage.known, frame.given_out
        stands = passage.doubtful or (known is not None and rounds > known)
        further = passage.endless and rounds > max(known or 0, 1)
        with (
            tr.undoable() as journal,
            tr.doubtful(stands),
            unending(frame, passage.endless, known, stands),
            going_on(frame, further),
        ):
            try:
                assign(tr, node.target, item)
                signal = (yield from block_steps(tr, node.body)) if inside else run_block(tr, node.body)
            except PyRaise:
                given_up(tr, sequence, node.iter)
                raise
            except RoundNotTaken:
                if not further:
                    raise
                tr.unwind(frame)
                signal, stops = None, True
        changes = seen.add(journal)
        if stops:
            break
        if signal is not None and signal != "continue":
            given_up(tr, sequence, node.iter)
            return None if signal == BREAK else signal
        if frame.given_out > given and not frame.leaving:
            since, begun = 0, tr.shared.steps
            continue  # whoever asks for elements says how many rounds there are
        steps, endless = tr.shared.steps - begun, passage.endless
        each = not endless or (known is not None and rounds < known)  # an element that is seen itself comes next
        if frame.leaving and inside:
            break
        if each and (since < 8 or steps < CHEAP_STEPS):
            continue
        if tr.sampler is not None and not endless and 0 < steps * _rounds(sequence) <= SAMPLED_STEPS * since:
            continue
        if endless and (since >= FEW_ROUNDS or (not changes and since >= 1)):
            break
        settled = _only_counts(changes) or (since >= 8 and seen.settled)
        if not endless and since >= 2 and settled and _rest_is_alike(tr, node, sequence, rounds, steps):
            break
        if since >= FULL_ROUNDS and steps >= LOOP_STEPS:
            tr.note(f"line {node.lineno}: the loop is followed for {rounds} rounds")
            break
    else:
        return (yield from block_steps(tr, node.orelse)) if holds_yield(node.orelse) else run_block(tr, node.orelse)
    passage.drain(tr)
    _leave_out(tr)
    left = _length(sequence) - rounds
    if left > 0:
        _guess_of_rest(tr, node, decided)
    _widen(tr, [c for c in seen.possible(tr) if not _completed(tr, node, rounds, left, c)])
    return (yield from block_steps(tr, node.orelse)) if holds_yield(node.orelse) else run_block(tr, node.orelse)


def run_for(tr: Tracer, node: ast.For) -> Signal:
    return finished(for_steps(tr, node))


@contextmanager
def unending(frame: Frame, endless: bool, known: int | None, stands: bool) -> Iterator[None]:
    """Inside, what a generator yields has no end that is known, where the loop has none."""
    infinite = endless and known is not None and known >= MOST_ITEMS
    vague = endless and not infinite
    frame.forever, frame.endless, frame.vague = frame.forever + infinite, frame.endless + vague, frame.vague + stands
    with Leaving(lambda: _ended(frame, infinite, vague, stands)):
        yield


def _ended(frame: Frame, infinite: bool, vague: bool, stands: bool) -> None:
    frame.forever, frame.endless, frame.vague = frame.forever - infinite, frame.endless - vague, frame.vague - stands


@contextmanager
def going_on(frame: Frame, further: bool) -> Iterator[None]:
    """Inside, nothing says that the loop comes to this round, where it is a further one."""
    frame.further += further
    with Leaving(lambda: setattr(frame, "further", frame.further - further)):
        yield


def _rest_is_alike(tr: Tracer, node: ast.For, sequence: Any, rounds: int, steps: int) -> bool:
    """Whether the rounds to come do what those before did, as far as the text tells."""
    if steps < TURNING_STEPS and any(rounds <= number < FULL_ROUNDS for number in turning_points(tr, node)):
        return False
    if not selects(node):
        return True
    last = _length(sequence) - 1
    if isinstance(sequence, Iterator_):
        last = sequence.bounds[0] + last * sequence.bounds[2]
    return rounds >= INDEXED_ROUNDS and steps >= LOOP_STEPS and takes_rows(tr, node, last)


def _length(sequence: Any) -> int:
    """How many elements there are; zero where that is not known."""
    if isinstance(sequence, ListV) and not sequence.open:
        return len(sequence.items)
    if isinstance(sequence, Iterator_) and isinstance(sequence.length, int) and not sequence.endless:
        return sequence.length
    return len(sequence) if isinstance(sequence, tuple) else 0


def _rounds(sequence: Any) -> int:
    """How many rounds a loop has that is followed to its end; zero where that is not known."""
    rows = sequence.dims[0] if isinstance(sequence, Tensor) and sequence.dims else 0
    return rows if isinstance(rows, int) and rows else _length(sequence)


def _completed(tr: Tracer, node: ast.For, rounds: int, left: int, change: Change) -> bool:
    holder, _, old, _ = change
    return type(holder) is ListV and isinstance(old, list) and completed(tr, node, rounds, left, old, holder)


def while_steps(tr: Tracer, node: ast.While) -> Steps:
    rounds, unknown_rounds, begun = 0, 0, tr.shared.steps
    frame, inside = tr.frame, holds_yield(node.body)
    always = isinstance(node.test, ast.Constant) and bool(node.test.value)
    seen, decided = _Changes(node), len(tr.path.decisions)
    while True:
        asked = condition(tr, (yield from held(tr, node.test)))
        truth = truth_of(asked)
        if truth is False:
            break
        if truth is None or always:
            unknown_rounds += 1
        rounds += 1
        tr.step()
        given = frame.given_out
        further = truth is None and unknown_rounds > 1
        never = truth is None and not may_be_true(tr, asked)
        with (
            tr.undoable() as journal,
            tr.doubtful(never),
            unending(frame, truth is None or always, MOST_ITEMS * always, truth is None),
            going_on(frame, further),
        ):
            try:
                signal = (yield from block_steps(tr, node.body)) if inside else run_block(tr, node.body)
            except RoundNotTaken:
                if not further:
                    raise
                tr.unwind(frame)
                signal, unknown_rounds = None, FEW_ROUNDS
        changes = seen.add(journal)
        if signal == BREAK:
            return None
        if signal is not None and signal != "continue":
            return signal
        if frame.given_out > given and not frame.leaving:
            rounds, unknown_rounds, begun = 0, 0, tr.shared.steps
            continue
        long = tr.shared.steps - begun >= LOOP_STEPS and (rounds >= FULL_ROUNDS or (rounds >= 8 and seen.settled))
        left = frame.leaving and inside
        if left and always and not breaks(node):
            raise PyRaise("GeneratorExit")  # it has no other end
        if left or (unknown_rounds and not changes) or unknown_rounds >= FEW_ROUNDS or long:
            if long:
                tr.note(f"line {node.lineno}: the loop is followed for {rounds} rounds")
            _leave_out(tr)
            if truth is True:
                _guess_of_rest(tr, node, decided)
            _widen(tr, seen.possible(tr))
            if always:
                return _by_its_end(tr, node)
            break
    return (yield from block_steps(tr, node.orelse)) if holds_yield(node.orelse) else run_block(tr, node.orelse)


def run_while(tr: Tracer, node: ast.While) -> Signal:
    return finished(while_steps(tr, node))


def _by_its_end(tr: Tracer, node: ast.While) -> Signal:
    """How an endless loop is left that is not followed to its end: by its `break`, or else by what it returns."""
    if breaks(node):
        return None
    if returns(node):
        return Returned(tr.unknown("what a loop returns that is not followed to its end"))
    raise PathEnd


def _guess_of_rest(tr: Tracer, node: ast.For | ast.While, decided: int) -> None:
    """Where all was known and no round left the loop, one that is not followed may: the rest is a guess."""
    if len(tr.path.decisions) == decided and (breaks(node) or returns(node)):
        tr.path.guessed = True


def _leave_out(tr: Tracer) -> None:
    """Rounds are left out: the elements that they would give are not those of a run on made-up numbers any more."""
    tr.frame.cut = True
    if tr.sampler is not None:
        tr.sampler.rests_on = INVENTED


class _Changes:
    """What the rounds of a loop have changed, and what those that are not followed may change."""

    def __init__(self, node: ast.For | ast.While) -> None:
        self.targets = targets_of(node.target) if isinstance(node, ast.For) else set()
        self.stored, self.filled = _stored(node), _filled(node)
        self.found: dict[tuple[int, Any], Change] = {}
        self.kept: set[str] = set()  # names that the last round has set anew, to the same
        self.before: dict[tuple[int, Any], list[Any]] = {}  # what the last rounds have changed each to
        self.settled = False  # the last round changed nothing but counters, and to what an earlier one had it already

    def add(self, journal: Journal) -> list[Change]:
        changes = changed_by(journal, self.targets)
        for holder, key, old, new in changes:
            first = self.found.get((id(holder), key))
            self.found[id(holder), key] = (holder, key, old if first is None else first[2], new)
        known = [self._known(change) or _only_counts([change]) for change in changes]  # each remembers its value
        self.settled = all(known)
        self.kept = {
            name
            for item, before in journal.saved.values()
            if isinstance(item, Scope)
            for name, value in item.names.items()
            if name not in before or before[name] is not value
        }
        return changes

    def _known(self, change: Change) -> bool:
        values = self.before.setdefault((id(change[0]), change[1]), [])
        known = any(same_but_for_new_sizes(change[3], value) for value in values)
        values[:] = [*values[-3:], change[3]]
        return known

    def possible(self, tr: Tracer) -> list[Change]:
        """All that was changed, as it is now, the names that some round may set although the last did not, and what
        some round may fill although none did."""
        scope, names = tr.frame.scope, tr.frame.scope.names
        some = self.stored - self.kept - self.targets  # set in some rounds only, so another may set them otherwise
        found = [c for c in self.found.values() if not (c[0] is scope and c[1] in some and _is_first(c))]
        seen = {c[1] for c in found if c[0] is scope}
        found += [(scope, name, _NOTHING, names[name]) for name in sorted(some) if name in names and name not in seen]
        for name in self.filled:
            holder = names.get(name)
            if isinstance(holder, (DictV, ListV)) and (id(holder), None) not in self.found:
                found.append((holder, None, _NOTHING, None))
        return [(holder, key, old, _now(holder, key, new)) for holder, key, old, new in found]


_NOTHING = object()  # before a change that was not seen


def _is_first(change: Change) -> bool:
    """Whether a name had no value before, or none but None, and has one that each round may choose."""
    return change[2] is None and not isinstance(change[3], Tensor)


def _now(holder: Any, key: Any, last: Any) -> Any:
    names = holder.names if isinstance(holder, Scope) else getattr(holder, "attrs", {})
    return names.get(key, last) if key is not None else last


@functools.lru_cache(maxsize=4096)
def _stored(node: ast.For | ast.While) -> frozenset[str]:
    """Names that the body of a loop binds."""
    return frozenset(
        n.id for part in node.body for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )


@functools.lru_cache(maxsize=4096)
def _filled(node: ast.For | ast.While) -> frozenset[str]:
    """Names of dictionaries and lists that the body of a loop may fill: `x[key] = value`, `x.append(value)`."""
    parts = [n for part in node.body for n in ast.walk(part)]
    items = {n.value.id for n in parts if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
             and isinstance(n.value, ast.Name)}  # fmt: skip
    methods = [n.func for n in parts if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return frozenset(items | {m.value.id for m in methods if m.attr in _FILLING and isinstance(m.value, ast.Name)})


_FILLING = ("append", "extend", "insert", "add", "update", "setdefault")


Change = tuple[Any, Any, Any, Any]  # holder, key, old, new


def changed_by(journal: Journal, ignored: set[str]) -> list[Change]:
    """What a round has changed, but for names that it sets anew each time."""
    changed: list[Change] = []
    for item, before in journal.saved.values():
        if isinstance(item, (Shape, Unknown, Iterator_)) or not hasattr(item, "state"):
            continue
        after = item.state()
        if isinstance(item, Scope):
            for name, value in after.items():
                if name not in ignored and (name not in before or not alike(before[name], value)):
                    changed.append((item, name, before.get(name), value))
        elif isinstance(item, ListV):
            if not alike(before, after):
                changed.append((item, None, before[0], after[0]))
        elif hasattr(item, "attrs"):
            for name, value in after[0].items():
                if name not in before[0] or not alike(before[0][name], value):
                    changed.append((item, name, before[0].get(name), value))
        elif hasattr(item, "items") and not alike(before, after):
            changed.append((item, None, before[0], after[0]))
    return changed


def _only_counts(changes: list[Change]) -> bool:
    """Whether a round changed nothing but counters and lists of results."""
    for holder, _, old, new in changes:
        if isinstance(holder, ListV):
            if not isinstance(old, list) or any(isinstance(v, (Layer,)) or _is_object(v) for v in new[len(old) :]):
                return False
        elif isinstance(new, (int, float, str, Unknown, Poly)) or new is None:
            continue
        elif (isinstance(old, Tensor) and isinstance(new, Tensor)) or not isinstance(holder, Scope) or old is not None:
            return False
    return True


def _is_object(value: Any) -> bool:
    return type(value).__name__ in ("Instance", "Layer", "Tensor")


def _widen(tr: Tracer, changes: list[Change]) -> None:
    """Forget what further rounds would change."""
    for holder, key, old, new in changes:
        if isinstance(holder, ListV) or key is None:
            tr.touch(holder)
            if old is not _NOTHING:
                _widen_items(tr, holder, old)
            holder.open = True
            continue
        value = _widened(tr, old, new)
        if value is not new:
            tr.touch(holder)
            names = holder.names if isinstance(holder, Scope) else holder.attrs
            names[key] = value


def _widen_items(tr: Tracer, holder: ListV | DictV, old: Any) -> None:
    """Forget what further rounds put in the place of items that were there before the loop, or take out."""
    if len(holder.items) < len(old) or isinstance(holder, DequeV):  # a queue may push out what it had
        holder.lose()
        return
    places = range(len(old)) if isinstance(holder, ListV) else [key for key in old if key in holder.items]
    for place in places:
        now = holder.items[place]
        if not alike(old[place], now):
            holder.items[place] = _widened(tr, old[place], now)


def _widened(tr: Tracer, old: Any, new: Any) -> Any:
    if old is _NOTHING:
        if isinstance(new, (bool, int, float, str, Poly, type(None))):
            return tr.unknown("changed by a loop", pytype=type(new).__name__ if isinstance(new, (float, str)) else "")
        if isinstance(new, Tensor):
            return Tensor(Shape(None, vague=True), None, new.framework, site=new.site, name=new.name, graph=new.graph)
        return tr.unknown("changed by a loop")
    if old is None:
        return new
    if isinstance(new, Tensor) and isinstance(old, Tensor):
        if old.dims is None or new.dims is None or len(old.dims) != len(new.dims):
            return Tensor(None, new.dtype, new.framework, site=new.site, name=new.name, graph=new.graph)
        dims = [
            b if equal(a, b) is True else tr.fresh("loop", "lost", 0) for a, b in zip(old.dims, new.dims, strict=True)
        ]
        return Tensor(
            dims, new.dtype, new.framework, site=new.site, name=new.name, graph=new.graph, sources=new.sources
        )
    if isinstance(new, bool) or new is None:
        return tr.unknown("changed by a loop")
    if isinstance(new, (int, float, str, Poly)):
        return tr.unknown("changed by a loop", pytype="int" if isinstance(new, (int, Poly)) else type(new).__name__)
    return new
