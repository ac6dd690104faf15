"""Tuples, lists, sets, dictionaries, comprehensions and formatted text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from contextlib import nullcontext
from itertools import islice
from typing import Any

from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.imports.modules import module_of
from analyzer.tracing.language.assignment import assign, name_expression
from analyzer.tracing.language.collected import as_set
from analyzer.tracing.language.container_values import exactly, is_exact
from analyzer.tracing.language.dictionary_objects import plain_store
from analyzer.tracing.language.evaluation import Steps, call, evaluate, get_attribute, iterate, seen
from analyzer.tracing.language.generators import generator_of
from analyzer.tracing.language.known_types import DEVICE
from analyzer.tracing.language.lazy_iterators import FEW, Passage, step_through
from analyzer.tracing.language.loops import changed_by, unending
from analyzer.tracing.language.overwriting import fill, set_somewhere
from analyzer.tracing.language.own_paths import place_of
from analyzer.tracing.language.own_truths import own_truth
from analyzer.tracing.language.plain_data import LONGEST, MOST_ITEMS, WIDEST, hashable
from analyzer.tracing.language.suspended_bodies import give
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import (
    Bound,
    Class,
    DictV,
    Instance,
    Iterator_,
    ListV,
    Scope,
    SetV,
    TupleV,
    Unknown,
    Value,
)
from analyzer.tracing.operators.scalars import demand_one_element
from analyzer.tracing.paths.agreement import same_but_for_new_sizes
from analyzer.tracing.paths.frames import Frame
from analyzer.tracing.paths.paths import Journal
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly

MOST_PASSED = 1_000  # elements of what has no end that a generator expression passes over for one
REPEATED_STEPS = 6_000  # behind which a comprehension ends whose elements repeat, as a loop does


def _elements(tr: Tracer, nodes: list[ast.expr]) -> tuple[list[Value], bool]:
    """The elements, and whether there may be more: of what stands behind those it is not known where it stands."""
    items: list[Value] = []
    endless = behind = False
    for node in nodes:
        more = False
        if isinstance(node, ast.Starred):
            parts, more = iterate(tr, evaluate(tr, node.value), node)
            found = list(islice(parts, 2) if more else parts)
        else:
            found = [evaluate(tr, node)]
        if not endless:
            items.extend(found)
        behind = behind or endless
        endless = endless or more
    if behind:
        items.append(tr.unknown("an element of a display"))
    return items, endless


def _tuple(tr: Tracer, node: ast.Tuple) -> Value:
    items, endless = _elements(tr, node.elts)
    return TupleV(items, True) if endless else tuple(items)


def _dict(tr: Tracer, node: ast.Dict) -> Value:
    result: DictV = tr.made(exactly(DictV()))
    for key, value in zip(node.keys, node.values, strict=True):
        found = evaluate(tr, value)
        if key is None:
            found = held if (held := plain_store(tr, found)) is not None else found
            fill(tr, result, found)
            continue
        name = evaluate(tr, key)
        if hashable(name):
            result.items[name] = found
        else:
            set_somewhere(tr, result, found)
    return result


def _comprehension(
    tr: Tracer, node: Any, element: Callable[[], Value], first: Passage | None = None
) -> tuple[list[Value], bool, bool]:
    """The elements of a comprehension, whether there may be more, and whether there may be none.

    `first`: what it goes through, if begun.
    """
    results: list[Value] = []
    endless = doubtful = False
    frame = tr.frames[-1]
    outer = frame.scope
    frame.scope = _inner(tr, outer)
    begun = tr.shared.steps

    def descend(level: int) -> None:
        nonlocal endless, doubtful
        if level == len(node.generators):
            results.append(element())
            return
        generator = node.generators[level]
        made = None if first is not None and level == 0 else evaluate(tr, generator.iter)
        passage = first if first is not None and level == 0 else step_through(tr, made, generator.iter)
        items = passage.items
        for count, item in enumerate(items):
            tr.step()
            more = passage.endless
            if count >= min(MOST_ITEMS, passage.most) or (more and count >= 2):
                endless = True
                passage.drain(tr)
                break
            assign(tr, generator.target, item)
            taken = True
            for test in generator.ifs:
                value = own_truth(tr, evaluate(tr, test))
                demand_one_element(tr, value, "truth", test)
                truth = truth_of(value)
                if truth is None:
                    endless = True  # how many elements there are is not known
                    truth = not results
                    doubtful = doubtful or truth
                if not truth:
                    taken = False
                    break
            if not taken:
                continue
            long = tr.shared.steps - begun >= REPEATED_STEPS
            with tr.undoable() if long else nullcontext(Journal()) as journal:
                descend(level + 1)
            if long and _repeats(node, results) and not changed_by(journal, _counted(node)):
                if more or len(node.generators) > 1 or generator.ifs or not _of_fixed_shape(results[-1]):
                    endless = True
                else:
                    results.extend(results[-1] for _ in islice(items, MOST_ITEMS - count))
                passage.drain(tr)
                break
        endless = endless or passage.endless

    try:
        descend(0)
    finally:
        frame.scope = outer
    if endless:
        _lose_names(tr, node)
    return results, endless, doubtful and len(results) < 2


def _container(tr: Tracer, node: ast.ListComp | ast.SetComp) -> Value:
    results, endless, doubtful = _comprehension(tr, node, lambda: evaluate(tr, node.elt))
    made: ListV = exactly(as_set(results, endless) if isinstance(node, ast.SetComp) else ListV(results, endless))
    made.doubtful = doubtful
    return tr.made(made)


def _inner(tr: Tracer, outer: Scope) -> Scope:
    scope: Scope = tr.made(Scope(outer, outer.globals))
    scope.passing = True
    return scope


def _lose_names(tr: Tracer, node: ast.AST) -> None:
    """What `:=` has named in a round is not known where nobody knows how many rounds there are."""
    for part in ast.walk(node):
        if isinstance(part, ast.NamedExpr):
            name_expression(tr, part.target.id, tr.unknown("what a comprehension names", "imprecise"))


def _repeats(node: Any, results: list[Value]) -> bool:
    """Whether each element is computed from the same, as far as the text tells, and the last two tell the same."""
    if len(results) < 2:
        return False
    elements = [part for part in (getattr(node, name, None) for name in ("elt", "key", "value")) if part is not None]
    used = {n.id for element in elements for n in ast.walk(element) if isinstance(n, ast.Name)}
    return not _counted(node) & used and same_but_for_new_sizes(results[-1], results[-2])


def _counted(node: Any) -> set[str]:
    return {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}


def _of_fixed_shape(value: Value) -> bool:
    """Whether one object may stand for several that are computed alike: no size or element of it is open."""
    return isinstance(value, Tensor) and value.array is None and value.value is None and _numbers(value.dims)


def _numbers(dims: tuple[Any, ...] | None) -> bool:
    return dims is not None and all(isinstance(size, int) for size in dims)


def _generator(tr: Tracer, node: ast.GeneratorExp) -> Value:
    """What it goes through is evaluated here, all else when an element is asked for."""
    around, outer = tr.frame, tr.frame.scope
    first = evaluate(tr, node.generators[0].iter)

    def frame(tr: Tracer) -> Frame:
        return Frame(_inner(tr, outer), around.path, "<genexpr>", around.owner, around.first, line=node.lineno)

    def whole(tr: Tracer) -> tuple[list[Value], bool]:
        depth = len(tr.frames)
        tr.frames.append(frame(tr))
        try:
            passage = step_through(tr, first, node.generators[0].iter)
            results, endless, made.doubtful = _comprehension(tr, node, lambda: evaluate(tr, node.elt), passage)
            return results, endless
        finally:
            del tr.frames[depth:]

    made = generator_of(tr, lambda tr: (frame(tr), _element_steps(tr, node, 0, first)), None, node)
    made.whole = whole
    made.sources = (first,)
    return made


def _element_steps(tr: Tracer, node: ast.GeneratorExp, level: int, sequence: Value) -> Steps:
    """The elements of a generator expression, one by one."""
    frame, generator = tr.frame, node.generators[level]
    passage = step_through(tr, sequence, generator.iter)
    idle = 0
    for count, item in enumerate(passage.items):
        tr.step()
        given, endless, known = frame.given_out, passage.endless, passage.known
        stands = passage.doubtful or (endless and known is not None and count >= known)
        with unending(frame, endless, known, stands):
            assign(tr, generator.target, item)
            if not _passes(tr, generator):
                pass
            elif level + 1 < len(node.generators):
                inner = evaluate(tr, node.generators[level + 1].iter)
                yield from _element_steps(tr, node, level + 1, inner)
            else:
                yield from give(tr, evaluate(tr, node.elt))
        idle = idle + 1 if frame.given_out == given else 0
        cut = passage.endless and idle >= (FEW if known is None or count >= known else MOST_PASSED)
        if frame.leaving or cut:
            passage.drain(tr)
            frame.cut = True
            _lose_names(tr, node)
            return


def _passes(tr: Tracer, generator: ast.comprehension) -> bool:
    """Whether an element passes the tests; where that is not known, how many there are is not either."""
    for test in generator.ifs:
        value = own_truth(tr, evaluate(tr, test))
        demand_one_element(tr, value, "truth", test)
        truth = truth_of(value)
        if truth is None:
            tr.frame.endless, tr.frame.vague = tr.frame.endless + 1, tr.frame.vague + 1
            truth = tr.frame.given_out == 0
        if not truth:
            return False
    return True


def _dict_comprehension(tr: Tracer, node: ast.DictComp) -> Value:
    pairs, endless, doubtful = _comprehension(tr, node, lambda: (evaluate(tr, node.key), evaluate(tr, node.value)))
    keyed = {k: v for k, v in pairs if hashable(k)}
    made: DictV = tr.made(exactly(DictV(keyed, endless or any(not hashable(k) for k, _ in pairs))))
    made.doubtful = doubtful
    return made


def text_of(tr: Tracer, value: Value) -> Value:
    """`str(value)`."""
    if isinstance(value, Instance):
        method = next((m for m in ("__str__", "__repr__") if value.cls.find(m)), None)
        if method is None and value.cls.library_bases == ["enum.Enum"] and value.cls.closed and not value.open:
            return f"{value.cls.name}.{value.attrs.get('name', '')}"
        return call(tr, get_attribute(tr, value, method), (), {}) if method else tr.unknown("text", pytype="str")
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Unknown) and value.kind == DEVICE and isinstance(kind := value.attrs.get("type"), str):
        index = value.attrs.get("index")
        return kind if index is None else f"{kind}:{index}" if isinstance(index, int) else tr.unknown("text")
    written = _written(tr, value)
    if written is not None:
        return written
    told = "data" if isinstance(value, (Tensor, Poly)) else "imprecise"
    text = tr.unknown("text", getattr(value, "origin", told), pytype="str")
    text.place = place_of(value)
    return text


def representation(tr: Tracer, value: Value) -> Value:
    """`repr(value)`."""
    value = seen(value)
    written = _written(tr, value)
    told = "data" if isinstance(value, (Tensor, Poly)) else "imprecise"
    return tr.unknown("text", getattr(value, "origin", told), pytype="str") if written is None else written


def _written(tr: Tracer, value: Value) -> str | None:
    """How Python writes a value inside another; None where that is not known."""
    value = seen(value)
    if isinstance(value, Instance):
        method = get_attribute(tr, value, "__repr__") if value.cls.find("__repr__") else None
        told = call(tr, method, (), {}) if isinstance(method, Bound) else None
        return told if isinstance(told, str) else None
    if isinstance(value, ListV) and not isinstance(value, SetV) and is_exact(value) and not value.open:
        parts = [_written(tr, part) for part in value.items[:MOST_ITEMS]]
        known = [part for part in parts if part is not None]
        return f"[{', '.join(known)}]" if len(known) == len(value.items) else None
    if isinstance(value, DictV) and is_exact(value) and not value.open:
        pairs = [(_written(tr, k), _written(tr, v)) for k, v in list(value.items.items())[:MOST_ITEMS]]
        told = [f"{k}: {v}" for k, v in pairs if k is not None and v is not None]
        return f"{{{', '.join(told)}}}" if len(told) == len(value.items) else None
    if isinstance(value, Iterator_) and isinstance(value.length, int):
        return repr(range(*value.bounds))
    if isinstance(value, Class) and value.path.startswith(MARK) and value.scope.parent is value.scope.globals:
        return f"<class '{module_of(value.path)}.{value.name}'>"
    if type(value) is tuple:
        parts = [_written(tr, part) for part in value]
        known = [part for part in parts if part is not None]
        return f"({', '.join(known)}{',' * (len(known) == 1)})" if len(known) == len(parts) else None
    return repr(value) if value is None or isinstance(value, (str, bytes, bool, int, float)) else None


def _joined(tr: Tracer, node: ast.JoinedStr) -> Value:
    """Each part is evaluated, also behind one whose text is not known."""
    parts = [_text_part(tr, part) for part in node.values]
    known = [part for part in parts if part is not None]
    whole = len(known) == len(parts) and sum(map(len, known)) <= LONGEST
    return "".join(known) if whole else tr.unknown("text", pytype="str")


def _text_part(tr: Tracer, part: ast.expr) -> str | None:
    """What a part of an f-string becomes, None where that is not known."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    if not isinstance(part, ast.FormattedValue):
        return None
    value = evaluate(tr, part.value)
    spec = evaluate(tr, part.format_spec) if part.format_spec is not None else ""
    if part.conversion == -1 and isinstance(value, Instance) and value.cls.find("__format__"):
        told = call(tr, get_attribute(tr, value, "__format__"), (spec,), {})
        return told if isinstance(told, str) else None
    if part.conversion in (ord("r"), ord("a")):
        value = representation(tr, value)
        if part.conversion == ord("a") and isinstance(value, str):
            value = value.encode("ascii", "backslashreplace").decode()
    elif part.conversion == ord("s") or not isinstance(value, (str, int, float)):
        value = text_of(tr, value)
    wide = isinstance(spec, str) and any(int(n) > WIDEST for n in re.findall(r"\d{1,9}", spec))
    if not isinstance(value, (str, int, float)) or not isinstance(spec, str) or wide:
        return None
    try:
        return format(value, spec)
    except (ValueError, OverflowError) as error:
        raise PyRaise(type(error).__name__, str(error)) from error


RULES: dict[type[ast.expr], Callable[[Tracer, Any], Value]] = {
    ast.Tuple: _tuple,
    ast.List: lambda tr, node: tr.made(exactly(ListV(*_elements(tr, node.elts)))),
    ast.Set: lambda tr, node: exactly(as_set(*_elements(tr, node.elts))),
    ast.Dict: _dict,
    ast.ListComp: _container,
    ast.SetComp: _container,
    ast.DictComp: _dict_comprehension,
    ast.GeneratorExp: _generator,
    ast.JoinedStr: _joined,
}
