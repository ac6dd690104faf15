"""TensorFlow 1 sessions: a run instantiates the unknown dimensions of the placeholders with those of what is fed.

Conditions of graph operators stay open while the graph is built. At each run the conditions behind the fetched tensors
are checked with the feeds put in: dimensions of two placeholders fed from one batch are then the same symbol.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import DictV, ListV, Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import came_from, fail, shorten
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.paths import Condition, PathEnd
from analyzer.tracing.paths.problems import Diagnostic, ShapeFailure
from analyzer.tracing.paths.solver import first_conflict
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, equal, substitute


def session_method(
    tr: Tracer, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    if name == "run":
        fetches = args[0] if args else kwargs.get("fetches")
        feed = args[1] if len(args) > 1 else kwargs.get("feed_dict")
        return run_fetches(tr, fetches, feed, node)
    if name == "should_stop":
        return tr.unknown("whether to stop", "data", pytype="bool")
    return tr.unknown(f"session.{name}()", "foreign")


def run_fetches(tr: Tracer, fetches: Value, feed: Value, node: ast.Call | None) -> Value:
    """Check the slice behind `fetches` under `feed`; the result has the shapes of the fetches."""
    tensors = list(_tensors(fetches))
    mapping = _feed(tr, feed, node)
    if mapping is None:
        return _fetched(tr, fetches, {})
    if tensors:
        _refuse_repeated_axes(tr, tensors)
        check_slice(tr, tensors, mapping, node)
    return _fetched(tr, fetches, mapping)


AXIS_TWICE = "axis-twice"  # tag of a reduction that names an axis twice: refused when it runs


def _refuse_repeated_axes(tr: Tracer, tensors: list[Tensor]) -> None:
    for tensor in behind(tensors):
        if AXIS_TWICE in tensor.tags and tensor.site is not None:
            op = Op(tr, "reduce", None, tensor.site)
            fail(op, "axis-twice", "an axis is reduced twice; the graph takes it, the session refuses it")


def _tensors(value: Value) -> Iterable[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (ListV, tuple)):
        for part in value.items if isinstance(value, ListV) else value:
            yield from _tensors(part)
    elif isinstance(value, DictV):
        for part in value.items.values():
            yield from _tensors(part)


def _fetched(tr: Tracer, value: Value, mapping: Mapping[str, Any]) -> Value:
    if isinstance(value, Tensor):
        dims = None if value.dims is None else tuple(substitute(d, mapping) for d in value.dims)
        if dims == () and value.dtype == "string":
            return tr.unknown("what a session gives", "data", pytype="bytes")
        return Tensor(dims, value.dtype, "numpy", site=tr.site(), name=value.name)
    if isinstance(value, ListV):
        return ListV([_fetched(tr, v, mapping) for v in value.items], value.open)
    if isinstance(value, tuple):
        return tuple(_fetched(tr, v, mapping) for v in value)
    if isinstance(value, DictV):
        return DictV({k: _fetched(tr, v, mapping) for k, v in value.items.items()}, value.open)
    return tr.unknown("what a session gives", "data")


def _feed(tr: Tracer, feed: Value, node: ast.Call | None) -> dict[str, Any] | None:
    """Symbol → fed dimension. A shape that a placeholder cannot take is an error of the run."""
    mapping: dict[str, Any] = {}
    if feed is None:
        return mapping
    if not isinstance(feed, DictV) or feed.open:
        return None
    for key, value in feed.items.items():
        if isinstance(key, Tensor):
            array = tensor_of(tr, value, "numpy")
            if array is not None:
                bind_shape(
                    tr, key, array, mapping, Op(tr, "feed", node, tr.site(node)), f"`{key.name or 'a placeholder'}`"
                )
    return mapping


def bind_shape(tr: Tracer, target: Tensor, given: Tensor, mapping: dict[str, Any], op: Op, label: str) -> None:
    """Unify the declared shape with the given one; mismatches that are certain raise."""
    if target.dims is None and given.dims is not None and target.site is not None and "placeholder" in target.tags:
        ranks, rank = tr.shared.fed_ranks, len(given.dims)
        ranks[target.site] = rank if ranks.get(target.site, rank) == rank else None
    if target.dims is None or given.dims is None:
        return
    sentence = f"an array of shape {show_shape(given.dims)} cannot be fed to {label} of shape {_declared(tr, target)}"
    if len(target.dims) != len(given.dims):
        fail(op, "feed", sentence, (target, given))
    for have, want in zip(given.dims, target.dims, strict=True):
        want = substitute(want, mapping)
        if isinstance(want, Poly) and len(want.symbols) == 1 and len(want.terms) == 1:
            (sym,) = want.symbols
            if want.terms == (((sym,), 1),) and (known := tr.symbols.known.get(sym.name)) is not None and known.graph:
                mapping[sym.name] = have
                continue
        truth = equal(have, want)
        if truth is False:
            fail(op, "feed", sentence, (target, given))
        if truth is not True:
            tr.path.conditions.append(
                Condition(truth, "operator", op.where, "feed", sentence, op.name, False, op.number, (("fed", given),))
            )


def _declared(tr: Tracer, target: Tensor) -> str:
    parts = []
    for size in target.dims or ():
        graph = isinstance(size, Poly) and all(
            (k := tr.symbols.known.get(s.name)) is not None and k.graph for s in size.symbols
        )
        parts.append("None" if graph else str(size))
    return "[" + ", ".join(parts) + "]"


def ancestors(tensors: Iterable[Tensor]) -> tuple[set[int], set[int]]:
    """(ids of all tensors behind the given ones, numbers of the applications that made them)."""
    found = list(behind(tensors))
    return {id(t) for t in found}, {t.operation for t in found if t.operation}


def behind(tensors: Iterable[Tensor]) -> Iterator[Tensor]:
    """The tensors and all that they are computed from."""
    seen: set[int] = set()
    pending = list(tensors)
    while pending:
        tensor = pending.pop()
        if id(tensor) not in seen:
            seen.add(id(tensor))
            yield tensor
            pending.extend(tensor.sources)


def check_slice(tr: Tracer, tensors: list[Tensor], mapping: dict[str, Any], node: ast.Call | None) -> None:
    """Check the open conditions of the operators behind `tensors` with the symbols of `mapping` replaced."""
    _, operations = ancestors(tensors)
    graph = [c for c in tr.path.conditions if c.graph and c.operation in operations]
    if not graph:
        return
    fresh = dict(mapping)
    for condition in graph:
        for sym in condition.truth.symbols if not isinstance(condition.truth, bool) else ():
            if sym.name not in fresh and _instantiated(tr, sym.name):
                box = sym.interval
                lo = None if box.lo == float("-inf") else int(box.lo)
                hi = None if box.hi == float("inf") else int(box.hi)
                known = tr.symbols.known.get(sym.name)
                kind = known.kind if known is not None and known.kind != "batch" else "derived"
                fresh[sym.name] = tr.symbols.fresh(
                    known.label if known else sym.name.strip("?"), kind, lo, hi, site=tr.site(node)
                )
    before = [c.truth for c in tr.path.conditions if not c.graph]
    now = [substitute(c.truth, fresh) for c in graph]
    if all(t is True for t in now):
        return
    found = first_conflict([*before, *now], tr.shared.effort)
    if found is None:
        for condition, truth in zip(graph, now, strict=True):
            if truth is not True:
                tr.path.conditions.append(
                    Condition(
                        truth,
                        "operator",
                        condition.site,
                        condition.rule,
                        condition.wording,
                        condition.operator,
                        False,
                        condition.operation,
                        condition.facts,
                    )
                )
        return
    index, core = found
    if index < len(before):
        raise PathEnd
    culprit = graph[index - len(before)]
    sentences = [
        f"{graph[i - len(before)].message} (line {graph[i - len(before)].site.line})" for i in core if i >= len(before)
    ]
    sentences += [came_from(t, i) for i, (_, t) in enumerate(culprit.facts) if isinstance(t, Tensor)]
    fed = ", ".join(f"{name} = {value}" for name, value in mapping.items())
    where = tr.site(node)
    message = f"{culprit.message}; fed at line {where.line}: {fed}" if fed else culprit.message
    raise ShapeFailure(
        Diagnostic(
            "tracing/incompatible-shape",
            "error",
            shorten(message),
            culprit.site,
            culprit.operator,
            tuple(sentences),
            tr.certain,
            None,
            culprit.rule,
        )
    )


def _instantiated(tr: Tracer, name: str) -> bool:
    """Symbols that a run decides: dimensions of placeholders, and those that operators define from them."""
    known = tr.symbols.known.get(name)
    return known is None or known.graph or known.kind == "lost"  # of what came of the inputs, for all that is known
