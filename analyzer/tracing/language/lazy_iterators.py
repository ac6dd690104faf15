"""Iterators that do something when they are asked: one element, all elements, an end."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from analyzer.tracing.language.evaluation import ELEMENTS, call, get_attribute, iterate, seen
from analyzer.tracing.language.plain_data import MOST_ITEMS
from analyzer.tracing.language.values import CHILDREN, Instance, Iterator_, Layer, Lazy, ListV, Object, Unknown, Value
from analyzer.tracing.paths.agreement import same_but_for_new_sizes
from analyzer.tracing.paths.paths import Undecided
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import MOST_DEPTH, Tracer

FEW = 3  # elements of an iterator whose end is not known that are looked at where all are asked for
LONG = 6_000  # steps behind which elements that repeat are no longer asked for
MOST_SUSPENDED = 5_000  # generators that wait in the middle of their bodies
MOST_YIELDS = 256  # of a generator that are followed where all are asked for, a loader's batches say


# ------------------------------------------------------------------------------------------- one element


def ask(tr: Tracer, lazy: Lazy, sent: Value = None, thrown: PyRaise | None = None) -> Value:
    """The next element. Raises StopIteration at the end, and what the iterator raises."""
    tr.step()
    if tr.speculating and tr.trial not in lazy.inside:
        raise Undecided  # what it does cannot be taken back
    if lazy.running:
        raise PyRaise("ValueError", "generator already executing")
    tr.touch(lazy)
    lazy.taken += 1
    if thrown is not None and (lazy.finished or lazy.taken == 1):
        lazy.finished = True
        raise thrown
    if lazy.lost:
        return _not_followed(tr, lazy)
    if lazy.finished:
        return _after_its_end(tr, lazy)
    if len(tr.frames) > MOST_DEPTH or tr.suspended > MOST_SUSPENDED:
        tr.note(f"More than {MOST_DEPTH} calls and generators in each other, or {MOST_SUSPENDED} at once.")
        lazy.lost = True
        return _not_followed(tr, lazy)
    lazy.running = True
    try:
        value = lazy.proceed(tr, sent, thrown)
    except StopIteration:
        lazy.finished, lazy.running = True, False
        lazy.look()
        return _after_its_end(tr, lazy)
    except PyRaise:
        lazy.finished, lazy.running = lazy.ends_by_exceptions, False
        raise
    except BaseException:
        lazy.lost, lazy.running = True, False
        raise
    lazy.running = False
    lazy.look()
    lazy.last = (value,)
    return value


def _after_its_end(tr: Tracer, lazy: Lazy) -> Value:
    """Of one that was not followed to its end the last element stands for those to come."""
    if not lazy.endless:
        raise StopIteration
    lazy.doubtful = True
    return lazy.last[0] if lazy.last else tr.unknown("an element")


def _not_followed(tr: Tracer, lazy: Lazy) -> Value:
    """What an iterator gives of which it is not known where it stands; nothing behind is proved."""
    tr.path.choose(tr.site(), "imprecise", "what an iterator does", True, imported=True)
    lazy.endless = lazy.doubtful = True
    return tr.unknown("an element")


def asked(tr: Tracer, lazy: Lazy) -> Iterator[Value]:
    """What is left, as it is asked for."""
    while True:
        try:
            value = ask(tr, lazy)
        except StopIteration:
            return
        yield value


# ------------------------------------------------------------------------------------------ going through


def known_elements(sequence: Value) -> int | None:
    """How many elements are seen themselves; later ones get a representative. None if all are."""
    if isinstance(sequence, (Layer, Instance)):
        sequence = sequence.attrs.get(CHILDREN)
    if isinstance(sequence, ListV):
        return 0 if sequence.doubtful else len(sequence.items) if sequence.open else None
    if isinstance(sequence, Iterator_):
        return sequence.known
    return 1 if isinstance(sequence, Unknown) else None


def iter_forever(tr: Tracer, make: Callable[[], Value]) -> Iterator[Value]:
    while True:
        tr.step()
        yield make()


@dataclass(frozen=True, slots=True)
class Passage:
    """Elements as they are asked for, and what is known meanwhile of those to come."""

    items: Iterator[Value]
    lazy: Lazy | None = None
    without_end: bool = False
    first: int | None = None  # elements that are no representatives, of those without a known end

    @property
    def endless(self) -> bool:
        return self.lazy.endless if self.lazy is not None else self.without_end

    @property
    def known(self) -> int | None:
        return self.lazy.known if self.lazy is not None else self.first

    @property
    def doubtful(self) -> bool:
        """Whether the last element stands for others, of which there may be none."""
        return self.lazy is not None and self.lazy.doubtful

    @property
    def most(self) -> int:
        """How many elements are looked at where all are asked for."""
        return self.lazy.most if self.lazy is not None else MOST_ITEMS

    def drain(self, tr: Tracer) -> None:
        """Further elements are not looked at, but what is done for them is."""
        if self.lazy is not None:
            drain(tr, self.lazy)


def step_through(tr: Tracer, value: Value, node: ast.AST | None) -> Passage:
    """The elements one by one: what an iterator does for one is done when it is asked for it, not before."""
    value = seen(value)
    if isinstance(value, Instance):
        if value.cls.find("__iter__"):
            found = seen(call(tr, get_attribute(tr, value, "__iter__"), (), {}))
            if not isinstance(found, Instance):
                return step_through(tr, found, node)
            value = found if found is value or found.cls.find("__next__") else tr.unknown("an iterator")
        if isinstance(value, Instance) and value.cls.find("__next__"):
            value = _by_method(tr, value)
    if isinstance(value, Lazy):
        return Passage(asked(tr, value), value)
    items, endless = iterate(tr, value, node)
    return Passage(items, None, endless, known_elements(value))


def is_lazy(value: Value) -> bool:
    """Whether going through it may do something for each element."""
    if isinstance(value, Instance):
        return bool(value.cls.find("__iter__") or value.cls.find("__next__"))
    return isinstance(value, Lazy)


@ELEMENTS.of(Lazy)
def _all_of(tr: Tracer, value: Lazy, node: ast.AST | None) -> tuple[Iterator[Value], bool]:
    """All that is left at once; where there may be more, the last stands for them."""
    if value.whole is not None and not value.begun:
        return _at_once(tr, value, value.whole)
    found: list[Value] = []
    take_into(tr, found, value)
    if not value.endless:
        return iter(found), False
    return chain(found, iter_forever(tr, lambda: found[-1] if found else tr.unknown("an element"))), True


def take_into(tr: Tracer, items: list[Value], value: Lazy) -> None:
    """Put all that is left into a list, each before the next is asked for: what makes that may look at the list."""
    before, begun = len(items), tr.shared.steps
    most = value.most if value.whole is None else MOST_ITEMS  # of an expression's elements all are known
    for element in asked(tr, value):
        items.append(element)
        count = len(items) - before
        long = tr.shared.steps - begun >= LONG and count > FEW and same_but_for_new_sizes(items[-1], items[-2])
        if count >= most or long or (value.endless and count >= FEW):
            drain(tr, value)
            break


def _at_once(
    tr: Tracer, value: Lazy, whole: Callable[[Tracer], tuple[list[Value], bool]]
) -> tuple[Iterator[Value], bool]:
    if tr.speculating and tr.trial not in value.inside:
        raise Undecided
    tr.touch(value)
    value.taken, value.finished = 1, True
    items, value.endless = whole(tr)
    value.last = tuple(items[-1:])
    return iter(items), value.endless


def drain(tr: Tracer, lazy: Lazy) -> None:
    """Let an iterator come to its end; how many elements it gives is not known then."""
    if lazy.finished or lazy.lost or lazy.running:
        return
    lazy.leave(tr)
    if not lazy.finished:
        try:
            ask(tr, lazy)
        except StopIteration:
            pass
        except PyRaise as error:
            if error.name != "GeneratorExit":
                raise
    lazy.finished = lazy.endless = True


def close(tr: Tracer, lazy: Lazy) -> None:
    """`close()` of a generator, or that nothing refers to it any more."""
    if lazy.lost:
        _not_followed(tr, lazy)
    if not lazy.begun or lazy.finished or lazy.lost:
        lazy.finished, lazy.endless = True, False
        return
    try:
        ask(tr, lazy, None, PyRaise("GeneratorExit"))
    except StopIteration:
        pass
    except PyRaise as error:
        if error.name != "GeneratorExit":
            raise
    else:
        raise PyRaise("RuntimeError", "generator ignored GeneratorExit")
    lazy.endless = False


def given_up(tr: Tracer, value: Value, node: ast.AST | None) -> None:
    """Call where the expression `node` has made the iterator and nothing refers to it any more: it is closed."""
    if not tr.unsettled or not isinstance(value, Lazy) or node is None or value.node is not node:
        return
    parts = node.args if isinstance(node, ast.Call) else ()
    if value in tr.unsettled:
        close(tr, value)
    for source, part in zip(value.sources, parts, strict=False):
        given_up(tr, source, part)


def dropped(tr: Tracer, values: Iterable[Value], site: Site | None = None) -> None:
    """Call where names of them end: a generator that does something when it is closed may do it there or later.

    What it does is not followed then, and nothing behind is proved.
    """
    if not tr.unsettled:
        return
    pending = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, Lazy):
            pending.extend(value.sources)
        if value in tr.unsettled:
            tr.unsettled.remove(value)
            tr.path.choose(site or tr.site(), "imprecise", "when a generator is closed", True, imported=True)


def is_plain_iterator(value: Value) -> bool:
    """Whether it is a generator or a builtin iterator for certain, and no decorator has made another thing of it."""
    function = getattr(value, "function", None)
    return isinstance(value, Lazy) and (function is None or not (function.decorated or function.wrapped is not None))


# ------------------------------------------------------------------------------------ iterators of others


class Derived(Lazy):
    """An iterator over others, which it asks when it is asked."""

    __slots__ = ("passages", "told", "vague")
    passages: list[Passage]
    told: Callable[[Sequence[Passage]], tuple[bool, int | None]]
    vague: bool  # from here on elements stand for others

    def begin(self) -> None:
        if self._source is None:
            self._source = self.items()

    def proceed(self, tr: Tracer, sent: Value, thrown: PyRaise | None) -> Value:
        self.begin()
        assert self._source is not None
        return next(self._source)

    @property
    def ends_by_exceptions(self) -> bool:
        return False

    def leave(self, tr: Tracer) -> None:
        for passage in self.passages:
            passage.drain(tr)
        self.finished = True

    def look(self) -> None:
        self.endless, self.known = self.told(self.passages)
        self.doubtful = self.vague or any(p.doubtful for p in self.passages)
        self.endless = self.endless or self.vague


def all_endless(passages: Sequence[Passage]) -> tuple[bool, int | None]:
    """Of an iterator that ends with the first of the others."""
    known = [p.known for p in passages if p.known is not None]
    return bool(passages) and all(p.endless for p in passages), min(known, default=None)


def any_endless(passages: Sequence[Passage]) -> tuple[bool, int | None]:
    """Of an iterator that ends with the last of the others."""
    return any(p.endless for p in passages), None


def derived(
    tr: Tracer, values: Sequence[Value], make: Callable[[Derived, list[Iterator[Value]]], Iterator[Value]],
    node: ast.AST | None,
    told: Callable[[Sequence[Passage]], tuple[bool, int | None]] = all_endless,
) -> Value:  # fmt: skip
    """An iterator over what `make` makes of the elements of others, which are begun when it is."""
    depth = 1 + max((v.depth for v in values if isinstance(v, Lazy)), default=0)
    if depth > MOST_DEPTH:
        return tr.unknown("an iterator")

    def items() -> Iterator[Value]:
        made.passages = [step_through(tr, value, node) for value in values]
        return make(made, [passage.items for passage in made.passages])

    made: Derived = tr.made(Derived(items, node=node, sources=tuple(values), depth=depth))
    made.most = min((v.most for v in values if isinstance(v, Lazy)), default=made.most)
    made.passages, made.told, made.vague = [], told, False
    return made


def _by_method(tr: Tracer, value: Instance) -> Lazy:
    """What an iterator of the program gives, as it is asked; once something had to be decided, what it may give."""
    step = get_attribute(tr, value, "__next__")

    def items(made: Derived, _: list[Iterator[Value]]) -> Iterator[Value]:
        while True:
            decided = len(tr.path.decisions)
            try:
                found = call(tr, step, (), {})
            except PyRaise as error:
                if error.name != "StopIteration":
                    raise
                return
            chosen = len(tr.path.decisions) > decided  # by the method: what the loop's body decides is not its matter
            yield found
            made.vague = made.vague or chosen

    made = derived(tr, (), items, None, any_endless)
    assert isinstance(made, Lazy)
    made.most = MOST_YIELDS
    return made


def first_of(tr: Tracer, value: Value, node: ast.AST | None, otherwise: Value = None) -> Value:
    """The next element, or what stands for it."""
    return next(step_through(tr, value, node).items, otherwise)


def at_its_end(value: Value) -> PyRaise:
    """`StopIteration`, with what a generator has returned."""
    returned = getattr(value, "returned", None)
    held = Object("exception", {"args": () if returned is None else (returned,), "value": returned})
    held.data["name"] = "StopIteration"
    return PyRaise("StopIteration", "an iterator has no more elements", held)
